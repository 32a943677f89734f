/**
 * A key of our own and the request for its certificate (PKCS #10, RFC 2986): P-256 with SHA-256,
 * which every authority signs. The key is handed to the caller alone, who seals it.
 */
import { createECDH, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import {
  bitString,
  der,
  objectIdentifier,
  pem,
  sequence,
  set,
  smallInteger,
  utf8String,
} from './der.ts';
import type { Random } from './random.ts';

const KEY_BYTES = 32;
const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';
const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';

/** Whom the certificate is to name. */
export interface RequestSubject {
  readonly commonName: string;
  readonly organization?: string;
}

export interface CertificateRequest {
  /** PKCS #8, in PEM. */
  readonly keyPem: string;
  readonly requestPem: string;
}

export function makeCertificateRequest(
  subject: RequestSubject,
  random: Random,
): CertificateRequest {
  const key = makeKey(random);
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' });
  // No attributes: the authority knows what its certificates are for.
  const info = sequence(smallInteger(0), nameOf(subject), publicKey, der(0xa0));
  const algorithm = sequence(objectIdentifier(ECDSA_WITH_SHA256));
  const request = sequence(info, algorithm, bitString(sign('sha256', info, key)));
  return {
    keyPem: key.export({ format: 'pem', type: 'pkcs8' }).toString(),
    requestPem: pem('CERTIFICATE REQUEST', request),
  };
}

const nameOf = ({ commonName, organization }: RequestSubject): Buffer =>
  sequence(
    ...(organization === undefined ? [] : [attribute(ORGANIZATION, organization)]),
    attribute(COMMON_NAME, commonName),
  );

const attribute = (type: string, value: string): Buffer =>
  set(sequence(objectIdentifier(type), utf8String(value)));

function makeKey(random: Random): KeyObject {
  // The pair's own getPrivateKey leaves leading zeros out, and a JWK has all 32 bytes.
  const secret = scalar(random);
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(secret);
  const point = pair.getPublicKey(); // 4, x, y
  const part = (from: number): string =>
    point.subarray(from, from + KEY_BYTES).toString('base64url');
  const d = secret.toString('base64url');
  const jwk = { crv: 'P-256', d, kty: 'EC', x: part(1), y: part(1 + KEY_BYTES) };
  return createPrivateKey({ format: 'jwk', key: jwk });
}

/** The order of the curve: one number of 2^32 is not below it, and another one is taken. */
const ORDER = Buffer.from(
  'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551',
  'hex',
);

function scalar(random: Random): Buffer {
  for (;;) {
    const bytes = Buffer.from(random.bytes(KEY_BYTES));
    const isZero = bytes.every((byte) => byte === 0);
    if (!isZero && Buffer.compare(bytes, ORDER) < 0) return bytes;
  }
}
