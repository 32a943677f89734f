/**
 * The lists in force, for Prometheus and for `doctor`. A list's age is the publisher's: counted
 * from the end of the day of its release, not from our import of it, since an old file that is
 * imported anew is still old. The labels are ids of sources, which belong to the installation.
 */
import type { Clock, EpochMs } from '#platform/clock';
import type { Metrics } from '#platform/metrics';
import type { ListSource, ListVersion } from './ports.ts';

const DAY_MS = 24 * 3_600_000;
/** Days after which a list of an enabled source is said to be old. */
export const LIST_AGE_DAYS_MAX = 10;

/** Milliseconds since the publisher's release; 0 on its day. */
export function releaseAgeMs({ releaseDate }: Pick<ListVersion, 'releaseDate'>, now: EpochMs) {
  return Math.max(0, now - Date.parse(`${releaseDate}T00:00:00Z`) - DAY_MS);
}

/** Sources that are fetched, and whose list in force is older than LIST_AGE_DAYS_MAX. */
export function oldLists(sources: readonly ListSource[], now: EpochMs): readonly ListSource[] {
  return sources.filter(
    ({ active, cronDelta, cronFull, enabled }) =>
      enabled &&
      (cronDelta ?? cronFull) !== undefined &&
      active !== undefined &&
      releaseAgeMs(active, now) > LIST_AGE_DAYS_MAX * DAY_MS,
  );
}

/** Registers the figures, read at each scrape; while the store fails those of the last one stay. */
export function registerListFigures(
  metrics: Metrics,
  of: {
    readonly clock: Pick<Clock, 'now'>;
    readonly lists: { listSources(): Promise<readonly ListSource[]> };
  },
): void {
  const labels = ['source'] as const;
  const age = metrics.gauge({
    help: 'Seconds since the publisher released the list in force',
    labels,
    name: 'list_age_seconds',
  });
  const entities = metrics.gauge({
    help: 'Entities of the list in force',
    labels,
    name: 'list_entities',
  });
  const enabled = metrics.gauge({
    help: '1 where the source is fetched by its schedule',
    labels,
    name: 'list_source_enabled',
  });
  const version = metrics.gauge({
    help: '1, with the version of the list in force',
    labels: ['source', 'version'],
    name: 'list_version_info',
  });
  metrics.beforeExposing(async () => {
    const sources = await of.lists.listSources().catch(() => undefined);
    if (sources === undefined) return;
    for (const gauge of [age, entities, enabled, version]) gauge.reset();
    for (const source of sources) {
      enabled.labels(source.sourceId).set(source.enabled ? 1 : 0);
      if (source.active === undefined) continue;
      age.labels(source.sourceId).set(releaseAgeMs(source.active, of.clock.now()) / 1_000);
      entities.labels(source.sourceId).set(source.active.entityCount);
      version.labels(source.sourceId, source.active.listVersion).set(1);
    }
  });
}
