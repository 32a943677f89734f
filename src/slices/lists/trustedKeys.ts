/**
 * Keys that may sign a file for an air-gapped installation: a JWK set, Ed25519 only. Also the
 * message that they sign for a file that is no bundle; a bundle carries its own signature.
 */
import { KeyError, type PublicKey, publicKeyFromX } from '#platform/crypto';

export type TrustedKeys = ReadonlyMap<string, PublicKey>;

/**
 * Reads the set as `keys public` writes it on the installation that signs. Throws KeyError where
 * the document or one of its keys has the wrong form; the id is the key's thumbprint, so it cannot
 * be borrowed.
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

/** The signed message for a publisher's own file that is carried without a network. */
export function listFileMessage(fileSha256: string): Uint8Array {
  return Buffer.concat([Buffer.from('list-file-v1\0'), Buffer.from(fileSha256, 'hex')]);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
