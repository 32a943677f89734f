/**
 * Certificates that people give us in PEM, read and checked before they are stored: what a
 * connection would stumble over later is refused here, with its reason.
 */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';

const BLOCK = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]{1,20000}-----END CERTIFICATE-----/g;
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
/** Certificates of one file: a chain, or a bundle of authorities. */
export const CERTIFICATES_MAX = 20;

/** What is said of a certificate. */
export interface CertificateFacts {
  readonly subject: string;
  readonly issuer: string;
  readonly serial: string;
  readonly sha256: string;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

/** Why one is refused. */
export type CertificateFault =
  | 'certificate-format'
  | 'expired'
  | 'not-yet-valid'
  | 'purpose'
  | 'key-format'
  | 'key-mismatch'
  | 'key-missing'
  | 'not-an-authority';

/** The certificates of a text, in its order; undefined where it is anything else. */
export function readCertificates(pemText: string): readonly X509Certificate[] | undefined {
  const blocks = pemText.match(BLOCK) ?? [];
  if (blocks.length === 0 || blocks.length > CERTIFICATES_MAX) return undefined;
  // Words between the blocks are what tools write there; a key among them is not meant to be sent.
  if (pemText.replaceAll(BLOCK, '').includes('-----BEGIN')) return undefined;
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch (error) {
    if (error instanceof Error) return undefined; // no certificate within
    throw error;
  }
}

/** As Node prints names: one part a line, joined here. */
const nameOf = (text: string): string => text.split('\n').join(', ');

export function factsOf(certificate: X509Certificate): CertificateFacts {
  const { fingerprint256, issuer, serialNumber, subject, validFrom, validTo } = certificate;
  return {
    issuer: nameOf(issuer),
    notAfterMs: Date.parse(validTo),
    notBeforeMs: Date.parse(validFrom),
    serial: serialNumber.toLowerCase(),
    sha256: fingerprint256.replaceAll(':', '').toLowerCase(),
    subject: nameOf(subject),
  };
}

/** A private key without a passphrase; undefined for anything else. */
export function readPrivateKey(pemText: string): KeyObject | undefined {
  try {
    return createPrivateKey(pemText);
  } catch (error) {
    if (error instanceof Error) return undefined; // no key, or one under a passphrase
    throw error;
  }
}

/** Why this may not be shown to a server, with this key and now. */
export function clientFault(
  certificate: X509Certificate,
  key: KeyObject,
  nowMs: number,
): CertificateFault | undefined {
  const { notAfterMs, notBeforeMs } = factsOf(certificate);
  if (nowMs >= notAfterMs) return 'expired';
  if (nowMs < notBeforeMs) return 'not-yet-valid';
  // Absent: for every purpose.
  const { keyUsage } = certificate as { readonly keyUsage?: readonly string[] };
  if (keyUsage !== undefined && !keyUsage.includes(CLIENT_AUTH)) return 'purpose';
  return certificate.checkPrivateKey(key) ? undefined : 'key-mismatch';
}

/** Why these do not say whom to believe. */
export function authorityFault(
  certificates: readonly X509Certificate[],
  nowMs: number,
): CertificateFault | undefined {
  if (certificates.some(({ ca }) => !ca)) return 'not-an-authority';
  return certificates.some((one) => nowMs >= factsOf(one).notAfterMs) ? 'expired' : undefined;
}
