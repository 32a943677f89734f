/** Keys and requests that are made here are ones that others can verify and use. */
import { createPrivateKey, createPublicKey, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { makeCertificateRequest } from '#platform/certificateRequest';

const SPKI = '3059301306072a8648ce3d0201';
const SPKI_BYTES = 91;

/** The signed part of a request stands first in it: 4 bytes of head, then its own. */
function partsOf(requestPem: string) {
  const bytes = Buffer.from(requestPem.replace(/-----[A-Z ]+-----|\s/g, ''), 'base64');
  const outer = (bytes[1] ?? 0) > 0x80 ? 2 + ((bytes[1] ?? 0) & 0x7f) : 2;
  const head = bytes[outer + 1] ?? 0;
  const long = head > 0x80 ? head & 0x7f : 0;
  const length = long === 0 ? head : bytes.readUIntBE(outer + 2, long);
  const info = bytes.subarray(outer, outer + 2 + long + length);
  const rest = bytes.subarray(outer + info.length);
  // Behind the algorithm a BIT STRING: tag, length, no unused bits.
  const signature = rest.subarray(2 + (rest[1] ?? 0) + 3);
  const start = bytes.indexOf(Buffer.from(SPKI, 'hex'));
  return { info, publicKey: bytes.subarray(start, start + SPKI_BYTES), signature };
}

test.each([
  ['any', 0x7f],
  ['one whose first byte is zero', 0],
])('a key is the one of its request: %s', (_, first) => {
  const secret = Buffer.alloc(32, 0x5a);
  secret[0] = first;
  const random = { bytes: () => Buffer.from(secret) };
  const made = makeCertificateRequest({ commonName: 'bank.example' }, random as never);
  const { info, publicKey, signature } = partsOf(made.requestPem);
  const key = createPrivateKey(made.keyPem);
  expect(createPublicKey(key).export({ format: 'der', type: 'spki' })).toEqual(publicKey);
  expect(key.export({ format: 'jwk' }).d).toBe(secret.toString('base64url'));
  const spki = createPublicKey({ format: 'der', key: publicKey, type: 'spki' });
  expect(verify('sha256', info, spki, signature)).toBe(true);
});
