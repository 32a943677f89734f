/** Forwarded headers count behind a trusted proxy, and nowhere else. */
import { expect, test } from 'vitest';
import { createCaller } from '../../src/api/forwarded.ts';
import { fakeRequest } from './fakes.ts';

const direct = createCaller({ trustProxy: false });
const proxied = createCaller({ trustProxy: true });

function requestOf(headers: Record<string, string>) {
  return fakeRequest({ headers, path: '/' });
}

test('without TRUST_PROXY forwarded headers are not read', () => {
  const request = requestOf({
    host: 'api.test:8080',
    'x-forwarded-for': '192.0.2.1',
    'x-forwarded-host': 'evil.test',
  });
  expect([direct.address(request), direct.host(request)]).toEqual(['127.0.0.1', 'api.test']);
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['6.6.6.6, 192.0.2.1', '192.0.2.1'],
  ['2001:db8::1', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['unknown', '127.0.0.1'],
  ['192.0.2.1, ', '127.0.0.1'],
  ['', '127.0.0.1'],
])('x-forwarded-for %j is %s', (header, address) => {
  expect(proxied.address(requestOf({ 'x-forwarded-for': header }))).toBe(address);
});

test.each([
  ['API.test', 'api.test'],
  ['api.test:443', 'api.test'],
  ['evil.test, api.test', 'api.test'],
  ['[::1]:8080', '[::1]'],
  ['a b', 'host.test'],
  ['<script>', 'host.test'],
])('x-forwarded-host %j is %s', (header, host) => {
  expect(proxied.host(requestOf({ host: 'host.test', 'x-forwarded-host': header }))).toBe(host);
});

test('a request without Host has an empty one', () => {
  expect(proxied.host(requestOf({}))).toBe('');
});
