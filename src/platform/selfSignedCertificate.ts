/** An RSA key under a certificate of its own: for who vouches for himself, as in a sandbox. */
import { generateKeyPairSync, sign } from 'node:crypto';
import type { EpochMs } from './clock.ts';
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

const RSA_BITS = 2_048;
const YEARS = 5;
const DAY_MS = 24 * 3_600_000;
const NULL = der(0x05);
const SHA256_WITH_RSA = sequence(objectIdentifier('1.2.840.113549.1.1.11'), NULL);
const COMMON_NAME = '2.5.4.3';

/** Key and certificate, in PEM. */
export interface SelfSigned {
  readonly certificatePem: string;
  readonly keyPem: string;
}

/** Good from the day before, since clocks differ. */
export function makeSelfSigned(commonName: string, now: EpochMs): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: RSA_BITS });
  const name = sequence(set(sequence(objectIdentifier(COMMON_NAME), utf8String(commonName))));
  const from = new Date(now - DAY_MS);
  const until = new Date(now + YEARS * 365 * DAY_MS);
  // Version 1: it has no extensions.
  const told = sequence(
    smallInteger(1),
    SHA256_WITH_RSA,
    name,
    sequence(generalizedTime(from), generalizedTime(until)),
    name,
    publicKey.export({ format: 'der', type: 'spki' }),
  );
  const signature = bitString(sign('sha256', told, privateKey));
  return {
    certificatePem: pem('CERTIFICATE', sequence(told, SHA256_WITH_RSA, signature)),
    keyPem: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
  };
}

const generalizedTime = (at: Date): Buffer =>
  der(0x18, Buffer.from(`${at.toISOString().replaceAll(/[-:T]/g, '').slice(0, 14)}Z`));
