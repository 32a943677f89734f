/**
 * Records of one table, compared with the chain (decision 3.1b): each revision has an entry with
 * its digest. What was changed, put back or removed past the service is refused by name before
 * anything is decided by it.
 */
import { type SignedRecordPorts, SignedRecords } from '#core/audit';
import {
  chainOf,
  DomainError,
  everyRecord,
  type FieldOf,
  type Table,
  type Tables,
  type TenantId,
} from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';

/** A record of a tenant. */
export interface OfTenant {
  readonly tenantId: TenantId;
}

/** How the records of a table are signed. */
export interface SignedTableOf<R extends OfTenant, K extends FieldOf<R>> {
  readonly table: Table<R, K>;
  /** What a record is called in a refusal. */
  readonly noun: string;
  readonly actions: readonly string[];
  /** Member of an entry that holds the digest. */
  readonly member: string;
  readonly digestOf: (record: R) => string;
  readonly targetOf: (record: R) => string;
  /** Member of an entry that names the record; absent: `target`. */
  readonly named?: string;
}

/** One for a table and a process. */
export interface SignedTable<R extends OfTenant> {
  /** The record; rejects with `state-altered` where it is not what was signed. */
  require(record: R): Promise<R>;
  /** All of a tenant that are not what was signed, in words. */
  check(tenantId: TenantId): Promise<readonly string[]>;
}

/** SHA-256 hex of all of a record, under a label of its kind. */
export const digestOfRecord =
  <R extends object>(label: string) =>
  (record: R): string =>
    sha256Hex(`${label}\0${canonicalJson(record as never)}`);

export function signedTable<R extends OfTenant, K extends FieldOf<R>>(
  ports: SignedRecordPorts & { readonly tables: Pick<Tables, 'find' | 'page'> },
  of: SignedTableOf<R, K>,
): SignedTable<R> {
  const { tables } = ports;
  const { digestOf, member, named = 'target', noun, table, targetOf } = of;
  const records = new SignedRecords(ports, {
    actions: of.actions,
    digestIn: (entry) => entry[member] as string | undefined,
    keysOf: (entry) => (typeof entry[named] === 'string' ? [entry[named]] : []),
  });
  const keyOf = (record: R) =>
    Object.fromEntries(table.spec.key.map((name) => [name, record[name]])) as Pick<R, K>;
  const look = (record: R) =>
    records.settled(
      chainOf(record.tenantId),
      () => tables.find(table, keyOf(record)),
      (found) => ({ digest: found ? digestOf(found) : null, key: targetOf(record) }),
    );
  return {
    async require(record) {
      const { found, refusal } = await look(record);
      if (refusal === undefined && found !== undefined) return found;
      throw new DomainError('state-altered', {
        detail: `${noun} ${targetOf(record)}: ${refusal ?? 'its record is gone'}`,
      });
    },
    async check(tenantId) {
      const refusals: string[] = [];
      const known = new Set<string>();
      const walk = { equal: { tenantId }, index: 'key' };
      for await (const record of everyRecord(tables, table, walk)) {
        known.add(targetOf(record));
        const { refusal } = await look(record);
        if (refusal !== undefined) refusals.push(`${targetOf(record)}: ${refusal}`);
      }
      const gone = await records.missing(chainOf(tenantId), known);
      return [...refusals, ...gone.map((name) => `${name}: its record is gone`)];
    },
  };
}
