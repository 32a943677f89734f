/**
 * The process of bounded work (boundedWork.ts): takes its input, gives its values, and says when it
 * has come to the end. A thread watches its memory, its time and its parent, since the work itself
 * may never let anything else run.
 */
import { Console } from 'node:console';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { BoundedLine, BoundedOrder } from './boundedWork.ts';
import { failureOf } from './sinkThread.ts';

/** For the entry of a process. */
export async function serveBounded(work: (input: Buffer) => AsyncIterable<unknown>): Promise<void> {
  const order = JSON.parse(process.argv[2] ?? '') as BoundedOrder;
  const watch = new URL('./boundedWatch.ts', import.meta.url);
  new Worker(watch, { workerData: order }).unref();
  // What a library prints must not stand among the values.
  globalThis.console = new Console(process.stderr);
  try {
    for await (const value of work(await readInput())) await say({ value });
    await say({ isEnd: true });
  } catch (error) {
    await say({ failure: failureOf(error) });
  }
}

async function readInput(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function say(line: BoundedLine): Promise<void> {
  if (!process.stdout.write(`${JSON.stringify(line)}\n`)) await once(process.stdout, 'drain');
}
