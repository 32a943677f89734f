/** Certificates for tests of TLS: an authority, and what it signs. P-256, as DER by hand. */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto';
import { isIP } from 'node:net';
import {
  bitString,
  der,
  objectIdentifier,
  pem,
  sequence,
  set,
  smallInteger,
  utf8String,
} from '../../src/platform/der.ts';

export interface TestCertificate {
  readonly name: string;
  readonly certificatePem: string;
  readonly keyPem: string;
}

export interface CertificateAsk {
  readonly issuer?: TestCertificate;
  readonly isAuthority?: true;
  /** Names and addresses of a server. */
  readonly hosts?: readonly string[];
  /** OIDs of extended key usage. */
  readonly usage?: readonly string[];
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  /** Absent: a new one. */
  readonly publicKey?: KeyObject;
}

export const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
export const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const ECDSA = sequence(objectIdentifier('1.2.840.10045.4.3.2'));
const TRUE = der(0x01, Buffer.of(0xff));
let serial = 1;

/** Self-signed where it names no issuer. */
export function makeCertificate(name: string, ask: CertificateAsk = {}): TestCertificate {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { hosts = [], issuer, usage = [] } = ask;
  const from = ask.notBefore ?? new Date('2020-01-01T00:00:00Z');
  const until = ask.notAfter ?? new Date('2049-01-01T00:00:00Z');
  const extensions = [
    extension('2.5.29.19', sequence(...(ask.isAuthority ? [TRUE] : []))),
    ...(hosts.length > 0 ? [extension('2.5.29.17', sequence(...hosts.map(hostName)))] : []),
    ...(usage.length > 0 ? [extension('2.5.29.37', sequence(...usage.map(objectIdentifier)))] : []),
  ];
  const told = sequence(
    der(0xa0, smallInteger(2)),
    smallInteger(serial++),
    ECDSA,
    named(issuer?.name ?? name),
    sequence(time(from), time(until)),
    named(name),
    (ask.publicKey ?? pair.publicKey).export({ format: 'der', type: 'spki' }),
    der(0xa3, sequence(...extensions)),
  );
  const key = issuer === undefined ? pair.privateKey : createPrivateKey(issuer.keyPem);
  return {
    certificatePem: pem('CERTIFICATE', sequence(told, ECDSA, bitString(sign('sha256', told, key)))),
    keyPem: pair.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    name,
  };
}

/** The public key of a PEM, for a certificate of another's key. */
export const publicKeyOf = (pemText: string): KeyObject => createPublicKey(pemText);

const extension = (id: string, value: Buffer): Buffer =>
  sequence(objectIdentifier(id), der(0x04, value));

const named = (text: string): Buffer =>
  sequence(set(sequence(objectIdentifier('2.5.4.3'), utf8String(text))));

const hostName = (host: string): Buffer =>
  isIP(host) === 4
    ? der(0x87, Buffer.from(host.split('.').map(Number)))
    : der(0x82, Buffer.from(host));

const time = (at: Date): Buffer =>
  der(0x17, Buffer.from(`${at.toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`));
