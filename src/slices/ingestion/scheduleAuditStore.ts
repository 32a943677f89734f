/** Signed changes of schedules as the slice reads them, over tables of whichever store. */
import type { Tables } from '#core/kernel';
import type { RunStore } from './ports.ts';
import { scheduleAuditTable } from './tables.ts';

/** The store over these tables. What is written is a change of a commit. */
export function scheduleAuditStore(
  tables: Pick<Tables, 'page'>,
): Pick<RunStore, 'listScheduleAudit'> {
  return {
    async listScheduleAudit({ before, limit, sourceId }) {
      const page = await tables.page(scheduleAuditTable, {
        direction: 'descending',
        equal: { sourceId },
        index: 'key',
        limit,
        ...(before !== undefined && { to: before }),
      });
      return page.records;
    },
  };
}
