/** The plan of a week is what the schedules say, fire by fire. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EpochMs } from '#platform/clock';
import { newSource, nextFireAt, nextFires, planWarnings, planWeek } from '#slices/ingestion';
import type { ListSource } from '#slices/lists';

const NOW = Date.UTC(2026, 0, 5, 12, 30) as EpochMs;
const DAY_MS = 86_400_000;
const source = (given: Partial<ListSource>): ListSource => ({
  ...newSource('DEMO'),
  enabled: true,
  ...given,
});

describe('the plan of a week', () => {
  test('holds every fire once, and no other', () => {
    const part = (max: number) => fc.integer({ max, min: 0 });
    fc.assert(
      fc.property(
        part(59),
        part(59),
        part(23),
        fc.integer({ max: 12, min: 1 }),
        (s, m, h, step) => {
          const cronFull = `${s} ${m} ${h}/${step} * * ?`;
          const expected = nextFires(cronFull, NOW, 200).filter((at) => at <= NOW + 7 * DAY_MS);
          const hours = planWeek([source({ cronFull })], NOW).flatMap((day) => day.hours);
          const fires = hours.flatMap((hour) => hour.fires);
          expect(fires.map(({ firstAt }) => firstAt)).toEqual(expected);
          expect(fires.every(({ count }) => count === 1)).toBe(true);
        },
      ),
      { numRuns: 50 },
    );
  });

  test('counts what fires within an hour, so that a busy schedule stays short', () => {
    const days = planWeek([source({ cronFull: '0 * * * * ?' })], NOW);
    const fires = days.flatMap((day) => day.hours).flatMap((hour) => hour.fires);
    expect(fires).toHaveLength(7 * 24 + 1);
    expect(fires.reduce((sum, { count }) => sum + count, 0)).toBe(7 * 24 * 60);
  });

  test('shows sources that are disabled, and says that they are', () => {
    const days = planWeek([source({ cronFull: '0 0 13 * * ?', enabled: false })], NOW);
    expect(days[0]?.hours).toMatchObject([{ fires: [{ enabled: false, kind: 'full' }], hour: 13 }]);
    expect(nextFireAt(source({ cronFull: '0 0 13 * * ?', enabled: false }), NOW)).toBeUndefined();
  });
});

test('the next fire is the earlier one of full and delta', () => {
  const both = source({ cronDelta: '0 0 14 * * ?', cronFull: '0 0 13 ? * SUN' });
  expect(nextFireAt(both, NOW)).toBe(Date.UTC(2026, 0, 5, 14));
  expect(nextFireAt(source({}), NOW)).toBeUndefined();
});

test.each([
  [{ cronFull: '0 0 1 * * ?', url: 'https://a.example' }, false, []],
  [{ cronFull: '0 0 1 * * ?', url: 'https://a.example' }, true, ['no-air-gap-path']],
  [{ airGapPath: 'a' }, true, ['no-schedule']],
  [{ cronFull: '0 0 1 * * ?' }, false, ['no-address']],
  [{ enabled: false }, false, []],
  [
    { disabledReason: 'fired-too-often', enabled: false, lastStatus: 'failed' },
    false,
    ['disabled-by-scheduler', 'last-run-failed'],
  ],
] as const)('%j, air-gapped %s, warns of %j', (given, isAirGapped, warnings) => {
  expect(planWarnings(source(given), isAirGapped)).toEqual(warnings);
});
