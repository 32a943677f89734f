/** A list's age is the publisher's, whenever it was imported. */
import { expect, test } from 'vitest';
import type { EpochMs } from '#platform/clock';
import { createMetrics } from '#platform/metrics';
import { type ListSource, oldLists, registerListFigures, releaseAgeMs } from '#slices/lists';

const NOW = Date.parse('2026-05-20T12:00:00Z') as EpochMs;
const DAY_S = 86_400;

const source = (releaseDate: string, given: Partial<ListSource> = {}): ListSource =>
  ({
    // Imported just now: that does not make it young.
    active: { entityCount: 7, listVersion: `v${releaseDate}.a`, publishedAt: NOW, releaseDate },
    cronDelta: '0 0 */4 * * ?',
    enabled: true,
    sourceId: 'OFAC_SDN',
    ...given,
  }) as ListSource;

test('it counts from the end of the day of the release', () => {
  expect(releaseAgeMs({ releaseDate: '2026-05-20' }, NOW)).toBe(0);
  expect(releaseAgeMs({ releaseDate: '2026-05-18' }, NOW)).toBe(1.5 * DAY_S * 1_000);
  expect(releaseAgeMs({ releaseDate: '2027-01-01' }, NOW)).toBe(0);
});

test('a list is old after ten days, where its source is fetched', () => {
  const old = source('2026-05-08');
  expect(oldLists([old, source('2026-05-10')], NOW)).toEqual([old]);
  const { cronDelta: _, ...unscheduled } = old;
  expect(oldLists([{ ...old, enabled: false }, unscheduled], NOW)).toEqual([]);
});

test('the figures say age, size and version by source, and keep the last ones', async () => {
  const metrics = createMetrics({ processFigures: false });
  let isAway = false;
  const lists = {
    listSources: async () => {
      if (isAway) throw new Error('no primary');
      return [source('2026-05-18')];
    },
  };
  registerListFigures(metrics, { clock: { now: () => NOW }, lists });
  for (const away of [false, true]) {
    isAway = away;
    const { text } = await metrics.expose();
    expect(text).toContain(`list_age_seconds{source="OFAC_SDN"} ${1.5 * DAY_S}`);
    expect(text).toContain('list_entities{source="OFAC_SDN"} 7');
    expect(text).toContain('list_version_info{source="OFAC_SDN",version="v2026-05-18.a"} 1');
  }
});
