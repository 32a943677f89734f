/** What re-screening holds of a person: himself, as the tenant has him watched. */
import type { Holding } from '#core/privacy';
import { toTimestamp } from '#platform/clock';
import { erasureOfMonitored, monitoredTable } from '#slices/rescreening';
import { subjectKeyOfRef } from '#slices/screening';
import type { SliceProcess } from '../../processes.ts';

export const holdings = ({
  clock,
  commit,
  random,
  storage: { tables },
}: SliceProcess): readonly Holding[] => [
  {
    erasure: erasureOfMonitored({ clock, commit, random, tables }),
    async *files({ subjectRef, tenantId }) {
      if (subjectRef === undefined) return;
      const subjectId = subjectKeyOfRef(tenantId, subjectRef);
      const found = await tables.find(monitoredTable, { subjectId, tenantId });
      if (found?.subject === undefined) return;
      yield {
        content: {
          added_at: toTimestamp(found.addedAt),
          status: found.state,
          subject: found.subject,
          subject_ref: found.subjectRef,
        },
        name: 'watched.json',
      };
    },
    async identify({ subjectKey, subjectRef, tenantId }) {
      if (subjectKey === undefined || subjectRef !== undefined) return {};
      const found = await tables.find(monitoredTable, { subjectId: subjectKey, tenantId });
      return found === undefined ? {} : { subjectRef: found.subjectRef };
    },
    store: monitoredTable.name,
  },
];
