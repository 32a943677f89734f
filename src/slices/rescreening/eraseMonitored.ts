/**
 * What becomes of a watched customer who is erased: he is watched no more, what was known of him
 * goes at once, and a pseudonym stands where his reference stood.
 */
import { overwrite } from '#core/audit';
import { chainOf, everyRecord } from '#core/kernel';
import type { DataSubject, ErasureTerms, HoldingErasure } from '#core/privacy';
import { subjectKeyOfRef } from '#slices/screening';
import type { RegisterPorts } from './ports.ts';
import { removedStep } from './registerSubjects.ts';
import { type MonitoredSubject, monitoredTable } from './tables.ts';

/** One row a reference. */
export const erasureOfMonitored = (ports: RegisterPorts): HoldingErasure => ({
  async plan(subject, terms) {
    const found = await watched(ports, subject, terms);
    return found === undefined ? [] : [{ action: 'delete', rows: 1, why: 'no_duty' }];
  },
  erase: (subject, order) =>
    overwrite(async () => {
      const found = await watched(ports, subject, order);
      if (found === undefined) return;
      const { actor, pseudonym } = order;
      const { changes, events } = removedStep(ports, found, { actor, subjectRef: pseudonym });
      await ports.commit(chainOf(subject.tenantId), { bus: [], changes, events });
    }),
  async *references(tenantId) {
    const ask = { equal: { tenantId }, index: 'key' };
    for await (const one of everyRecord(ports.tables, monitoredTable, ask)) yield one.subjectRef;
  },
});

async function watched(
  { tables }: Pick<RegisterPorts, 'tables'>,
  { subjectRef, tenantId }: DataSubject,
  { asOf }: Pick<ErasureTerms, 'asOf'>,
): Promise<MonitoredSubject | undefined> {
  if (subjectRef === undefined) return undefined;
  const subjectId = subjectKeyOfRef(tenantId, subjectRef);
  const found = await tables.find(monitoredTable, { subjectId, tenantId });
  return found?.subjectRef === subjectRef && found.updatedAt <= asOf ? found : undefined;
}
