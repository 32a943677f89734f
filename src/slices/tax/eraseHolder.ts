/**
 * What becomes of the classifications and forms of a holder who is erased: tax law wants them for
 * some years; then the holder's data key is destroyed, and nobody reads any more what they were
 * classified by, or what they have signed.
 */
import { entry } from '#core/audit';
import { dataKeyTable } from '#core/blobs';
import { chainOf, everyRecord } from '#core/kernel';
import { type DataSubject, dutyEnd, type ErasureTerms, type HoldingErasure } from '#core/privacy';
import type { EpochMs } from '#platform/clock';
import { unreadable } from './classifySubject.ts';
import { formEntry, nextForm, withoutDue } from './formSteps.ts';
import { type TaxForm, taxFormTable } from './formTable.ts';
import { holderKey, holderTarget } from './holder.ts';
import type { TaxPorts } from './ports.ts';
import { type TaxClassification, taxClassificationTable } from './tables.ts';

/** What is stored of a holder. */
export type OfHolder = 'classifications' | 'forms';

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

/** All that a holder has signed, as they are stored. */
export async function formsOf(
  { tables }: Pick<TaxPorts, 'tables'>,
  { subjectRef, tenantId }: DataSubject,
): Promise<readonly TaxForm[]> {
  const found: TaxForm[] = [];
  if (subjectRef === undefined) return found;
  const ask = { equal: { subjectRef, tenantId }, index: 'bySubject' };
  for await (const one of everyRecord(tables, taxFormTable, ask)) found.push(one);
  return found;
}

/**
 * One key for all of a holder: the last of them decides; each kind tells its own rows. Its `erase`
 * throws `state-altered` where one is not what was signed.
 */
export const erasureOfHolder = (
  ports: TaxPorts,
  kind: OfHolder = 'classifications',
): HoldingErasure => ({
  async plan(subject, terms) {
    const held = await heldOf(ports, subject, terms);
    const rows = held?.[kind].length ?? 0;
    if (held === undefined || rows === 0) return [];
    const { until } = held;
    return until > terms.now
      ? [{ action: 'keep', rows, until, why: 'legal_duty' }]
      : [{ action: 'delete', rows, why: 'no_duty' }];
  },
  async erase(subject, order) {
    const { subjectRef } = subject;
    const held = await heldOf(ports, subject, order);
    if (subjectRef === undefined || held === undefined || held.until > order.now) return;
    const { classifications, forms, key } = held;
    const { keyId, version } = key;
    // Since when they are kept decides: it has to be what was signed.
    for (const one of classifications) await ports.signed.require(one);
    for (const one of forms) await ports.signedForms.require(one);
    // A form that nobody can read takes no place from what the same reference signs later.
    const rested = forms
      .filter(({ status }) => !ENDED.has(status))
      .map((form) => withoutDue(nextForm(form, { status: 'superseded' }, ports.clock.now())));
    const { actor } = order;
    const unread = classifications
      .filter(({ status }) => status !== 'superseded')
      .map((one) => unreadable(ports, { actor }, one));
    await ports.commit(chainOf(subject.tenantId), {
      bus: [],
      changes: [
        dataKeyTable.remove({ keyId }, version),
        ...rested.map((form) => taxFormTable.put(form, form.version - 1)),
        ...unread.map(({ change }) => change),
      ],
      events: [
        entry(ports, {
          action: 'tcr.holder.erased',
          actor,
          members: { classifications: classifications.length, forms: forms.length },
          target: holderTarget({ subjectRef, tenantId: subject.tenantId }),
        }),
        ...rested.map((record) =>
          formEntry(ports, { actor }, { action: 'tcr.form.rested', record }),
        ),
        ...unread.map(({ event }) => event),
      ],
    });
  },
  async *references(tenantId) {
    const ask = { equal: { tenantId }, index: 'key' };
    const all =
      kind === 'forms'
        ? everyRecord(ports.tables, taxFormTable, ask)
        : everyRecord(ports.tables, taxClassificationTable, ask);
    for await (const { subjectRef } of all) yield subjectRef;
  },
});

/** States after which no record is written any more. */
const ENDED: ReadonlySet<TaxForm['status']> = new Set(['incomplete', 'superseded']);

/** States of a form that the institution goes by. */
const STANDING: ReadonlySet<TaxForm['status']> = new Set([
  'expiring',
  'invalidated_by_change',
  'valid',
]);

/**
 * A law wants records for some years after their relation has ended, and not after they were made:
 * what stands was needed until the erasure was approved, what was replaced or is over until then.
 */
const neededUntil = (
  { createdAt, updatedAt }: Pick<TaxForm, 'createdAt' | 'updatedAt'>,
  isStanding: boolean,
  { asOf }: Pick<ErasureTerms, 'asOf'>,
): number => (isStanding ? Math.max(createdAt, asOf) : updatedAt);

/** Undefined where there is nothing, or nobody can read it any more. */
async function heldOf(
  ports: TaxPorts,
  subject: DataSubject,
  terms: Pick<ErasureTerms, 'asOf' | 'retentionYears'>,
) {
  const { subjectRef, tenantId } = subject;
  if (subjectRef === undefined) return undefined;
  const [classifications, forms] = await Promise.all([
    classificationsOf(ports, subject),
    formsOf(ports, subject),
  ]);
  const times = [
    ...classifications.map((one) => neededUntil(one, one.status !== 'superseded', terms)),
    ...forms.map((one) => neededUntil(one, STANDING.has(one.status), terms)),
  ];
  const key =
    times.length === 0 ? undefined : await ports.dataKeys.find(holderKey({ subjectRef, tenantId }));
  if (key === undefined) return undefined;
  const until = dutyEnd(Math.max(...times) as EpochMs, terms);
  return { classifications, forms, key, until };
}
