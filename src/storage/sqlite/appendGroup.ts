/**
 * One group, one step: events, open members, state changes, outgoing events, idempotency records
 * and the head, inside the transaction that writeTogether holds open. Everything that can refuse
 * the group is checked before the first write; a stale change rolls back the changes before it.
 *
 * `onCrashPoint` is called with the name of each step when it is done: tests end the process there.
 */
import type { DatabaseSync } from 'node:sqlite';
import type {
  AppendResult,
  EventGroup,
  HeadLease,
  IdempotencyRecord,
  SealedEvent,
} from '#core/audit';
import type { ChainId } from '#core/kernel';
import type { OnCrashPoint } from '../crashPoints.ts';
import { assertGroup, isContinuation, scopesTwice } from '../eventGroup.ts';
import { renewedUntil } from '../headLease.ts';
import { IDEMPOTENCY_KEPT_MS } from '../limits.ts';
import { chainHead } from './chainHead.ts';
import type { TableChanges } from './table/changes.ts';

export interface AppendOptions {
  readonly ttlMs: number;
  readonly release: boolean;
}

export function appendGroup(
  database: DatabaseSync,
  onCrashPoint: OnCrashPoint,
  tables: TableChanges,
) {
  const heads = chainHead(database);
  const changes = applyAll(database, tables);
  const idempotency = idempotencyWriter(database);
  const insertEvent = eventWriter(database);
  const insertOutbox = database.prepare(
    'INSERT INTO outbox (bus_partition, topic, payload, created_at) VALUES (?, ?, ?, ?)',
  );
  const moveHead = database.prepare(
    'UPDATE chain SET seq = ?, hash = ?, lease_until = ? WHERE id = ?',
  );

  return function append(
    lease: HeadLease,
    group: EventGroup,
    options: AppendOptions,
    nowMs: number,
  ): AppendResult {
    assertGroup(group);
    for (const change of group.changes) tables.check(change, lease.chainId);
    const row = heads.find(lease.chainId);
    if (row === undefined || row.fence !== lease.fence) return { kind: 'fenced' };
    // The caller's picture of the head is old: as good as a lost lease, it must take it again.
    if (!isContinuation(row, lease, group)) return { kind: 'fenced' };
    const scopes = idempotency.taken(group.idempotency);
    if (scopes.length > 0) return { kind: 'idempotency-taken', scopes };
    const stale = changes(group, lease.chainId);
    if (stale !== undefined) return { kind: 'stale', changeIndex: stale };
    onCrashPoint('changes');
    for (const event of group.events) insertEvent(row.id, event);
    onCrashPoint('events');
    for (const event of group.bus) {
      insertOutbox.run(event.partition, event.topic, JSON.stringify(event.payload), nowMs);
    }
    onCrashPoint('outbox');
    for (const record of group.idempotency) idempotency.insert(record);
    onCrashPoint('idempotency');
    const last = group.events.at(-1) ?? row;
    moveHead.run(last.seq, last.hash, renewedUntil(row, nowMs + options.ttlMs), row.id);
    if (options.release) heads.release(row);
    onCrashPoint('head');
    return { kind: 'appended', headWanted: row.wantedBy !== null };
  };
}

function eventWriter(database: DatabaseSync) {
  const insertEvent = database.prepare(
    `INSERT INTO audit_event (chain, seq, event_id, type, occurred_at, screening_id, action,
       decision, hash, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertOpen = database.prepare('INSERT INTO audit_open (chain, seq, open) VALUES (?, ?, ?)');
  return (chain: number, event: SealedEvent): void => {
    insertEvent.run(
      chain,
      event.seq,
      event.eventId,
      event.type,
      event.occurredAt,
      event.screeningId ?? null,
      event.action ?? null,
      event.decision ?? null,
      event.hash,
      event.body,
    );
    if (event.open !== undefined) insertOpen.run(chain, event.seq, event.open);
  };
}

/** Index of the first change that did not hold, with nothing of any of them left behind. */
function applyAll(database: DatabaseSync, tables: TableChanges) {
  return (group: EventGroup, chainId: ChainId): number | undefined => {
    if (group.changes.length === 0) return undefined;
    database.exec('SAVEPOINT changes');
    const stale = group.changes.findIndex((change) => !tables.apply(change, chainId));
    database.exec(stale < 0 ? 'RELEASE changes' : 'ROLLBACK TO changes; RELEASE changes');
    return stale < 0 ? undefined : stale;
  };
}

function idempotencyWriter(database: DatabaseSync) {
  const find = database.prepare(
    'SELECT 1 AS taken FROM idempotency WHERE scope = ? AND created_at > ?',
  );
  const put = database.prepare(
    `INSERT INTO idempotency (scope, fingerprint, created_at, answer) VALUES (?, ?, ?, ?)
     ON CONFLICT (scope) DO UPDATE SET fingerprint = excluded.fingerprint,
       created_at = excluded.created_at, answer = excluded.answer`,
  );

  function taken(records: readonly IdempotencyRecord[]): string[] {
    const stored = records.filter(
      ({ scope, createdAt }) => find.get(scope, createdAt - IDEMPOTENCY_KEPT_MS) !== undefined,
    );
    return [...new Set([...stored.map(({ scope }) => scope), ...scopesTwice(records)])];
  }

  function insert(record: IdempotencyRecord): void {
    const answer = JSON.stringify(record.answer);
    put.run(record.scope, record.fingerprint, record.createdAt, answer);
  }

  return { taken, insert };
}
