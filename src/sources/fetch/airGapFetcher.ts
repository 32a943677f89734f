/**
 * Lists out of a folder, for installations that make no calls (interface.md 4.9). An opened file is
 * copied into the spool once; the copy is verified whole, and only then read.
 *
 * Two kinds of files are trusted: a bundle that an installation signed (list format v1), and a
 * publisher's own file with `<file>.sig` beside it, the base64 text of an Ed25519 signature over
 * "list-file-v1\0" ‖ SHA-256(file). Keys are those of AIR_GAP_KEYS_FILE.
 */
import { open } from 'node:fs/promises';
import { DomainError } from '#core/kernel';
import { bytesFromBase64 } from '#platform/crypto';
import type { FetchedList, FetchListAsk, ListFetcher } from '#slices/ingestion';
import { LIST_FORMAT, listFileMessage, readBundleLines, type TrustedKeys } from '#slices/lists';
import { openAirGapFile, openRegular } from './airGapFile.ts';
import { LIST_FILE_BYTES_MAX, type SpooledFile, spool } from './spool.ts';

const SIGNATURE_FILE_BYTES_MAX = 1_024;
const HEAD_BYTES = 4_096;
/** A bundle's longest line. */
export const BUNDLE_LINE_BYTES_MAX = 16 * 1024 * 1024;

export interface AirGapOptions {
  /** Absent: nothing may be read. */
  readonly root?: string;
  readonly keys: TrustedKeys;
  readonly spoolDirectory: string;
}

/** Only the source's `airGapPath` is read; nothing here can open a connection. */
export function createAirGapFetcher(options: AirGapOptions): ListFetcher {
  return { fetch: (ask) => fetchFile(ask, options) };
}

async function fetchFile(ask: FetchListAsk, options: AirGapOptions): Promise<FetchedList> {
  const { airGapPath } = ask.source;
  if (options.root === undefined) throw refused('AIR_GAP_DIR is not set');
  if (airGapPath === undefined) throw refused('none is set, and this installation fetches nothing');
  const opened = await openAirGapFile(options.root, airGapPath, LIST_FILE_BYTES_MAX);
  let copy: SpooledFile;
  try {
    const chunks = abortable(opened.handle.createReadStream({ autoClose: false }), ask.signal);
    copy = await spool(chunks, { ...ask, directory: options.spoolDirectory });
  } finally {
    await opened.handle.close();
  }
  try {
    const isBundle = await verify(copy, opened.name, options.keys);
    ask.onLog?.('info', `its ${isBundle ? 'bundle' : 'file'} signature verifies`);
    return { file: { ...copy, isBundle }, status: 'fetched' };
  } catch (error) {
    await copy.remove();
    throw error;
  }
}

async function* abortable(
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    signal.throwIfAborted();
    yield chunk;
  }
}

/** Whether it is a bundle. Throws `list-damaged` where no key of ours signed it. */
async function verify(copy: SpooledFile, name: string, keys: TrustedKeys): Promise<boolean> {
  if (await looksLikeBundle(copy.path)) {
    const keyOf = (keyId: string) => keys.get(keyId);
    for await (const _ of readBundleLines(boundedLines(copy.read()), { keyOf }));
    return true;
  }
  const signature = await readSignature(`${name}.sig`);
  const message = listFileMessage(copy.sha256);
  if ([...keys.values()].some((key) => key.verify(message, signature))) return false;
  throw damaged('its signature is by none of the trusted keys');
}

/** By its first bytes alone: nothing is parsed before it is verified. */
async function looksLikeBundle(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead).toString('latin1').startsWith(BUNDLE_HEAD);
  } finally {
    await file.close();
  }
}

const BUNDLE_HEAD = `{"$schema":"${LIST_FORMAT}","fetched_at":`;

async function readSignature(path: string): Promise<Uint8Array> {
  const { handle } = await openRegular(path, SIGNATURE_FILE_BYTES_MAX).catch(() => {
    throw damaged('no signature is beside it');
  });
  try {
    const signature = bytesFromBase64((await handle.readFile('latin1')).replaceAll(/\s/g, ''), 64);
    if (signature) return signature;
    throw damaged('its signature is not 64 bytes in base64');
  } finally {
    await handle.close();
  }
}

/** A line without an end would be gathered in memory. */
async function* boundedLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const chunk of chunks) {
    const lastEnd = chunk.lastIndexOf(10);
    length = lastEnd < 0 ? length + chunk.length : chunk.length - lastEnd - 1;
    if (length > BUNDLE_LINE_BYTES_MAX) throw damaged('a line that is too long');
    yield chunk;
  }
}

const refused = (what: string) =>
  new DomainError('air-gap-path-invalid', { detail: `air_gap_path: ${what}` });
const damaged = (what: string) => new DomainError('list-damaged', { detail: `file: ${what}` });
