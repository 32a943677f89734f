/** Schedules of a source: what is refused, and that nothing too close together passes. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EpochMs } from '#platform/clock';
import { latestFire, nextFires, validateSchedule } from '#slices/ingestion';

const codes = (sourceId: string, cronFull?: string, cronDelta?: string) =>
  validateSchedule({ cronDelta, cronFull, sourceId }).map(({ code, field }) => `${field} ${code}`);

describe('schedules of one source', () => {
  test.each([
    ['OFAC_SDN', '0 0 2 ? * SUN', '0 0 */4 * * ?'],
    ['OFAC_CONSOLIDATED', '0 0 3 ? * SUN', '0 0 */6 * * ?'],
    ['UN_SC', '0 0 4 ? * SUN', '0 0 */12 * * ?'],
    ['HMT_OFSI', '0 30 6 ? * SUN', '0 0 */6 * * ?'],
    ['COMMERCIAL_WATCHLIST', '0 0 1 ? * SUN', '0 0 */2 * * ?'],
    ['BCT_TN', '0 0 8 ? * MON', undefined],
    ['OFAC_SDN', undefined, undefined],
    ['OFAC_SDN', undefined, '0 59 * * * ?'],
    ['UN_SC', '30 0 0 * * ?', '30 1 0 * * ?'],
  ])('%s may run at %s and %s', (sourceId, cronFull, cronDelta) => {
    expect(codes(sourceId, cronFull, cronDelta)).toEqual([]);
  });

  test.each([
    ['HMT_OFSI', '0 0 6 ? * SUN', '0 0 */6 * * ?', ['cron_delta full-delta-collision']],
    ['UN_SC', '0 0 0 29 2 ?', '59 59 23 28 2 ?', ['cron_delta full-delta-collision']],
    ['UN_SC', '0 0 0 ? 2 SUN#5', '0 0 0 29 2 ?', ['cron_delta full-delta-collision']],
    ['UN_SC', '30 0 0 * * ?', '0 1 0 * * ?', ['cron_delta full-delta-collision']],
    ['OFAC_SDN', undefined, '0 */30 * * * ?', ['cron_delta ofac-over-hourly']],
    ['OFAC_SDN', '0 30 2 ? * SUN', '0 0 */2 * * ?', ['cron_delta ofac-over-hourly']],
    ['OFAC_SDN', undefined, '0 15 0,23 * * ?', []],
    ['OFAC_SDN', '0 30 23 31 12 ?', '0 15 0 1 1 ?', ['cron_delta ofac-over-hourly']],
    ['UN_SC', '0 0 6 * *', '@daily', ['cron_full not-six-fields', 'cron_delta not-six-fields']],
  ])('%s at %s and %s: %j', (sourceId, cronFull, cronDelta, expected) => {
    expect(codes(sourceId, cronFull, cronDelta)).toEqual(expected);
  });

  test('what passes never fires twice within a minute, nor an OFAC source within an hour', () => {
    const list = (max: number, maxLength: number) =>
      fc
        .uniqueArray(fc.integer({ max, min: 0 }), { maxLength, minLength: 1 })
        .map((values) => values.join(','));
    const days = fc.constantFrom('* * ?', 'L * ?', '? * MON', '1W * ?', '29 2 ?', '? * 6#1');
    const cron = fc
      .tuple(list(59, 2), list(59, 2), list(23, 3), days)
      .map((fields) => fields.join(' '));
    const from = Date.UTC(2024, 1, 20) as EpochMs;
    fc.assert(
      fc.property(cron, cron, fc.boolean(), (cronFull, cronDelta, isOfac) => {
        const sourceId = isOfac ? 'OFAC_SDN' : 'UN_SC';
        fc.pre(codes(sourceId, cronFull, cronDelta).length === 0);
        const fires = [...nextFires(cronFull, from, 60), ...nextFires(cronDelta, from, 60)];
        fires.sort((a, b) => a - b);
        const gaps = fires.slice(1).map((fire, index) => fire - (fires[index] ?? 0));
        expect(Math.min(...gaps)).toBeGreaterThanOrEqual(isOfac ? 3_600_000 : 60_000);
      }),
      { numRuns: 20 },
    );
  });
});

describe('latestFire', () => {
  const at = (text: string): EpochMs => Date.parse(text) as EpochMs;

  test.each([
    ['2026-01-01T00:00:00Z', '2026-01-01T03:59:59Z', undefined],
    ['2026-01-01T00:00:00Z', '2026-01-01T04:00:00Z', '2026-01-01T04:00:00Z'],
    ['2026-01-01T04:00:00Z', '2026-01-01T04:00:00Z', undefined],
    ['2026-01-01T00:00:00Z', '2026-03-01T13:00:00Z', '2026-03-01T12:00:00Z'],
    ['2026-01-02T00:00:00Z', '2026-01-01T04:00:00Z', undefined],
  ])('after %s, until %s: %s', (after, until, expected) => {
    const fire = latestFire('0 0 */4 * * ?', { after: at(after), until: at(until) });
    expect(fire).toBe(expected === undefined ? undefined : at(expected));
  });
});
