/** The thread of shared sinks (sharedSinks.ts): a sink for each stream, pieces as they come. */
import assert from 'node:assert/strict';
import { parentPort } from 'node:worker_threads';
import type { SharedSinkAnswer, SharedSinkOrder } from './sharedSinks.ts';
import type { PieceSink } from './sinkAside.ts';
import { failureOf } from './sinkThread.ts';

interface Open<Result> {
  readonly sink: PieceSink<Result>;
  readonly places: SharedArrayBuffer;
}

/** For the entry of a thread; `make` gets the input with which a stream was begun. */
export function serveSharedSinks<Input, Result>(make: (input: Input) => PieceSink<Result>): void {
  assert(parentPort, 'started as a thread');
  const port = parentPort;
  const streams = new Map<number, Open<Result>>();
  const say = (answer: SharedSinkAnswer): void => port.postMessage(answer);
  const take = (order: SharedSinkOrder): SharedSinkAnswer | undefined => {
    const { kind, stream } = order;
    if (kind === 'open') {
      streams.set(stream, { places: order.places, sink: make(order.input as Input) });
      return undefined;
    }
    const open = streams.get(stream);
    // Undefined where it has failed or was left, and what was on its way is of no use.
    if (kind === 'piece') {
      open?.sink.add(new Uint8Array(open.places, order.start, order.bytes));
      return undefined;
    }
    streams.delete(stream);
    if (kind === 'close' || open === undefined) return undefined;
    return { kind: 'result', result: open.sink.finish(), stream };
  };
  port.on('message', (order: SharedSinkOrder) => {
    const { stream } = order;
    let answer: SharedSinkAnswer | undefined;
    try {
      answer = take(order);
    } catch (error) {
      streams.delete(stream);
      answer = { kind: 'failed', stream, ...failureOf(error) };
    }
    if (answer !== undefined) say(answer);
    // After a failure, too: the sender's other streams go on.
    if (order.kind === 'piece') say({ kind: 'taken', sender: order.sender, stream });
  });
}
