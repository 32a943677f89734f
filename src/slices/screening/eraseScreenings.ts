/**
 * What becomes of the screenings of a person who is erased: each is evidence that a law wants for
 * some years, with the name that was screened; then the name goes and the evidence stays.
 */
import { type AuditStore, type CommitEvidence, type EntryContext, eraseOpenOf } from '#core/audit';
import { chainOf, everyRecord, type ScreeningId, type Tables } from '#core/kernel';
import {
  type DataSubject,
  dutyEnd,
  type ErasureTerms,
  type HoldingErasure,
  plannedByDuty,
} from '#core/privacy';
import { subjectKeyOfRef } from './registerRows.ts';
import { type RegisteredScreening, registeredScreeningTable } from './tables.ts';

/** What screenings are erased with. */
export interface EraseScreeningsPorts extends EntryContext {
  readonly audit: Pick<AuditStore, 'eraseOpen' | 'findByScreening'>;
  readonly commit: CommitEvidence;
  readonly tables: Pick<Tables, 'page'>;
}

/** Rows of the register about one reference. */
export const screeningsOf = (
  tables: Pick<Tables, 'page'>,
  { subjectRef, tenantId }: Pick<DataSubject, 'tenantId'> & { readonly subjectRef: string },
): AsyncIterable<RegisteredScreening> =>
  everyRecord(tables, registeredScreeningTable, {
    equal: { subjectKey: subjectKeyOfRef(tenantId, subjectRef), tenantId },
    index: 'bySubject',
  });

/** By the evidence that still has a name. */
export const erasureOfScreenings = (ports: EraseScreeningsPorts): HoldingErasure => ({
  async plan(subject, terms) {
    const ends = [];
    for await (const { occurredAt } of named(ports, subject, terms)) {
      ends.push(dutyEnd(occurredAt, terms));
    }
    return plannedByDuty(ends, { kept: 'keep', now: terms.now });
  },
  async erase(subject, order) {
    const chainId = chainOf(subject.tenantId);
    const { audit: store, clock, commit, random } = ports;
    for await (const row of named(ports, subject, order)) {
      if (dutyEnd(row.occurredAt, order) > order.now) continue;
      const { actor, reason } = order;
      await eraseOpenOf({ audit: { commit }, clock, random, store }, row.event, {
        actor,
        chainId,
        reason,
        target: row.screeningId,
      });
    }
  },
});

async function* named(
  { audit, tables }: Pick<EraseScreeningsPorts, 'audit' | 'tables'>,
  { subjectRef, tenantId }: DataSubject,
  { asOf }: Pick<ErasureTerms, 'asOf'>,
) {
  if (subjectRef === undefined) return;
  for await (const { occurredAt, screeningId } of screeningsOf(tables, { subjectRef, tenantId })) {
    if (occurredAt > asOf) continue;
    const event = await audit.findByScreening(chainOf(tenantId), screeningId as ScreeningId);
    if (event?.open !== undefined) yield { event, occurredAt, screeningId };
  }
}
