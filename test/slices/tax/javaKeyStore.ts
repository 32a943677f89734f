/**
 * Keys in a Java key store, as the IRS publishes those of its tests: the format JKS, whose keys
 * stand under a stream of SHA-1 digests of the password.
 */
import assert from 'node:assert/strict';
import { createHash, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';

/** OID of Sun's key protection, with its length. */
const PROTECTION = Buffer.from('060a2b060104012a02110101', 'hex');
const DIGEST_BYTES = 20;

const sha1 = (...parts: readonly Uint8Array[]): Buffer =>
  createHash('sha1').update(Buffer.concat(parts)).digest();

/** Its one private key, and the certificate of that. */
export function readKeyStore(
  store: Buffer,
  password: string,
): { readonly key: KeyObject; readonly certificate: X509Certificate } {
  let at = 0;
  const int = (): number => {
    at += 4;
    return store.readUInt32BE(at - 4);
  };
  const take = (count: number): Buffer => {
    at += count;
    return store.subarray(at - count, at);
  };
  const text = (): string => {
    at += 2;
    return take(store.readUInt16BE(at - 2)).toString();
  };
  assert.equal(int(), 0xfeedfeed);
  assert.deepEqual([int(), int(), int()], [2, 1, 1], 'version 2, one entry, a private key');
  text();
  take(8);
  const sealed = take(int());
  assert.equal(int() > 0 && text(), 'X.509');
  const certificate = new X509Certificate(take(int()));
  return { certificate, key: unseal(sealed, Buffer.from(password, 'utf16le').swap16()) };
}

function unseal(sealed: Buffer, password: Buffer): KeyObject {
  const at = sealed.indexOf(PROTECTION) + PROTECTION.length + 2;
  // An octet string whose length takes two bytes.
  assert.equal(sealed.readUInt16BE(at), 0x0482);
  const value = sealed.subarray(at + 4, at + 4 + sealed.readUInt16BE(at + 2));
  const body = value.subarray(DIGEST_BYTES, -DIGEST_BYTES);
  const stream: Buffer[] = [];
  let digest: Buffer = value.subarray(0, DIGEST_BYTES);
  for (let made = 0; made < body.length; made += DIGEST_BYTES) {
    digest = sha1(password, digest);
    stream.push(digest);
  }
  const mask = Buffer.concat(stream);
  const plain = Buffer.from(body.map((byte, index) => byte ^ (mask[index] ?? 0)));
  assert.deepEqual(sha1(password, plain), Buffer.from(value.subarray(-DIGEST_BYTES)));
  return createPrivateKey({ format: 'der', key: plain, type: 'pkcs8' });
}
