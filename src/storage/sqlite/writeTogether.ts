/**
 * Runs the calls that are waiting in one transaction, so that several chains' groups share one
 * fsync. A call that throws takes back its own writes alone; if the commit fails, all have failed.
 * No answer leaves before the commit is on disk.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '#platform/clock';
import type { OnCrashPoint } from '../crashPoints.ts';
import { WRITE_LOCK_WAIT_MS } from '../limits.ts';
import { isBusy } from './errors.ts';
import { type Answer, type Call, toFailure } from './messages.ts';
import { sleepSync } from './sleepSync.ts';

type Operations = Readonly<Record<string, (...args: never[]) => unknown>>;

/** Doubles from here to the maximum: short, since a neighbour's transaction takes a few ms. */
const LOCK_RETRY_MIN_MS = 0.25;
const LOCK_RETRY_MAX_MS = 4;

export function runCall(operations: Operations, call: Call): Answer {
  const operation = operations[call.name];
  if (operation === undefined) throw new TypeError(`no storage operation ${call.name}`);
  return { id: call.id, value: operation(...(call.args as never[])) };
}

export function writeTogether(
  database: DatabaseSync,
  operations: Operations,
  { clock, onCrashPoint }: { clock: Clock; onCrashPoint: OnCrashPoint },
) {
  return function run(calls: readonly Call[]): Answer[] {
    try {
      beginPatiently(database, clock);
      onCrashPoint('begin');
      const answers = calls.map((call) => runSaved(database, operations, call));
      onCrashPoint('before-commit');
      database.exec('COMMIT');
      onCrashPoint('commit');
      return answers;
    } catch (error) {
      // A full disk may have ended the transaction by itself.
      if (database.isTransaction) database.exec('ROLLBACK');
      const failure = toFailure(error);
      return calls.map(({ id }) => ({ id, failure }));
    }
  };
}

function runSaved(database: DatabaseSync, operations: Operations, call: Call): Answer {
  database.exec('SAVEPOINT call');
  try {
    const answer = runCall(operations, call);
    database.exec('RELEASE call');
    return answer;
  } catch (error) {
    if (!database.isTransaction) throw error;
    database.exec('ROLLBACK TO call; RELEASE call');
    return { id: call.id, failure: toFailure(error) };
  }
}

function beginPatiently(database: DatabaseSync, clock: Clock): void {
  const deadline = clock.monotonicMs() + WRITE_LOCK_WAIT_MS;
  for (let waitMs = LOCK_RETRY_MIN_MS; ; waitMs = Math.min(waitMs * 2, LOCK_RETRY_MAX_MS)) {
    try {
      database.exec('BEGIN IMMEDIATE');
      return;
    } catch (error) {
      if (!isBusy(error) || clock.monotonicMs() >= deadline) throw error;
      sleepSync(waitMs);
    }
  }
}
