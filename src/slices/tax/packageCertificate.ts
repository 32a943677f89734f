/** Certificates of packages: whom a package is for, and who signs it. */
import { type KeyObject, X509Certificate } from 'node:crypto';
import { DomainError } from '#core/kernel';
import { factsOf } from '#platform/certificates';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { RSA_BITS_MIN } from './limits.ts';

const invalid = (detail: string): DomainError => new DomainError('certificate-invalid', { detail });

/** `bytes` in PEM or DER; `whose` is said where it is refused. */
export function readCertificate(bytes: Uint8Array, whose: string): X509Certificate {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(bytes);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw invalid(`${whose}: expected a certificate in PEM or DER`);
  }
  const { asymmetricKeyDetails, asymmetricKeyType } = certificate.publicKey;
  const bits = asymmetricKeyDetails?.modulusLength ?? 0;
  if (asymmetricKeyType !== 'rsa' || bits < RSA_BITS_MIN) {
    throw invalid(`${whose}: expected RSA of ${RSA_BITS_MIN} bits or more`);
  }
  return certificate;
}

/** Throws `certificate-expired` before its time and after it. */
export function requireCurrent(certificate: X509Certificate, whose: string, now: EpochMs): void {
  const { notAfterMs, notBeforeMs } = factsOf(certificate);
  if (now >= notBeforeMs && now < notAfterMs) return;
  const times = [notBeforeMs, notAfterMs].map((at) => toTimestamp(at as EpochMs)).join(' until ');
  throw new DomainError('certificate-expired', { detail: `${whose}: it holds from ${times}` });
}

/** Throws `certificate-invalid` where the key is not the certificate's. */
export function requireKeyOf(certificate: X509Certificate, key: KeyObject): void {
  if (!certificate.checkPrivateKey(key)) {
    throw invalid('signing key: expected the one of the signing certificate');
  }
}
