/** Fires that tenants add to a list's schedule: beside its own, never too near to one of them. */
import { expect, test } from 'vitest';
import type { EpochMs } from '#platform/clock';
import { dueCadence } from '#slices/ingestion';
import type { ListSource } from '#slices/lists';

const at = (time: string): EpochMs => Date.parse(`2026-06-15T${time}Z`) as EpochMs;

const source = (more: Partial<ListSource> = {}): ListSource =>
  ({
    cronDelta: '0 0 6 * * ?',
    fires: { delta: { recent: [], scheduledFor: at('06:00:00') } },
    sourceId: 'UN_SC',
    updatedAt: at('00:00:00'),
    ...more,
  }) as ListSource;
const EACH_QUARTER = '0 0/15 * * * ?';

test('the latest added fire since the last one is due, once', () => {
  expect(dueCadence(source(), [EACH_QUARTER], at('06:14:59'))).toBeUndefined();
  expect(dueCadence(source(), [EACH_QUARTER], at('06:15:00'))).toBe(at('06:15:00'));
  expect(dueCadence(source(), [EACH_QUARTER], at('08:07:00'))).toBe(at('08:00:00'));
  const fired = source({ fires: { delta: { recent: [], scheduledFor: at('08:00:00') } } });
  expect(dueCadence(fired, [EACH_QUARTER], at('08:07:00'))).toBeUndefined();
  expect(dueCadence(source(), [], at('08:07:00'))).toBeUndefined();
});

test('of several tenants the latest counts', () => {
  const added = ['0 10 * * * ?', '0 40 * * * ?'];
  expect(dueCadence(source(), added, at('07:30:00'))).toBe(at('07:10:00'));
});

test('nothing is made up for from before the schedule was changed', () => {
  const changed = source({ fires: {}, updatedAt: at('07:20:00') });
  expect(dueCadence(changed, [EACH_QUARTER], at('07:29:00'))).toBeUndefined();
  expect(dueCadence(changed, [EACH_QUARTER], at('07:30:00'))).toBe(at('07:30:00'));
});

test('a fire within the spacing of the platform’s own is left out', () => {
  // 30 s before the list's own fire at 06:00.
  const before = source({ fires: {} });
  expect(dueCadence(before, ['30 59 5 * * ?'], at('05:59:40'))).toBeUndefined();
  expect(dueCadence(before, ['0 58 5 * * ?'], at('05:59:40'))).toBe(at('05:58:00'));
  // OFAC: an hour apart.
  const ofac = source({ sourceId: 'OFAC_SDN' as never });
  expect(dueCadence(ofac, [EACH_QUARTER], at('06:59:59'))).toBeUndefined();
  expect(dueCadence(ofac, [EACH_QUARTER], at('07:00:00'))).toBe(at('07:00:00'));
  const soon = source({ fires: {}, sourceId: 'OFAC_SDN' as never });
  expect(dueCadence(soon, ['0 30 5 * * ?'], at('05:40:00'))).toBeUndefined();
  expect(dueCadence(soon, ['0 59 4 * * ?'], at('05:40:00'))).toBe(at('04:59:00'));
});
