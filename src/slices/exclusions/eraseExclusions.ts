/**
 * What becomes of decisions that an erased person is somebody else than a listed party: those that
 * hold end, for nobody is screened any more by them, and a pseudonym stands where the reference
 * stood, while a law wants the evidence of why a hit was none. Then the reason in words goes, too.
 */
import { overwrite } from '#core/audit';
import { everyRecord } from '#core/kernel';
import {
  type DataSubject,
  dutyEnd,
  type ErasureOrder,
  type ErasureTerms,
  type HoldingErasure,
  type PlannedErasure,
} from '#core/privacy';
import type { EpochMs } from '#platform/clock';
import { exclusionDigest, isOpen } from './exclusion.ts';
import type { ExclusionPorts } from './ports.ts';
import { commitStep, stepOf } from './stepOf.ts';
import { type ExclusionRecord, exclusionTable } from './tables.ts';

/** Exclusions of one commit, well below what one may change. */
const PER_COMMIT_MAX = 200;

/** Exclusions about the person by reference, or by the pseudonym that stands there. */
export async function exclusionsOf(
  { tables }: Pick<ExclusionPorts, 'tables'>,
  { pseudonym, subjectRef, tenantId }: DataSubject,
  { asOf }: Pick<ErasureTerms, 'asOf'>,
): Promise<readonly ExclusionRecord[]> {
  const found: ExclusionRecord[] = [];
  const names = [subjectRef, pseudonym].filter((name) => name !== undefined);
  const ask = { equal: { tenantId }, index: 'newest', to: asOf + 1 };
  for await (const one of everyRecord(tables, exclusionTable, ask)) {
    if (one.subjectRef !== undefined && names.includes(one.subjectRef)) found.push(one);
  }
  return found;
}

/** Exclusions by their fate. */
export const erasureOfExclusions = (ports: ExclusionPorts): HoldingErasure => ({
  async plan(subject, terms) {
    const found = await exclusionsOf(ports, subject, terms);
    const lasting = found.filter((one) => !isOver(one, terms));
    const over = found.filter((one) => isOver(one, terms) && !isErased(one, subject)).length;
    const rows: PlannedErasure[] = [];
    if (over > 0) rows.push({ action: 'delete', rows: over, why: 'no_duty' });
    if (lasting.length > 0) {
      const until = Math.max(...lasting.map((one) => endOf(one, terms))) as EpochMs;
      rows.push({ action: 'pseudonymise', rows: lasting.length, until, why: 'legal_duty' });
    }
    return rows;
  },
  erase: (subject, order) =>
    overwrite(async () => {
      const found = await exclusionsOf(ports, subject, order);
      const changed = found.filter((one) => isChanged(one, nextOf(one, order)));
      for (let from = 0; from < changed.length; from += PER_COMMIT_MAX) {
        await commitSome(ports, changed.slice(from, from + PER_COMMIT_MAX), order);
      }
    }),
  async *references(tenantId) {
    const ask = { equal: { tenantId }, index: 'newest' };
    for await (const { subjectRef } of everyRecord(ports.tables, exclusionTable, ask)) {
      if (subjectRef !== undefined) yield subjectRef;
    }
  },
});

const endOf = ({ createdAt }: ExclusionRecord, terms: Pick<ErasureTerms, 'retentionYears'>) =>
  dutyEnd(createdAt, terms);
const isOver = (one: ExclusionRecord, terms: Pick<ErasureTerms, 'now' | 'retentionYears'>) =>
  endOf(one, terms) <= terms.now;
const isErased = ({ reason, subjectRef }: ExclusionRecord, { pseudonym }: DataSubject): boolean =>
  reason === '' && subjectRef === pseudonym;

/** Ended where it holds, under the pseudonym, and without words once no duty wants them. */
function nextOf(before: ExclusionRecord, order: ErasureOrder): ExclusionRecord {
  return {
    ...before,
    subjectRef: order.pseudonym,
    ...(isOver(before, order) && { reason: '' }),
    ...(isOpen(before) && {
      endedAt: order.now,
      endedBy: order.actor,
      state: 'revoked' as const,
    }),
  };
}

const isChanged = (before: ExclusionRecord, after: ExclusionRecord): boolean =>
  exclusionDigest(before) !== exclusionDigest(after);

async function commitSome(
  ports: ExclusionPorts,
  some: readonly ExclusionRecord[],
  order: ErasureOrder,
): Promise<void> {
  const [first] = some;
  if (first === undefined) return;
  const { tenantId } = first;
  const step = await stepOf(ports, {
    action: 'SANCTIONS_EXCLUSION_ERASED',
    by: { actor: order.actor, isPerson: false, tenantId },
    steps: some.map((before) => ({
      after: { ...nextOf(before, order), version: before.version + 1 },
      before,
    })),
  });
  await commitStep(ports, tenantId, step);
}
