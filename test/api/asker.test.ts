/** Who asked, and from which address. */
import { expect, test } from 'vitest';
import type { Principal } from '#core/identity';
import { askerOf, callerAddress } from '../../src/api/asker.ts';
import type { HttpRequest } from '../../src/api/http/port.ts';

const requestOf = (forwarded?: string): HttpRequest =>
  ({
    header: (name: string) => (name === 'x-forwarded-for' ? forwarded : undefined),
    remoteAddress: '192.0.2.1',
  }) as HttpRequest;

test.each([
  ['the peer, without a proxy', '198.51.100.9', false, '192.0.2.1'],
  ['what the proxy says', '198.51.100.9', true, '198.51.100.9'],
  ['the last address: the caller may have written the others', '1.1.1.1, 2.2.2.2', true, '2.2.2.2'],
  ['the peer, where the proxy says nothing', undefined, true, '192.0.2.1'],
  ['the peer, instead of a text that is no address', 'x'.repeat(65), true, '192.0.2.1'],
])('%s', (_, forwarded, trustProxy, expected) => {
  expect(callerAddress(requestOf(forwarded), trustProxy)).toBe(expected);
});

test('a person is named by the account, a key by its id', () => {
  const principal = (kind: Principal['kind']) => ({ id: 'x', kind }) as Principal;
  const ip = '192.0.2.1';
  expect(askerOf({ ip, principal: principal('user') })).toEqual({ actor: 'user:x', ip });
  expect(askerOf({ ip: '', principal: principal('api-key') })).toEqual({ actor: 'key:x' });
});
