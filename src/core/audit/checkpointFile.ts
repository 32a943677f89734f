/**
 * The checkpoints beside the database: one append-only file per chain, one JSON line per
 * checkpoint, each on the disk before `append` returns. A crash can leave half a line at the end:
 * the next append ends that line, and a reader skips lines that are no checkpoint.
 */
import assert from 'node:assert/strict';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChainId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { parseCheckpoint } from './checkpoint.ts';
import { laterCheckpoint } from './checkpointCopies.ts';
import type { Checkpoint } from './ports.ts';

const CHAIN_NAME = /^[0-9a-z-]{1,64}$/;
/** A line is under 400 bytes, so this many hold a whole line even after half a one. */
const TAIL_BYTES = 4096;

/**
 * The file of a chain's checkpoints below `directory`. Asserts that the chain id is a file name.
 */
export function checkpointPath(directory: string, chainId: ChainId): string {
  assert(CHAIN_NAME.test(chainId), 'a chain id that is no file name');
  return join(directory, `${chainId}.jsonl`);
}

/**
 * Adds a line to the chain's file, creating both file and directory. Resolves once it is on the
 * disk.
 */
export async function appendCheckpoint(
  directory: string,
  chainId: ChainId,
  checkpoint: Checkpoint,
): Promise<void> {
  await mkdir(directory, { recursive: true });
  const file = await open(checkpointPath(directory, chainId), 'a+');
  try {
    const { size } = await file.stat();
    const last = Buffer.alloc(1);
    if (size > 0) await file.read(last, 0, 1, size - 1);
    const isTorn = size > 0 && last.toString() !== '\n';
    // One write: with O_APPEND two processes cannot mix their lines.
    await file.appendFile(`${isTorn ? '\n' : ''}${canonicalJson(checkpoint)}\n`);
    await file.sync();
    if (size === 0) await syncDirectory(directory);
  } finally {
    await file.close();
  }
}

/** After a crash a new file exists only if its directory was on the disk too. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * The checkpoint of the latest seq among the last lines of the chain's file; undefined where there
 * is none, or no file. Two workers may have written theirs in another order. Unverified.
 */
export async function lastCheckpoint(
  directory: string,
  chainId: ChainId,
): Promise<Checkpoint | undefined> {
  const file = await open(checkpointPath(directory, chainId), 'r').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!file) return undefined;
  try {
    const { size } = await file.stat();
    const from = Math.max(0, size - TAIL_BYTES);
    const tail = Buffer.alloc(size - from);
    await file.read(tail, 0, tail.length, from);
    const lines = tail.toString('utf8').split('\n');
    return lines.map(parseLine).reduce(laterCheckpoint, undefined);
  } finally {
    await file.close();
  }
}

function parseLine(line: string): Checkpoint | undefined {
  try {
    return parseCheckpoint(JSON.parse(line));
  } catch {
    return undefined; // half a line after a crash, or the start of the tail
  }
}
