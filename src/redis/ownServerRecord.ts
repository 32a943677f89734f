/**
 * The record of a redis-server of our own: `owner.json` in its directory says on which socket it
 * listens and whose child it is. A process id alone may have been reused, so its start time is
 * recorded too.
 */
import { lstatSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface OwnServerRecord {
  readonly socketPath: string;
  readonly parentPid: number;
  /** Field 22 of /proc/<pid>/stat; undefined where there is no /proc. */
  readonly parentStart: string | undefined;
}

/** sun_path holds 108 bytes with its final NUL on Linux, 104 on macOS. */
const SOCKET_PATH_BYTES_MAX = 103;
const RECORD_NAME = 'owner.json';

export async function readRecord(directory: string): Promise<OwnServerRecord | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(join(directory, RECORD_NAME), 'utf8'));
    return isRecord(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || isMissing(error)) return undefined;
    throw error;
  }
}

/** Writes by rename: a half-written record would lose a leftover server. */
export async function writeRecord(directory: string, record: OwnServerRecord): Promise<void> {
  const path = join(directory, RECORD_NAME);
  await writeFile(`${path}.new`, JSON.stringify(record), { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/**
 * Chooses a path beside the data where it fits into a socket address. Otherwise it is in a new
 * private directory under the system's temporary one, which the record remembers.
 */
export async function chooseSocketPath(directory: string, previous?: string): Promise<string> {
  const beside = join(directory, 'redis.sock');
  if (Buffer.byteLength(beside) <= SOCKET_PATH_BYTES_MAX) return beside;
  if (previous !== undefined && isPrivateDirectory(dirname(previous))) {
    await rm(dirname(previous), { recursive: true, force: true });
  }
  return join(await mkdtemp(join(tmpdir(), 'own-redis-')), 'redis.sock');
}

/** Whether the process lives and started when the record says (where the system tells). */
export function isSameProcess(pid: number, start: string | undefined): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  const stat = readStat(pid);
  // Ended, and waiting only for its parent, which may never reap it (a container's first process).
  if (stat?.state === 'Z') return false;
  return start === undefined || stat?.start === start;
}

export function processStart(pid: number): string | undefined {
  return readStat(pid)?.start;
}

function readStat(
  pid: number,
): { state: string | undefined; start: string | undefined } | undefined {
  try {
    // The name in parentheses may contain anything; the fields start after the last parenthesis.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0], start: fields[19] };
  } catch {
    return undefined; // no /proc, or no such process
  }
}

function isPrivateDirectory(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && stat.uid === process.getuid?.() && /own-redis-/.test(path);
}

function isRecord(value: unknown): value is OwnServerRecord {
  const record = value as Partial<OwnServerRecord> | null;
  return typeof record?.socketPath === 'string' && Number.isSafeInteger(record.parentPid);
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === 'ENOENT';
}
