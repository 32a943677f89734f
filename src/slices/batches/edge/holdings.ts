/** What batches hold of a person: what was found of him under his reference, and when. */
import type { Holding } from '#core/privacy';
import { toTimestamp } from '#platform/clock';
import { batchesWith, batchTable, erasureOfPersons, resultsOf } from '#slices/batches';
import type { SliceProcess } from '../../processes.ts';
import { erasurePortsOf } from './erasurePorts.ts';

export const holdings = (process: SliceProcess): readonly Holding[] => [
  {
    get erasure() {
      return erasureOfPersons(process.once(erasurePortsOf));
    },
    async *files(subject) {
      const ports = process.once(erasurePortsOf);
      const asOf = process.clock.now();
      for await (const found of batchesWith(ports, subject, { asOf })) {
        const { batchId, requestedAt } = found.batch;
        for await (const { decision, ordinal, subject: sent } of resultsOf(ports, found)) {
          yield {
            content: {
              batch_id: batchId,
              // Neither scores nor thresholds (customers.md 5.2).
              decision,
              requested_at: toTimestamp(requestedAt),
              subject: sent,
            },
            name: `batches/${batchId}-${ordinal}.json`,
          };
        }
      }
    },
    store: batchTable.name,
  },
];
