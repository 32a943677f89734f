/** Deprecation headers: announced by a table line, gone six months later at the earliest. */
import { expect, test } from 'vitest';
import table from '../../config/deprecations.json' with { type: 'json' };
import { createDeprecations, sunsetOf } from '../../src/api/deprecation.ts';
import { fakeRequest, gatewayOf, headerOf, operationOf } from './fakes.ts';

const LINE = {
  deprecatedAt: '2026-01-01T00:00:00Z',
  link: 'https://docs.example.com/changes',
  operation: 'doThing',
};

test('an operation of the table says since when, until when and what instead', async () => {
  const gateway = gatewayOf([operationOf()], { deprecations: { deprecations: [LINE] } });
  const reply = await gateway.handler(fakeRequest({ path: '/v1/things' }));
  expect(headerOf(reply, 'deprecation')).toBe('@1767225600');
  expect(headerOf(reply, 'sunset')).toBe('Wed, 01 Jul 2026 00:00:00 GMT');
  expect(headerOf(reply, 'link')).toBe('<https://docs.example.com/changes>; rel="deprecation"');
});

test('an operation that is not in the table says nothing', async () => {
  const reply = await gatewayOf([operationOf()]).handler(fakeRequest({ path: '/v1/things' }));
  expect(headerOf(reply, 'deprecation')).toBeUndefined();
});

test.each([
  ['2026-08-31', '2027-02-28'],
  ['2027-08-31', '2028-02-29'],
  ['2026-03-15', '2026-09-15'],
])('six months after %s is %s', (from, until) => {
  expect(sunsetOf(new Date(from)).toISOString().slice(0, 10)).toBe(until);
});

test.each([
  [{ ...LINE, operation: 'noSuch' }, /no operation 'noSuch'/],
  [{ ...LINE, deprecatedAt: 'soon' }, /deprecatedAt/],
  [{ ...LINE, link: 'javascript:alert(1)' }, /link/],
])('a wrong line stops the start', (line, message) => {
  expect(() => createDeprecations({ deprecations: [line] }, [{ id: 'doThing' }])).toThrow(message);
});

test('one operation twice stops the start', () => {
  const deprecations = [LINE, LINE];
  expect(() => createDeprecations({ deprecations }, [{ id: 'doThing' }])).toThrow(/twice/);
});

test('the table that ships is sound', () => {
  expect(Array.isArray(table.deprecations)).toBe(true);
});
