/** What an operator may write, and what it allows. */
import { expect, test } from 'vitest';
import { allowedPlaces, parseAllowedHost } from '#platform/outbound/allowedHosts';

test.each([
  ['mirror.bank.example', { name: 'mirror.bank.example' }],
  ['Mirror.Bank.Example.', { name: 'mirror.bank.example' }],
  ['redis_1', { name: 'redis_1' }],
  ['localhost', { name: 'localhost' }],
  ['10.0.0.0/8', { bits: 8, network: '10.0.0.0' }],
  ['10.1.2.3', { bits: 32, network: '10.1.2.3' }],
  ['FD00::/8', { bits: 8, network: 'fd00::' }],
  ['[::1]', { bits: 128, network: '::1' }],
  ['::ffff:10.0.0.0/104', { bits: 104, network: '::ffff:10.0.0.0' }],
])('%s', (text, host) => expect(parseAllowedHost(text)).toEqual(host));

test.each([
  ...['', '.', 'a..b', '*.example', 'https://a.example', 'a.example/x', 'a.example:443', 'a b'],
  ...['10.0.0.0/33', 'fd00::/129', '10.0.0/8', '10.0.0.0/-1', '10.0.0.0/8/8', 'a.example/8'],
  ...['2130706433', '0x7f.1', '127.1', 'user@a.example', 'é.example', `${'a'.repeat(64)}.example`],
])('%j is nothing', (text) => expect(parseAllowedHost(text)).toBeUndefined());

test('a name allows that host, a subnet its addresses, in both spellings', () => {
  const places = allowedPlaces([{ name: 'a.example' }, { bits: 8, network: '10.0.0.0' }]);
  expect(['a.example', 'b.a.example', 'example'].map(places.hasName)).toEqual([true, false, false]);
  const addresses = ['10.9.9.9', '::ffff:10.9.9.9', '11.0.0.1', '::1', 'a.example'];
  expect(addresses.map(places.hasAddress)).toEqual([true, true, false, false, false]);
});
