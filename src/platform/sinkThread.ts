/** The thread of a sink (sinkAside.ts): takes pieces, confirms each, answers at the end. */
import assert from 'node:assert/strict';
import { parentPort, workerData } from 'node:worker_threads';
import type { PieceSink, SinkAnswer, SinkOrder, SinkStart } from './sinkAside.ts';

/** For the entry of a thread; `make` gets the input with which the stream was begun. */
export function serveSink<Input, Result>(make: (input: Input) => PieceSink<Result>): void {
  assert(parentPort, 'started as a thread');
  const port = parentPort;
  const answer = (said: SinkAnswer<Result>) => {
    const hasResult = typeof said === 'object' && 'result' in said;
    port.postMessage(said, hasResult ? (sink.buffersOf?.(said.result) ?? []) : []);
  };
  const { input, slots } = workerData as SinkStart<Input>;
  const sink = make(input);
  const take = (order: SinkOrder): SinkAnswer<Result> => {
    if (order === 'end') return { result: sink.finish() };
    sink.add(order instanceof Uint8Array ? order : new Uint8Array(slots, order.start, order.bytes));
    return 'taken';
  };
  port.on('message', (order: SinkOrder) => {
    try {
      answer(take(order));
      if (order === 'end') port.close();
    } catch (error) {
      answer(failureOf(error));
      port.close();
    }
  });
}

/** Classes of errors do not cross threads, so the members that distinguish them are sent. */
export function failureOf(error: unknown): { message: string; code: string | undefined } {
  const message = error instanceof Error ? error.message : String(error);
  const hasCode = error instanceof Error && 'code' in error && typeof error.code === 'string';
  return { code: hasCode ? String(error.code) : undefined, message };
}
