/**
 * What becomes of the classifications of a holder who is erased: tax law wants them for some years;
 * then the holder's data key is destroyed, and nobody reads any more what they were classified by.
 */
import { entry } from '#core/audit';
import { dataKeyTable } from '#core/blobs';
import { chainOf, everyRecord } from '#core/kernel';
import { type DataSubject, dutyEnd, type ErasureTerms, type HoldingErasure } from '#core/privacy';
import type { EpochMs } from '#platform/clock';
import { sha256Hex } from '#platform/crypto';
import { holderKey } from './classificationContent.ts';
import type { TaxPorts } from './ports.ts';
import { type TaxClassification, taxClassificationTable } from './tables.ts';

/** All of a holder, as they are stored. */
export async function classificationsOf(
  { tables }: Pick<TaxPorts, 'tables'>,
  { subjectRef, tenantId }: DataSubject,
): Promise<readonly TaxClassification[]> {
  const found: TaxClassification[] = [];
  if (subjectRef === undefined) return found;
  const ask = { equal: { subjectRef, tenantId }, index: 'bySubject' };
  for await (const one of everyRecord(tables, taxClassificationTable, ask)) found.push(one);
  return found;
}

/** One key for all of a holder: the last of them decides. */
export const erasureOfHolder = (ports: TaxPorts): HoldingErasure => ({
  async plan(subject, terms) {
    const held = await heldOf(ports, subject, terms);
    if (held === undefined) return [];
    const { rows, until } = held;
    return until > terms.now
      ? [{ action: 'keep', rows, until, why: 'legal_duty' }]
      : [{ action: 'delete', rows, why: 'no_duty' }];
  },
  async erase(subject, order) {
    const held = await heldOf(ports, subject, order);
    if (held === undefined || held.until > order.now) return;
    const { keyId, version } = held.key;
    await ports.commit(chainOf(subject.tenantId), {
      bus: [],
      changes: [dataKeyTable.remove({ keyId }, version)],
      events: [
        entry(ports, {
          action: 'tcr.holder.erased',
          actor: order.actor,
          members: { classifications: held.rows },
          target: `tax-holder:${sha256Hex(keyId)}`,
        }),
      ],
    });
  },
  async *references(tenantId) {
    const ask = { equal: { tenantId }, index: 'key' };
    for await (const one of everyRecord(ports.tables, taxClassificationTable, ask)) {
      yield one.subjectRef;
    }
  },
});

/** Undefined where there is nothing, or nobody can read it any more. */
async function heldOf(
  ports: TaxPorts,
  subject: DataSubject,
  terms: Pick<ErasureTerms, 'retentionYears'>,
) {
  const found = await classificationsOf(ports, subject);
  const { subjectRef, tenantId } = subject;
  if (subjectRef === undefined || found.length === 0) return undefined;
  const key = await ports.dataKeys.find(holderKey({ subjectRef, tenantId }));
  if (key === undefined) return undefined;
  const last = Math.max(...found.map(({ createdAt }) => createdAt)) as EpochMs;
  return { key, rows: found.length, until: dutyEnd(last, terms) };
}
