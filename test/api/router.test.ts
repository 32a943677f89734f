/** Paths to targets: literals before parameters, nothing approximate. */
import { expect, test } from 'vitest';
import { createRouter, parameterNames } from '../../src/api/router.ts';

const router = createRouter([
  { method: 'GET', path: '/v1/cases', target: 'list' },
  { method: 'POST', path: '/v1/cases', target: 'create' },
  { method: 'GET', path: '/v1/cases/{case_id}', target: 'read' },
  { method: 'PATCH', path: '/v1/cases/{id}', target: 'change' },
  { method: 'GET', path: '/v1/cases/stream', target: 'stream' },
  { method: 'GET', path: '/v1/cases/{id}/parts/{part}', target: 'part' },
  { method: 'GET', path: '/v1/cases/stream/other', target: 'other' },
  { method: 'GET', path: '/v1/screenings/{id}/export.pdf', target: 'pdf' },
]);

function find(method: string, path: string): unknown {
  const match = router.find(path);
  const target = match?.methods.get(method);
  if (match === undefined) return undefined;
  return target === undefined ? 'other methods' : [target, ...match.values];
}

test.each([
  ['GET', '/v1/cases', ['list']],
  ['POST', '/v1/cases', ['create']],
  ['GET', '/v1/cases/7', ['read', '7']],
  ['PATCH', '/v1/cases/7', ['change', '7']],
  ['DELETE', '/v1/cases/7', 'other methods'],
  ['GET', '/v1/cases/stream', ['stream']],
  ['PATCH', '/v1/cases/stream', 'other methods'],
  ['GET', '/v1/cases/7/parts/8', ['part', '7', '8']],
  ['GET', '/v1/cases/stream/parts/8', ['part', 'stream', '8']],
  ['GET', '/v1/screenings/7/export.pdf', ['pdf', '7']],
])('%s %s', (method, path, expected) => {
  expect(find(method, path)).toEqual(expected);
});

test.each([
  '',
  '/',
  '/v1',
  '/v1/cases/',
  '//v1/cases',
  '/v1//cases',
  '/v1/cases//parts/8',
  '/v1/cases/7/parts',
  '/v1/cases/7/parts/8/9',
  '/V1/cases',
  '/v1/c%61ses',
  '/v1/cases?x',
  `/v1/cases${'/a'.repeat(10_000)}`,
  '/__proto__',
  '/v1/constructor',
])('%j is no path', (path) => {
  expect(router.find(path)).toBeUndefined();
});

test('names of the parameters, in order', () => {
  expect(parameterNames('/v1/cases/{id}/parts/{part}')).toEqual(['id', 'part']);
  expect(parameterNames('/v1/cases')).toEqual([]);
});
