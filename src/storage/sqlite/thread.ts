/**
 * The storage thread: node:sqlite is synchronous, so it lives here and not on the event loop. A
 * process has one that writes and one that reads; a read never waits for a write's fsync.
 */
import assert from 'node:assert/strict';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { systemClock } from '#platform/clock';
import { noCrashPoints } from '../crashPoints.ts';
import { CALLS_PER_TRANSACTION_MAX } from '../limits.ts';
import { openDatabase } from './connection.ts';
import {
  type Answer,
  type Call,
  type ThreadData,
  type ThreadMessage,
  toFailure,
} from './messages.ts';
import { readOperations, writeOperations } from './operations.ts';
import { runCall, writeTogether } from './writeTogether.ts';

assert(parentPort !== null, 'a storage thread is a worker thread');
const port = parentPort;
const { file, role, tables } = workerData as ThreadData;
const say = (message: ThreadMessage): void => port.postMessage(message);

try {
  serve();
  say({ kind: 'opened' });
} catch (error) {
  say({ kind: 'opened', failure: toFailure(error) });
  port.close();
}

function serve(): void {
  const onWaiting = (why: string) => say({ kind: 'waiting', why });
  const database = openDatabase(file, role, systemClock, tables, onWaiting);
  const run = role === 'write' ? writer() : reader();

  function writer(): (calls: Call[]) => Answer[] {
    return writeTogether(database, writeOperations(database, noCrashPoints, tables), {
      clock: systemClock,
      onCrashPoint: noCrashPoints,
    });
  }

  function reader(): (calls: Call[]) => Answer[] {
    const operations = readOperations(database, tables);
    return (calls) =>
      calls.map((call) => {
        try {
          return runCall(operations, call);
        } catch (error) {
          return { id: call.id, failure: toFailure(error) };
        }
      });
  }

  port.on('message', (first: Call) => {
    const calls = [first, ...takeWaiting()];
    const asked = calls.filter(({ name }) => name !== 'close' && name !== 'truncateLog');
    if (asked.length > 0) say({ kind: 'answers', answers: run(asked) });
    for (const call of calls) {
      if (call.name === 'truncateLog') say({ kind: 'answers', answers: [truncateLog(call)] });
      if (call.name === 'close') close(call);
    }
  });

  /** True if nothing is left of it; a reader that still needs it may be in the way. */
  function truncateLog(call: Call): Answer {
    try {
      const row = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
      return { id: call.id, value: row?.busy === 0 };
    } catch (error) {
      return { id: call.id, failure: toFailure(error) };
    }
  }

  function close(call: Call): void {
    database.close();
    say({ kind: 'answers', answers: [{ id: call.id }] });
    port.close();
  }
}

/** Calls that have arrived meanwhile join the first one's transaction. */
function takeWaiting(): Call[] {
  const calls: Call[] = [];
  while (calls.length < CALLS_PER_TRANSACTION_MAX - 1) {
    const received = receiveMessageOnPort(port) as { message: Call } | undefined;
    if (received === undefined) break;
    calls.push(received.message);
  }
  return calls;
}
