/** One peer has one spelling, whichever server and socket it came through. */
import { expect, test } from 'vitest';
import { peerAddress } from '../../../src/api/http/peerAddress.ts';

test.each([
  ['127.0.0.1', '127.0.0.1'],
  ['', ''],
  ['::1', '::1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['0000:0000:0000:0000:0000:ffff:c000:0201', '192.0.2.1'],
  ['0000:0000:0000:0000:0000:0000:0000:0001', '::1'],
  ['0000:0000:0000:0000:0000:0000:0000:0000', '::'],
  ['2001:0db8:0000:0001:0000:0000:0000:0001', '2001:db8:0:1::1'],
  ['2001:0db8:0000:0001:0001:0001:0001:0001', '2001:db8:0:1:1:1:1:1'],
  ['2001:DB8::A', '2001:db8::a'],
  ['fe80:0000:0000:0000:0000:0000:0000:0001%eth0', 'fe80::1%eth0'],
])('%s is %s', (text, expected) => {
  expect(peerAddress(text)).toBe(expected);
});
