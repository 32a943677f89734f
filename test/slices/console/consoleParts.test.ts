/** Parts of the console that say something of bytes: they are held to the service's own. */
import { expect, test } from 'vitest';
import { approvalMessage } from '#core/identity';
import { readMrz } from '#slices/recognition';
import { examplesOf } from '../../../packages/console/src/areas/cases/exampleCases.ts';
import { pdfOf } from '../../../packages/console/src/areas/cases/examplePaper.ts';
import { EMPTY_RULE } from '../../../packages/console/src/areas/monitoring/emptyRule.ts';
import { examplePayments } from '../../../packages/console/src/areas/monitoring/examplePayments.ts';
import { jsonPlaces } from '../../../packages/console/src/parts/jsonPlaces.ts';
import { readFilters } from '../../../packages/console/src/savedFilter.ts';
import { signedBytes } from '../../../packages/console/src/signedBytes.ts';
import { checkRule } from '../../../src/slices/rules/checkRule.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');

test.each([
  ['a digest', 'a'.repeat(64)],
  ['members out of order', { version: 2, base_version: 1, content_hash: 'b'.repeat(64) }],
  [
    'text that is written in more ways than one',
    { é: '\u2028"\\\u0007', Z: [1, null, true], a: {} },
  ],
])('what is signed in the page is what the service checks: %s', (_, new_value) => {
  const by = { approver: 'p-2', timestamp: '2026-01-31T06:00:00.000Z' };
  const subject = { field: 'rule', newValue: new_value, resource: 'monitoring_rule:TM-CASH-01' };
  const message = approvalMessage(subject, { ...by, author: 'p-1' });
  const text = signedBytes(
    { author: 'p-1', field: subject.field, new_value, resource: subject.resource },
    by,
  );
  expect(Buffer.from(text)).toEqual(Buffer.from(message));
});

test('a violation finds its place in the text, whatever blanks and names it has', () => {
  const text = '{ "a/b" : [1, {"c~d": "x \\" }"}],\n "": true }';
  const places = jsonPlaces(text);
  const at = (pointer: string): string => {
    const place = places.get(pointer);
    return place === undefined ? 'nowhere' : text.slice(place.from, place.to);
  };
  expect(at('')).toBe(text);
  expect(at('/a~1b/1/c~0d')).toBe('"x \\" }"');
  expect(at('/a~1b/0')).toBe('1');
  expect(at('/')).toBe('true');
  expect(at('/nothing')).toBe('nowhere');
});

test('a text that breaks off has the places up to there, and ends', () => {
  for (const text of [
    '{"a": 1, "b": [',
    '{"a": "x',
    '[1,,2]',
    '',
    '{"a" 1}',
    '{,}',
    '{"a\\q": 1}',
    '{"a\n": 1}',
  ]) {
    expect(jsonPlaces(text).get('')).toBeUndefined();
  }
  expect(jsonPlaces('{"a": 1, "b": [').get('/a')).toEqual({ from: 6, to: 7 });
});

test('zones of the invented passports hold their digits', () => {
  const zones = examplesOf(NOW)
    .flatMap(({ papers }) => papers)
    .filter(({ kind }) => kind === 'passport')
    .map(({ lines }) => lines.slice(-2));
  expect(zones).toHaveLength(2);
  for (const zone of zones) expect(readMrz(zone, { today: '2026-03-01' })?.isValid).toBe(true);
});

test('an invented paper is a PDF whose index leads to its objects', async () => {
  const file = await pdfOf(['A (paper) \\ of', 'two lines']).text();
  const index = Number(/startxref\n(\d+)\n/.exec(file)?.[1]);
  expect(file.slice(index, index + 4)).toBe('xref');
  const places = [...file.slice(index).matchAll(/^(\d{10}) 00000 n /gm)].map(([, at]) =>
    Number(at),
  );
  expect(places.map((at) => file.slice(at, at + 7))).toEqual(
    [1, 2, 3, 4, 5].map((n) => `${n} 0 obj`),
  );
  expect(file).toContain('(A \\(paper\\) \\\\ of) Tj');
});

test('invented payments are in the order of time, and before now', () => {
  const sent = examplePayments(NOW);
  const times = sent.map(({ occurred_at }) => Date.parse(String(occurred_at)));
  expect(times).toEqual(times.toSorted((one, other) => one - other));
  expect(Math.max(...times)).toBeLessThan(NOW);
  expect(new Set(sent.map(({ tx_id }) => tx_id)).size).toBe(sent.length);
});

test('the rule to begin with is one that the language takes', () => {
  expect(checkRule(EMPTY_RULE)).toEqual({ rule: EMPTY_RULE });
});

test.each([
  ['no JSON', '{"name"', []],
  ['nothing', 'null', []],
  ['another shape', '{"name":"mine","query":{}}', []],
  [
    'some that are none',
    '[null,"x",{"name":"a"},{"name":1,"query":{}},{"name":"b","query":[]},' +
      '{"name":"c","query":{"x":1}},{"name":"good","query":{"severity":"High"}}]',
    [{ name: 'good', query: { severity: 'High' } }],
  ],
])('saved filters: %s ends no page', (_, text, filters) => {
  expect(readFilters(text)).toEqual(filters);
});
