/** What screening holds of a person: the queries about him, and what came of them. */
import { signedEvents } from '#core/audit';
import { chainOf, type ScreeningId } from '#core/kernel';
import type { Holding } from '#core/privacy';
import { toTimestamp } from '#platform/clock';
import {
  erasureOfScreenings,
  registeredScreeningTable,
  screeningsOf,
  signedScreening,
} from '#slices/screening';
import type { SliceProcess } from '../../processes.ts';

export const holdings = (process: SliceProcess): readonly Holding[] => {
  const { clock, commit, keyRing, random, storage } = process;
  const { audit, tables } = storage;
  const ports = { audit, clock, events: signedEvents({ audit, keyRing }) };
  return [
    {
      erasure: erasureOfScreenings({ audit, clock, commit, random, tables }),
      async *files({ subjectRef, tenantId }) {
        if (subjectRef === undefined) return;
        for await (const row of screeningsOf(tables, { subjectRef, tenantId })) {
          const screeningId = row.screeningId as ScreeningId;
          if ((await audit.findByScreening(chainOf(tenantId), screeningId)) === undefined) continue;
          const { occurredAt, query, verdict } = await signedScreening(ports, row);
          yield {
            content: {
              channel: row.channel,
              decision: verdict.decision,
              // Lists by name and version; neither scores nor thresholds (customers.md 5.2).
              lists: verdict.references.map(({ list_version, source }) => ({
                list_version,
                source,
              })),
              occurred_at: toTimestamp(occurredAt),
              query: query ?? null,
              screening_id: row.screeningId,
            },
            name: `screenings/${row.screeningId}.json`,
          };
        }
      },
      store: registeredScreeningTable.name,
    },
  ];
};
