/**
 * Fires that tenants have added to the schedules of lists (`cadence_override` of their policies).
 * They come beside the platform's own: one that would break the spacing of the source's fires, with
 * what has fired or will fire, is left out, so that nobody slows a list or makes it too frequent.
 */
import type { EpochMs } from '#platform/clock';
import type { ListSource } from '#slices/lists';
import { latestFire, nextFires } from './schedule.ts';

const SPACING_MS = 60_000;
const OFAC_SPACING_MS = 3_600_000;

/** The fires that tenants have added, as Quartz expressions by source. */
export type Cadences = Readonly<Record<string, readonly string[]>>;

/** The latest added fire that is due; undefined where there is none. */
export function dueCadence(
  source: ListSource,
  cadences: readonly string[],
  now: EpochMs,
): EpochMs | undefined {
  const { cronDelta, cronFull, fires, sourceId, updatedAt } = source;
  const spacing = sourceId.startsWith('OFAC_') ? OFAC_SPACING_MS : SPACING_MS;
  const fired = Math.max(fires?.full?.scheduledFor ?? 0, fires?.delta?.scheduledFor ?? 0);
  const after = Math.max(fired + spacing - 1, updatedAt) as EpochMs;
  if (after >= now) return undefined;
  const due = cadences.flatMap((cron) => latestFire(cron, { after, until: now }) ?? []);
  const [latest] = due.sort((one, other) => other - one);
  if (latest === undefined) return undefined;
  const own = [cronFull, cronDelta].filter((cron) => cron !== undefined);
  const isTooNear = own.some((cron) => {
    const [next = Number.POSITIVE_INFINITY] = nextFires(cron, latest, 1);
    return next - latest < spacing;
  });
  return isTooNear ? undefined : latest;
}
