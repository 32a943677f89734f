/** What the log is read with, from whatever process holds the installation; one for each. */
import { type AuditStore, Erasures, type KeyRing } from '#core/audit';
import type { DataKeys } from '#core/blobs';
import type { Tables } from '#core/kernel';
import type { LogPorts } from './readLog.ts';

/** What a process of any kind has for it. */
export interface LogMeans {
  readonly dataKeys: DataKeys;
  readonly keyRing: KeyRing;
  readonly storage: { readonly audit: AuditStore; readonly tables: Tables };
  once<Part>(make: (process: this) => Part): Part;
}

/** Ports of the log that also look several rows up at once. */
export type OpenLog = LogPorts & {
  readonly audit: AuditStore;
  readonly tables: Pick<Tables, 'find' | 'findMany' | 'page'>;
};

/** One for the process: which erasures are on record is read once. */
export const openLogOf = (process: LogMeans): OpenLog => process.once(open);

function open({ dataKeys, keyRing, storage: { audit, tables } }: LogMeans): OpenLog {
  return { audit, dataKeys, erasures: new Erasures({ audit, keyRing }), keyRing, tables };
}
