/** That a process steps back as a whole, but for threads that it spares. */
import { execFile } from 'node:child_process';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const PROCESS = join(import.meta.dirname, 'nicedProcess.ts');
/** A process that is niced already can step back by little, and to the last it cannot. */
const NICENESS_MAX = 16;
const isTested = process.platform === 'linux' && getPriority() <= NICENESS_MAX;
if (!isTested) console.warn('lowPriority: threads cannot be told apart here; not tested');

interface Niced {
  readonly main: number;
  /** At the start. */
  readonly own: number;
  /** By thread. */
  readonly niceness: Readonly<Record<string, number>>;
  /** Threads that came while it was lowered. */
  readonly started: readonly number[];
}

test.skipIf(!isTested)(
  'all threads of a process are lowered but those that are spared',
  async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [PROCESS]);
    const { main, niceness, own, started } = JSON.parse(stdout) as Niced;
    const spared = Object.keys(niceness).filter((thread) => niceness[thread] !== own + 3);
    expect(niceness[main]).toBe(own + 3);
    // V8's helpers, libuv's, the main thread and the one that came late.
    expect(Object.keys(niceness).length).toBeGreaterThan(6);
    expect(spared).toHaveLength(1);
    expect(niceness[spared[0] ?? '']).toBe(own);
    expect(started).toContain(Number(spared[0]));
  },
);
