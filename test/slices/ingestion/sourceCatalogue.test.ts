/** The pre-configured sources are those of interface.md 2.11, with schedules that hold 4.9. */
import { expect, test } from 'vitest';
import {
  allSources,
  newSource,
  parseSourceCatalogue,
  SOURCE_IDS,
  validateSchedule,
} from '#slices/ingestion';

const TABLE = [
  ['BCT_TN', 'REGIONAL', '0 0 8 ? * MON', undefined],
  ['COMMERCIAL_WATCHLIST', 'COMMERCIAL', '0 0 1 ? * SUN', '0 0 */2 * * ?'],
  ['EU_CFSP', 'PUBLIC', '0 0 5 ? * SUN', '0 0 */6 * * ?'],
  // Half past: at six its own delta fires.
  ['HMT_OFSI', 'PUBLIC', '0 30 6 ? * SUN', '0 0 */6 * * ?'],
  ['OFAC_CONSOLIDATED', 'PUBLIC', '0 0 3 ? * SUN', '0 0 */6 * * ?'],
  ['OFAC_SDN', 'PUBLIC', '0 0 2 ? * SUN', '0 0 */4 * * ?'],
  ['OPEN_AGGREGATE', 'PUBLIC', '0 0 7 ? * SUN', '0 0 */6 * * ?'],
  ['UN_SC', 'PUBLIC', '0 0 4 ? * SUN', '0 0 */12 * * ?'],
] as const;

test.each(TABLE)('%s comes with its schedule, disabled', (sourceId, kind, cronFull, cronDelta) => {
  const source = newSource(sourceId);
  expect(source).toMatchObject({ kind, cronFull, enabled: false, version: 0 });
  expect(source.cronDelta).toBe(cronDelta);
  expect(validateSchedule(source)).toEqual([]);
});

test('nothing but the table and the list of the sandboxes is in it', () => {
  expect(SOURCE_IDS).toEqual([...TABLE.map(([id]) => id), 'DEMO'].sort());
});

test('what is stored counts, and what is not stored yet is what the catalogue says', () => {
  const stored = { ...newSource('UN_SC'), enabled: true, version: 3 };
  const all = allSources([stored]);
  expect(all.map(({ sourceId }) => sourceId)).toEqual(SOURCE_IDS);
  expect(all.filter(({ enabled }) => enabled)).toEqual([stored]);
});

test('another source is unknown, whatever objects inherit', () => {
  for (const id of ['OFAC', 'constructor', '__proto__', '']) {
    expect(() => newSource(id)).toThrow(expect.objectContaining({ code: 'list-unknown' }));
  }
});

const GOOD = { display_name: 'A', kind: 'PUBLIC', format: 'XML' };

test.each([
  [{ ...GOOD, kind: 'SECRET' }, /A_1: kind/],
  [{ ...GOOD, format: 'PDF' }, /A_1: format/],
  [{ ...GOOD, url: 'http://a.example/' }, /A_1: url/],
  [{ ...GOOD, enabled: 'true' }, /A_1: unknown members/],
])('a wrong table is refused by name: %j', (facts, reason) => {
  expect(() => parseSourceCatalogue({ A_1: facts })).toThrow(reason);
});
