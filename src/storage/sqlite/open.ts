/**
 * The embedded store: one file under the data directory, one thread that writes and one that reads
 * in each process. Gateways, workers and the command line of one host share the file.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { AuditStore } from '#core/audit';
import { type AnyTable, plainTable } from '#core/kernel';
import type { Outbox } from '#core/reactions';
import type { Clock } from '#platform/clock';
import { mustWait, pulseOf } from '../headLease.ts';
import { HeadWatch } from '../headWatch.ts';
import { PURGE_ROWS_MAX } from '../limits.ts';
import type { Storage } from '../storage.ts';
import type { ReadOperations, WriteOperations } from './operations.ts';
import { tablesStore } from './table/tablesStore.ts';
import { openThread, type ThreadClient } from './threadClient.ts';

interface Threads {
  readonly reader: ThreadClient<ReadOperations>;
  readonly writer: ThreadClient<WriteOperations>;
  readonly clock: Clock;
  readonly onWarning: (text: string) => void;
}

/** A reader in the way of emptying the log needs milliseconds; a second is patience enough. */
const TRUNCATE_TRIES_MAX = 40;
const TRUNCATE_RETRY_MS = 25;

export async function openSqliteStorage(options: {
  dataDir: string;
  clock: Clock;
  tables?: readonly AnyTable[];
  onWarning?: (text: string) => void;
  /** One of the two threads has died: every call fails from here on. */
  onFatal?: (error: Error) => void;
}): Promise<Storage> {
  const file = join(options.dataDir, 'store', 'compliance.sqlite');
  // The writer first: it makes and migrates the file.
  const { onFatal, onWarning = () => {} } = options;
  const tables = (options.tables ?? []).map(plainTable);
  const life = { onWarning, tables, ...(onFatal && { onFatal }) };
  const writer = await openThread<WriteOperations>(file, 'write', life);
  const reader = await openThread<ReadOperations>(file, 'read', life);
  const threads = { reader, writer, clock: options.clock, onWarning };
  return {
    technology: 'sqlite',
    capabilities: { supportsMultiDocumentTransactions: true, supportsManyHosts: false },
    audit: auditStore(threads),
    outbox: outboxStore(threads),
    tables: tablesStore(threads, tables),
    heldHeads: () => reader.call('heldHeads'),
    time: async () => undefined,
    ping: async () => void (await Promise.all([reader.call('ping'), writer.call('ping')])),
    close: async () => void (await Promise.all([reader.close(), writer.close()])),
  };
}

function auditStore({ reader, writer, clock, onWarning }: Threads): AuditStore {
  const watch = new HeadWatch(clock);
  return {
    async takeHead(ask) {
      const found = await reader.call('findHead', ask.chainId);
      const isSilent = found !== undefined && watch.isSilent(ask, found);
      // Spares a waiting process the write lock while nothing has changed.
      if (found !== undefined && !isSilent && mustWait(found, ask)) return undefined;
      const silent = isSilent && { silentAt: pulseOf(found) };
      return writer.call('takeHead', ask, { nowMs: clock.now(), ...silent });
    },
    releaseHead: (lease) => writer.call('releaseHead', lease),
    appendGroup: (lease, group, options) =>
      writer.call('appendGroup', lease, group, options, clock.now()),
    head: (chainId) => reader.call('head', chainId),
    readEvents: (page) => reader.call('readEvents', page),
    lastEntries: (ask) => reader.call('lastEntries', ask),
    searchEvents: (search) => reader.call('searchEvents', search),
    findBySeq: (chainId, seq) => reader.call('findBySeq', chainId, seq),
    findByEventId: (chainId, id) => reader.call('findByEventId', chainId, id),
    findByScreening: (chainId, id) => reader.call('findByScreening', chainId, id),
    findByScreenings: (chainId, ids) => reader.call('findByScreenings', chainId, ids),
    async eraseOpen(chainId, seq) {
      const isErased = await writer.call('eraseOpen', chainId, seq);
      // The log still holds what the table has overwritten.
      const isGone = await untilTrue(() => writer.truncateLog());
      if (!isGone)
        onWarning('erased members stay in the write-ahead log until its next truncation');
      return isErased;
    },
    findIdempotency: (scope, notBefore) => reader.call('findIdempotency', scope, notBefore),
    purgeIdempotency: (before) => repeat(() => writer.call('purgeIdempotency', before)),
    saveCheckpoint: (checkpoint) => writer.call('saveCheckpoint', checkpoint),
    latestCheckpoint: (chainId) => reader.call('latestCheckpoint', chainId),
    listChains: (which) => reader.call('listChains', which),
  };
}

function outboxStore({ reader, writer }: Threads): Outbox {
  return {
    subscribe: (subscriptions) => writer.call('subscribe', subscriptions),
    unsubscribe: (subscriber) => writer.call('unsubscribe', subscriber),
    readFor: (subscriber, limit) => reader.call('readFor', subscriber, limit),
    findBehind: (subscribers) => reader.call('findBehind', subscribers),
    markDone: (subscriber, token) => writer.call('markDone', subscriber, token),
    readKept: (page) => reader.call('readKept', page),
    figures: () => reader.call('figures'),
    purge: (before) => repeat(() => writer.call('purge', before)),
    findLease: (subscriber) => reader.call('findLease', subscriber),
    takeLease: (seen, holder) => writer.call('takeLease', seen, holder),
    renewLease: (turn) => writer.call('renewLease', turn),
    releaseLease: (turn) => writer.call('releaseLease', turn),
    setAside: (record) => writer.call('setAside', record),
    findSetAside: (subscriber, eventId) => reader.call('findSetAside', subscriber, eventId),
    findWanted: (subscribers) => reader.call('findWanted', subscribers),
    listSetAside: (page) => reader.call('listSetAside', page),
    retrySetAside: (subscriber, eventId) => writer.call('retrySetAside', subscriber, eventId),
    dropSetAside: (subscriber, eventId) => writer.call('dropSetAside', subscriber, eventId),
  };
}

/** Steps of a purge, each its own transaction, until one has found less than it could take. */
async function repeat(step: () => Promise<number>): Promise<number> {
  let total = 0;
  for (;;) {
    const count = await step();
    total += count;
    if (count < PURGE_ROWS_MAX) return total;
  }
}

async function untilTrue(attempt: () => Promise<boolean>): Promise<boolean> {
  for (let tries = 1; !(await attempt()); tries++) {
    if (tries === TRUNCATE_TRIES_MAX) return false;
    await delay(TRUNCATE_RETRY_MS);
  }
  return true;
}
