/**
 * The certificate that an endpoint's owner wants to see, and the authority that signs their own
 * (W1). A key is sealed under SECRETS_KEY_FILE for its endpoint and its public half, so that no
 * other certificate can be put beside it. Where it cannot be opened, does not fit, or its
 * certificate is out of its time, nothing is sent: a connection without it is never a way out.
 */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { DomainError } from '#core/kernel';
import {
  authorityFault,
  type CertificateFault,
  clientFault,
  factsOf,
  readCertificates,
  readPrivateKey,
} from '#platform/certificates';
import type { EpochMs } from '#platform/clock';
import { sha256Hex } from '#platform/crypto';
import { type SecretBox, SecretUnreadable } from '#platform/secretBox';
import type { ClientCertificate, PendingKey, WebhookEndpoint } from './tables.ts';

type Place = Pick<WebhookEndpoint, 'endpointId' | 'tenantId'>;

const purposeOf = ({ endpointId, tenantId }: Place, keySha256: string): string =>
  `webhook-client-key\0${tenantId}\0${endpointId}\0${keySha256}`;

/** SHA-256 of the public half. */
const digestOf = (key: KeyObject): string =>
  sha256Hex(createPublicKey(key).export({ format: 'der', type: 'spki' }));

/** The key as it is stored. */
export function sealKey(secrets: SecretBox, place: Place, keyPem: string): PendingKey {
  const key = readPrivateKey(keyPem);
  if (key === undefined) throw refused('key-format', '/client_certificate/private_key_pem');
  const keySha256 = digestOf(key);
  return { keySha256, sealedKey: secrets.seal(keyPem, purposeOf(place, keySha256)) };
}

/** Throws SecretUnreadable. */
const openKey = (secrets: SecretBox, place: Place, { keySha256, sealedKey }: PendingKey): string =>
  secrets.open(sealedKey, purposeOf(place, keySha256));

/**
 * What is stored of a certificate and the key that is given with it, or that waits for it. Throws
 * `webhook-certificate-refused`.
 */
export function checkCertificate(
  secrets: SecretBox,
  endpoint: WebhookEndpoint,
  of: { readonly certificatePem: string; readonly keyPem?: string; readonly now: EpochMs },
): ClientCertificate {
  const pointer = '/client_certificate/certificate_pem';
  const { certificatePem, keyPem, now } = of;
  const [leaf] = readCertificates(certificatePem) ?? [];
  if (leaf === undefined) throw refused('certificate-format', pointer);
  const own = keyPem === undefined ? endpoint.pendingKey : sealKey(secrets, endpoint, keyPem);
  if (own === undefined) throw refused('key-missing', '/client_certificate/private_key_pem');
  const key = readPrivateKey(openKey(secrets, endpoint, own));
  const fault = key === undefined ? 'key-format' : clientFault(leaf, key, now);
  if (fault !== undefined) throw refused(fault, pointer);
  const { issuer, notAfterMs, serial, sha256, subject } = factsOf(leaf);
  const { keySha256, sealedKey } = own;
  return {
    certificatePem,
    issuer,
    keySha256,
    notAfter: notAfterMs as EpochMs,
    sealedKey,
    serial,
    sha256,
    subject,
  };
}

/** Throws `webhook-certificate-refused` for what names no authorities. */
export function checkAuthority(caPem: string, now: EpochMs): string {
  const certificates = readCertificates(caPem);
  const fault =
    certificates === undefined ? 'certificate-format' : authorityFault(certificates, now);
  if (fault !== undefined) throw refused(fault, '/ca_pem');
  return caPem;
}

/** What connections to an endpoint show, and believe. */
export interface CertificateInUse {
  readonly tls: SecureContextOptions;
  readonly hasOwn: boolean;
  /** False: there is to be one, and there is none to show. */
  readonly isGoodAt: (now: EpochMs) => boolean;
}

const MIN_VERSION = { minVersion: 'TLSv1.2' } as const;

export function certificateInUse(
  secrets: SecretBox,
  endpoint: Pick<WebhookEndpoint, 'caPem' | 'clientCertificate' | 'endpointId' | 'tenantId'>,
): CertificateInUse {
  const { caPem, clientCertificate } = endpoint;
  const tls = { ...MIN_VERSION, ...(caPem !== undefined && { ca: caPem }) };
  if (clientCertificate === undefined) return { hasOwn: false, isGoodAt: () => true, tls };
  const unusable = { hasOwn: true, isGoodAt: () => false, tls };
  const { certificatePem: cert } = clientCertificate;
  const [leaf] = readCertificates(cert) ?? [];
  if (leaf === undefined) return unusable;
  try {
    const keyPem = openKey(secrets, endpoint, clientCertificate);
    const key = readPrivateKey(keyPem);
    const whole = { ...tls, cert, key: keyPem };
    createSecureContext(whole);
    return {
      hasOwn: true,
      isGoodAt: (now) => key !== undefined && clientFault(leaf, key, now) === undefined,
      tls: whole,
    };
  } catch (error) {
    // The key is sealed otherwise, or TLS takes the two not: each attempt says so, as `mtls`.
    if (error instanceof SecretUnreadable || isTlsRefusal(error)) return unusable;
    throw error;
  }
}

const isTlsRefusal = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_');

const EXPECTED: Readonly<Record<CertificateFault, string>> = {
  'certificate-format': 'expected certificates in PEM, the endpoint’s own first, and no key',
  expired: 'expected a certificate that has not ended',
  'key-format': 'expected a private key in PEM, without a passphrase',
  'key-mismatch': 'expected the certificate of this key',
  'key-missing': 'expected the certificate’s key, or a request for a certificate before',
  'not-an-authority': 'expected certificates of authorities',
  'not-yet-valid': 'expected a certificate that holds now',
  purpose: 'expected a certificate for clients',
};

function refused(code: CertificateFault, pointer: string): DomainError {
  const detail = EXPECTED[code];
  return new DomainError('webhook-certificate-refused', {
    detail,
    violations: [{ code, detail, pointer }],
  });
}
