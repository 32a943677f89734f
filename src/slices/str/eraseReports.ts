/**
 * Reports are kept for ten years after the authority has acknowledged them or, where they were
 * never filed, after their last change. Then their data keys are destroyed: what they said is gone,
 * also from blobs that cannot be removed, and the evidence of what was done stays.
 */
import { dataKeyTable } from '#core/blobs';
import { chainOf } from '#core/kernel';
import { strKeyId } from './contentStore.ts';
import { KEPT_YEARS } from './limits.ts';
import type { StrWritePorts } from './ports.ts';
import { nextReport, putNext, strEntry } from './strRecord.ts';
import { type StrReport, strReportTable } from './tables.ts';

const YEAR_MS = 365.25 * 24 * 3_600_000;
/** Reports of one look. */
const REPORTS_MAX = 200;

/**
 * How many were erased. A report that is with the authority is not. One that was altered keeps
 * nothing of the others: it is thrown for once they are done.
 */
export async function eraseReports(ports: StrWritePorts): Promise<number> {
  const before = ports.clock.now() - KEPT_YEARS * YEAR_MS;
  const { records } = await ports.tables.page(strReportTable, {
    equal: { isKept: true },
    index: 'oldest',
    limit: REPORTS_MAX,
    to: before,
  });
  const over = records.filter(({ status }) => status !== 'submitted');
  const faults: unknown[] = [];
  for (const report of over) {
    try {
      await erase(ports, await ports.signed.require(report));
    } catch (error) {
      faults.push(error);
    }
  }
  if (faults.length > 0) throw faults[0];
  return over.length;
}

async function erase(ports: StrWritePorts, report: StrReport): Promise<void> {
  const { strId, tenantId } = report;
  const key = await ports.dataKeys.find({ keyId: strKeyId(strId), tenantId });
  const now = ports.clock.now();
  const next = nextReport(report, { erasedAt: now, updatedAt: now });
  const gone = key && ports.dataKeys.without(key, []);
  await ports.commit(chainOf(tenantId), {
    bus: [],
    changes: [
      putNext(report, next),
      ...(gone && key ? [dataKeyTable.put(gone.record, key.version)] : []),
    ],
    events: [strEntry(ports, { action: 'str.erased', actor: 'system:str', report: next })],
  });
}
