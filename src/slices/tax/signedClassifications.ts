/**
 * Classifications are compared with the chain (decision 3.1b): each revision has an entry with its
 * digest. What was changed, put back or removed past the service is refused by name before anything
 * is decided by it.
 */
import { type SignedRecordPorts, SignedRecords } from '#core/audit';
import { chainOf, DomainError, everyRecord, type Tables, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import { type TaxClassification, taxClassificationTable } from './tables.ts';

const ACTIONS = ['tcr.classification.made', 'tcr.classification.superseded'];

/** SHA-256 hex of all of a record. */
export const classificationDigest = (record: TaxClassification): string =>
  sha256Hex(`tax-classification-v1\0${canonicalJson(record as never)}`);

/** As entries name it. */
export const targetOf = ({ classificationId }: Pick<TaxClassification, 'classificationId'>) =>
  `tax-classification:${classificationId}`;

/** One for a process. */
export interface SignedClassifications {
  /** The record; rejects with `state-altered` where it is not what was signed. */
  require(record: TaxClassification): Promise<TaxClassification>;
  /** All of a tenant that are not what was signed, in words. */
  check(tenantId: TenantId): Promise<readonly string[]>;
}

export function signedClassifications(
  ports: SignedRecordPorts & { readonly tables: Pick<Tables, 'find' | 'page'> },
): SignedClassifications {
  const { tables } = ports;
  const records = new SignedRecords(ports, {
    actions: ACTIONS,
    digestIn: (entry) => entry.classification_digest as string | undefined,
    keysOf: ({ target }) => [String(target)],
  });
  const look = ({ classificationId, tenantId }: TaxClassification) =>
    records.settled(
      chainOf(tenantId),
      () => tables.find(taxClassificationTable, { classificationId, tenantId }),
      (found) => ({
        digest: found ? classificationDigest(found) : null,
        key: targetOf({ classificationId }),
      }),
    );
  return {
    async require(record) {
      const { found, refusal } = await look(record);
      if (refusal === undefined && found !== undefined) return found;
      throw new DomainError('state-altered', {
        detail: `classification ${record.classificationId}: ${refusal ?? 'its record is gone'}`,
      });
    },
    async check(tenantId) {
      const refusals: string[] = [];
      const known = new Set<string>();
      const walk = { equal: { tenantId }, index: 'key' };
      for await (const record of everyRecord(tables, taxClassificationTable, walk)) {
        known.add(targetOf(record));
        const { refusal } = await look(record);
        if (refusal !== undefined) refusals.push(`${targetOf(record)}: ${refusal}`);
      }
      const gone = await records.missing(chainOf(tenantId), known);
      return [...refusals, ...gone.map((name) => `${name}: its record is gone`)];
    },
  };
}
