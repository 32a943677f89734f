/**
 * Signatures of a delivery (interface.md 6.1), and those of Standard Webhooks over the same body.
 * The key is the 32 bytes behind `whsec_`, and never the text of the secret itself.
 */
import { HmacSha256 } from '#platform/crypto';

/** What the text of a secret begins with. */
export const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** 32 random bytes as they are shown. */
export const secretText = (bytes: Uint8Array): string =>
  `${SECRET_PREFIX}${Buffer.from(bytes).toString('base64')}`;

/** The key of both signatures. Throws a RangeError for what is no secret. */
export function keyOfSecret(secret: string): Buffer {
  const bytes = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  if (!secret.startsWith(SECRET_PREFIX) || bytes.length !== SECRET_BYTES) {
    throw new RangeError(`expected ${SECRET_PREFIX} and ${SECRET_BYTES} bytes in base64`);
  }
  return bytes;
}

/** Signs for one secret; made once, used for many messages. */
export interface SecretSigner {
  readonly secretVersion: number;
  readonly hmac: HmacSha256;
}

export const secretSigner = (secretVersion: number, secret: string): SecretSigner => ({
  hmac: new HmacSha256(keyOfSecret(secret)),
  secretVersion,
});

/** What is signed. */
export interface SignedMessage {
  readonly eventId: string;
  readonly timestampUnix: number;
  readonly body: string;
}

/** The signatures of one attempt. */
export interface Signatures {
  /** `t=…,v1=…`, one `v1` a live secret, the newest first. */
  readonly service: string;
  /** `v1,…`, separated by blanks. */
  readonly standard: string;
  /** The newest secret's, in hex. */
  readonly newest: string;
}

/** With every live secret, the newest first. */
export function signMessage(signers: readonly SecretSigner[], message: SignedMessage): Signatures {
  const { body, eventId, timestampUnix } = message;
  const service = Buffer.from(`${timestampUnix}.${body}`);
  const standard = Buffer.from(`${eventId}.${timestampUnix}.${body}`);
  const hex = signers.map(({ hmac }) => hmac.digest(service).toString('hex'));
  const base64 = signers.map(({ hmac }) => hmac.digest(standard).toString('base64'));
  return {
    newest: hex[0] ?? '',
    service: [`t=${timestampUnix}`, ...hex.map((one) => `v1=${one}`)].join(','),
    standard: base64.map((one) => `v1,${one}`).join(' '),
  };
}
