/**
 * Signatures of documents that speak of a chain: attestations of batches, reports of screenings.
 */
import type { ChainId } from '#core/kernel';
import { bytesFromBase64, SIGNATURE_BYTES } from '#platform/crypto';
import { chainKeys, type DocumentPlace } from './keyRing.ts';

/** A signature of a document, and whose it is to be. */
export interface DocumentSignature {
  readonly keyId: string;
  /** As `keys public` writes them. */
  readonly keys: unknown;
  /** Undefined: the key need only have been in use at all. */
  readonly place: DocumentPlace | undefined;
  /** Base64, as it was found. */
  readonly signature: unknown;
  readonly tenantId: string;
}

/**
 * Why the signature is refused; undefined where it holds. A retired key is good only up to the seq
 * and the time at which it ended. Where the document says no place, the key must be in use still.
 * Throws KeyError where the keys cannot be read.
 */
export function refuseDocument(message: Uint8Array, by: DocumentSignature): string | undefined {
  const ring = chainKeys(by.keys, by.tenantId as ChainId);
  const key = by.place ? ring.forDocument(by.keyId, by.place) : ring.forCheckpoint(by.keyId, 1);
  if (typeof key === 'string') return key;
  const bytes =
    typeof by.signature === 'string' ? bytesFromBase64(by.signature, SIGNATURE_BYTES) : undefined;
  const isGood = bytes !== undefined && key.verify(message, bytes);
  return isGood ? undefined : 'signature does not verify';
}
