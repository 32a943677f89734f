/**
 * Work in a process of its own, bounded by time and memory: for files that anybody may have made,
 * and for libraries that read them. Whatever happens in there ends with that process, and the
 * caller learns which bound it was.
 *
 * A process and not a thread: native memory counts too, and a thread that does not stop by itself
 * cannot be stopped in every place. The process gets no environment. It must say that it has come
 * to its end (boundedChild.ts), so that half an answer is never taken for a whole one.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface BoundedWork {
  /** Entry of the process, which calls `serveBounded`. */
  readonly file: URL;
  readonly input: Uint8Array;
  /** Milliseconds, from the start to the last value. */
  readonly timeMs: number;
  /** Resident bytes of the process. */
  readonly memoryBytes: number;
  /** Characters of all values as JSON. */
  readonly outputChars: number;
}

/** To the process, as its argument. */
export interface BoundedOrder {
  readonly memoryBytes: number;
  readonly timeMs: number;
  readonly parentPid: number;
}

/** From the process, a line each. */
export type BoundedLine =
  | { readonly value: unknown }
  | { readonly failure: { readonly message: string; readonly code: string | undefined } }
  | { readonly isEnd: true };

export type Bound = 'time' | 'memory' | 'output';

/** The work went over a bound, and was ended. */
export class BoundExceeded extends Error {
  override readonly name = 'BoundExceeded';
  readonly bound: Bound;

  constructor(bound: Bound) {
    super(`work in a process of its own went over its bound of ${bound}`);
    this.bound = bound;
  }
}

/** An error that the work threw in its process. */
export class BoundedWorkError extends Error {
  override readonly name = 'BoundedWorkError';
  /** Code of the error there, if it had one. */
  readonly code: string | undefined;

  constructor(message: string, code: string | undefined) {
    super(message);
    this.code = code;
  }
}

const MEBIBYTE = 1024 * 1024;

/** Values of the work in order. Throws `BoundExceeded`, `BoundedWorkError`, or that it ended. */
export async function* boundedValues(work: BoundedWork): AsyncGenerator<unknown> {
  const child = start(work);
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  ended.catch(() => undefined); // looked at below
  let isLate = false;
  const late = setTimeout(() => {
    isLate = true;
    child.kill('SIGKILL');
  }, work.timeMs);
  try {
    if (yield* valuesOf(child, work.outputChars)) return;
    const [code, signal] = await ended;
    if (isLate) throw new BoundExceeded('time');
    // By the watch of the process itself, by the system, or by V8 at the end of its heap.
    if (signal === 'SIGKILL' || signal === 'SIGABRT') throw new BoundExceeded('memory');
    throw new Error(`a process ended before its work: ${signal ?? `exit code ${code}`}`);
  } finally {
    clearTimeout(late);
    child.kill('SIGKILL');
    child.stdout?.destroy(); // unread, it would keep the process from being over
    await ended.catch(() => undefined); // that it could not be started was thrown above
  }
}

function start({ file, input, memoryBytes, timeMs }: BoundedWork): ChildProcess {
  const order: BoundedOrder = { memoryBytes, parentPid: process.pid, timeMs };
  const flags = [
    '--disable-warning=ExperimentalWarning',
    `--max-old-space-size=${Math.ceil(memoryBytes / MEBIBYTE)}`,
  ];
  const child = spawn(process.execPath, [...flags, fileURLToPath(file), JSON.stringify(order)], {
    env: {},
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  // It may end before it has read all; how it ended says more.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  return child;
}

/** True once the process has said that this was all. */
async function* valuesOf(
  { stdout }: ChildProcess,
  outputChars: number,
): AsyncGenerator<unknown, boolean> {
  if (stdout === null) return false;
  for await (const text of linesOf(stdout, outputChars)) {
    const line = lineOf(text);
    if (line === undefined) return false;
    if ('isEnd' in line) return true;
    if ('failure' in line) throw new BoundedWorkError(line.failure.message, line.failure.code);
    yield line.value;
  }
  return false;
}

/** Not by readline, which also takes U+2028 for the end of a line: JSON may hold it as it is. */
async function* linesOf(
  bytes: AsyncIterable<Uint8Array>,
  charsMax: number,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let chars = 0;
  let rest = '';
  for await (const chunk of bytes) {
    const text = decoder.decode(chunk, { stream: true });
    chars += text.length;
    if (chars > charsMax) throw new BoundExceeded('output');
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

/** Undefined for a line that was cut off with its process. */
function lineOf(text: string): BoundedLine | undefined {
  try {
    return JSON.parse(text) as BoundedLine;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
