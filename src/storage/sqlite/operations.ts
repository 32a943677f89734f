/**
 * Everything that a storage thread can be asked, by name. The names are the protocol between the
 * event loop and the threads; their types are the functions' own.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { PlainTable } from '#core/kernel';
import type { OnCrashPoint } from '../crashPoints.ts';
import { appendGroup } from './appendGroup.ts';
import { auditSearch } from './auditSearch.ts';
import { auditReader, auditWriter } from './auditStore.ts';
import { leaseReader, leaseWriter } from './outboxLeases.ts';
import { outboxReader, outboxWriter } from './outboxStore.ts';
import { tableChanges } from './table/changes.ts';
import { layoutsOf } from './table/layout.ts';
import { tableLeaseReader, tableLeaseWriter } from './table/leases.ts';
import { tableReader } from './table/reads.ts';
import { prepareOnce } from './table/statements.ts';
import { tableWorkWriter } from './table/work.ts';

const pinger = (database: DatabaseSync) => {
  const select = database.prepare("SELECT 1 FROM outbox_subscriber WHERE name = 'bus'");
  return { ping: (): boolean => select.get() !== undefined };
};

export function readOperations(database: DatabaseSync, tables: readonly PlainTable[] = []) {
  const layouts = layoutsOf(tables);
  const prepare = prepareOnce(database);
  return {
    ...pinger(database),
    ...auditReader(database),
    ...auditSearch(database),
    ...leaseReader(database),
    ...outboxReader(database),
    ...tableLeaseReader(database, prepare, layouts),
    ...tableReader(database, prepare, layouts),
  };
}

export function writeOperations(
  database: DatabaseSync,
  onCrashPoint: OnCrashPoint,
  tables: readonly PlainTable[] = [],
) {
  const layouts = layoutsOf(tables);
  const prepare = prepareOnce(database);
  return {
    ...pinger(database),
    ...auditWriter(database),
    appendGroup: appendGroup(database, onCrashPoint, tableChanges(prepare, layouts)),
    ...leaseWriter(database),
    ...outboxWriter(database),
    ...tableLeaseWriter(prepare, layouts),
    ...tableWorkWriter(prepare, layouts),
  };
}

export type ReadOperations = ReturnType<typeof readOperations>;
export type WriteOperations = ReturnType<typeof writeOperations>;
