/**
 * Everything that a storage thread can be asked, by name. The names are the protocol between the
 * event loop and the threads; their types are the functions' own.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { OnCrashPoint } from '../crashPoints.ts';
import { appendGroup } from './appendGroup.ts';
import { auditReader, auditWriter } from './auditStore.ts';
import { batchReader, batchWriter } from './batchStore.ts';
import { identityReader, identityWriter } from './identityStore.ts';
import { listReader } from './listStore.ts';
import { leaseReader, leaseWriter } from './outboxLeases.ts';
import { outboxReader, outboxWriter } from './outboxStore.ts';
import { runReader, runWriter } from './runStore.ts';

const pinger = (database: DatabaseSync) => {
  const select = database.prepare("SELECT 1 FROM outbox_subscriber WHERE name = 'bus'");
  return { ping: (): boolean => select.get() !== undefined };
};

export const readOperations = (database: DatabaseSync) => ({
  ...pinger(database),
  ...auditReader(database),
  ...batchReader(database),
  ...identityReader(database),
  ...listReader(database),
  ...outboxReader(database),
  ...leaseReader(database),
  ...runReader(database),
});

export const writeOperations = (database: DatabaseSync, onCrashPoint: OnCrashPoint) => ({
  ...pinger(database),
  ...auditWriter(database),
  appendGroup: appendGroup(database, onCrashPoint),
  ...batchWriter(database),
  ...identityWriter(database),
  ...outboxWriter(database),
  ...leaseWriter(database),
  ...runWriter(database),
});

export type ReadOperations = ReturnType<typeof readOperations>;
export type WriteOperations = ReturnType<typeof writeOperations>;
