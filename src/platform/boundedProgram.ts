/**
 * A program of the system in a cage, for files that anybody may have made: bounded by time, address
 * space, processor time and output, of low priority, in a process group of its own that is ended
 * whole, and with no environment but what is named. It ends with us: the kernel sees to that.
 *
 * Without `prlimit` and `setpriv` (util-linux, in every Debian) there is no cage, and nothing runs.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { BoundExceeded } from './boundedWork.ts';

/** A program with its bounds. */
export interface BoundedProgram {
  /** As `findProgram` gave it. */
  readonly program: string;
  readonly options: readonly string[];
  readonly folder: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly timeMs: number;
  /** Address space. */
  readonly memoryBytes: number;
  readonly outputBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** The program ended without doing its work. */
export class ProgramFailed extends Error {
  override readonly name = 'ProgramFailed';
}

/** Where programs that are run in cages are found. */
export interface Cage {
  readonly setpriv: string;
  readonly prlimit: string;
  readonly nice: string;
}

const FILE_BYTES_MAX = 256 * 1024 * 1024;
const NICENESS = 10;

/** Its path, by the folders of PATH; undefined where there is none. */
export function findProgram(name: string, programPath: string): string | undefined {
  for (const folder of programPath.split(delimiter)) {
    if (folder === '') continue;
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error; // it is not in this folder
    }
  }
  return undefined;
}

/** Undefined where the system has none. */
export function findCage(programPath: string): Cage | undefined {
  const nice = findProgram('nice', programPath);
  const prlimit = findProgram('prlimit', programPath);
  const setpriv = findProgram('setpriv', programPath);
  return nice && prlimit && setpriv ? { nice, prlimit, setpriv } : undefined;
}

/** What it wrote. Throws BoundExceeded, ProgramFailed, or the reason of the signal. */
export async function runCaged(cage: Cage, of: BoundedProgram): Promise<Buffer> {
  of.signal?.throwIfAborted();
  const child = startCaged(cage, of);
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  ended.catch(() => undefined); // looked at below
  let isLate = false;
  const late = setTimeout(() => {
    isLate = true;
    endGroup(child);
  }, of.timeMs);
  const giveUp = (): void => endGroup(child);
  of.signal?.addEventListener('abort', giveUp, { once: true });
  try {
    const output = await outputOf(child, of.outputBytes);
    const [code, signal] = await ended;
    of.signal?.throwIfAborted();
    if (isLate || signal === 'SIGXCPU') throw new BoundExceeded('time');
    if (code !== 0) throw new ProgramFailed(`${of.program}: ${signal ?? `exit code ${code}`}`);
    return output;
  } finally {
    clearTimeout(late);
    of.signal?.removeEventListener('abort', giveUp);
    endGroup(child);
  }
}

function startCaged({ nice, prlimit, setpriv }: Cage, of: BoundedProgram): ChildProcess {
  const seconds = Math.ceil(of.timeMs / 1_000);
  const limits = [
    `--as=${of.memoryBytes}`,
    '--core=0',
    `--cpu=${seconds}`,
    `--fsize=${FILE_BYTES_MAX}`,
  ];
  const words = [
    ...['--pdeathsig', 'KILL', '--no-new-privs', '--', prlimit, ...limits, '--'],
    ...[nice, '-n', String(NICENESS), of.program, ...of.options],
  ];
  return spawn(setpriv, words, {
    cwd: of.folder,
    detached: true,
    env: { ...of.environment },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

/** The group is gone where it has ended by itself. */
function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function outputOf({ stdout }: ChildProcess, bytesMax: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of stdout ?? []) {
    length += (piece as Buffer).length;
    if (length > bytesMax) throw new BoundExceeded('output');
    pieces.push(piece as Buffer);
  }
  return Buffer.concat(pieces);
}
