/** Lowers its priority and prints the niceness of its threads: before, of the spared, and all. */
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { lowerPriority } from '#platform/lowPriority';

const threads = (): readonly number[] => readdirSync('/proc/self/task').map(Number);

async function startThread(): Promise<Worker> {
  const thread = new Worker('setInterval(() => undefined, 60_000)', { eval: true });
  await once(thread, 'online');
  return thread;
}

const own = getPriority();
const before = threads();
const spared = await lowerPriority(own + 3, { start: startThread });
const started = threads().filter((thread) => !before.includes(thread));
const late = await startThread();
const niceness = Object.fromEntries(threads().map((thread) => [thread, getPriority(thread)]));
process.stdout.write(JSON.stringify({ main: process.pid, niceness, own, started }));
await Promise.all([spared.terminate(), late.terminate()]);
