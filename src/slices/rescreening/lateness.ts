/**
 * Customers who are not compared with the lists in force for hours: a state of operation that
 * begins and ends with an entry each, and is told each time.
 */
import { entry, StaleChange } from '#core/audit';
import { chainOf } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import type { EpochMs } from '#platform/clock';
import type { PinnedList } from '#slices/batches';
import type { PinnedRun, RescreeningPorts } from './ports.ts';
import type { PlacedEntry, SignedEntries } from './signedEntries.ts';
import { type Coverage, coverageTable } from './tables.ts';

/** Time that a version of a list may be in force without all customers being compared with it. */
export const LATE_AFTER_MS = 4 * 3_600_000;

/** When the first list that the customers are not compared with was published; absent: none. */
export function behindSince(
  { coveredAt, lists }: Pick<Coverage, 'coveredAt' | 'lists'>,
  wanted: readonly Pick<PinnedList, 'list_version' | 'published_at' | 'source'>[],
): EpochMs | undefined {
  // Before the first run each customer is screened by himself.
  if (coveredAt === undefined) return undefined;
  const known = new Map(lists.map((list) => [list.source, list.list_version]));
  const others = wanted.filter((list) => known.get(list.source) !== list.list_version);
  // A list that is switched on is older than the wish to have it.
  const published = others.map((list) => Math.max(list.published_at, coveredAt));
  return published.length === 0 ? undefined : (Math.min(...published) as EpochMs);
}

/**
 * Since when they are behind, where that was told: as entries say it. The row only sees to it that
 * two workers do not tell it both.
 */
export async function toldLateSince(
  entries: Pick<SignedEntries, 'read' | 'since'>,
  { coveredAt, tenantId }: Coverage,
): Promise<EpochMs | undefined> {
  const fromSeq = coveredAt === undefined ? 1 : await entries.since(tenantId, coveredAt);
  let told: PlacedEntry | undefined;
  const late = { action: 'SANCTIONS_RESCREENING_LATE', fromSeq } as const;
  for await (const one of entries.read(tenantId, late)) told = one;
  if (told === undefined) return undefined;
  const ended = { action: 'SANCTIONS_RESCREENING_COMPLETED', fromSeq: told.seq } as const;
  for await (const { entry: run } of entries.read(tenantId, ended)) {
    if (run.mode !== 'new') return undefined;
  }
  return Number(told.entry.behind_since) as EpochMs;
}

/** Tells once that the customers are behind for too long. */
export async function tellLateness(
  ports: Pick<RescreeningPorts, 'clock' | 'commit' | 'entries' | 'figures' | 'random'>,
  of: { readonly coverage: Coverage; readonly pinned: PinnedRun },
): Promise<void> {
  const { coverage, pinned } = of;
  const { tenantId } = coverage;
  const since = behindSince(coverage, pinned.listsPinned);
  const now = ports.clock.now();
  ports.figures?.planned(tenantId, since);
  if (since === undefined || now - since < LATE_AFTER_MS) return;
  if ((await toldLateSince(ports.entries, coverage)) !== undefined) return;
  const next: Coverage = { ...coverage, lateSince: since, version: coverage.version + 1 };
  const members = {
    behind_since: since,
    list_version: pinned.listVersion,
    lists: canonicalJson(pinned.listsPinned.map((list) => list.list_version)),
  };
  try {
    await ports.commit(chainOf(tenantId), {
      bus: [
        {
          partition: tenantId,
          payload: {
            behind_since: since,
            list_version: pinned.listVersion,
            schema: 'sanctions.rescreening.late.v1',
          },
          topic: 'sanctions.rescreening.late',
        },
      ],
      changes: [coverageTable.put(next, coverage.version)],
      events: [
        entry(ports, {
          action: 'SANCTIONS_RESCREENING_LATE',
          actor: 'system:rescreening',
          at: now,
          members,
          severity: 'ALERT',
          target: 'monitored_subjects',
        }),
      ],
    });
  } catch (error) {
    // Another worker has told it, or a run has ended meanwhile.
    if (!(error instanceof StaleChange)) throw error;
  }
}
