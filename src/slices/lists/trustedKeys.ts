/**
 * Keys that a file of an air-gapped installation may be signed with: a JWK set, Ed25519 only. And
 * what they sign of a file that is no bundle, which carries a signature of its own.
 */
import { KeyError, type PublicKey, publicKeyFromX } from '#platform/crypto';

export type TrustedKeys = ReadonlyMap<string, PublicKey>;

/**
 * As `keys public` writes it on the installation that signs. Throws KeyError where the document or
 * one of its keys is not what it must be; the id is the key's thumbprint, so it cannot be borrowed.
 */
export function readTrustedKeys(document: unknown): TrustedKeys {
  const keys = isRecord(document) ? document.keys : undefined;
  if (!Array.isArray(keys) || keys.length === 0) {
    throw new KeyError('keys: expected {"keys":[…]}');
  }
  return new Map(
    keys.map((jwk: unknown, index) => {
      const isEd25519 = isRecord(jwk) && jwk.kty === 'OKP' && jwk.crv === 'Ed25519';
      if (!isEd25519 || typeof jwk.x !== 'string') {
        throw new KeyError(`keys: entry ${index} is not an Ed25519 JWK`);
      }
      const key = publicKeyFromX(jwk.x);
      if (jwk.kid !== undefined && jwk.kid !== key.keyId) {
        throw new KeyError(`keys: the kid of entry ${index} is not the key's thumbprint`);
      }
      return [key.keyId, key];
    }),
  );
}

/** What is signed of a publisher's own file that is carried without a network. */
export function listFileMessage(fileSha256: string): Uint8Array {
  return Buffer.concat([Buffer.from('list-file-v1\0'), Buffer.from(fileSha256, 'hex')]);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
