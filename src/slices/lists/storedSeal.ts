/**
 * Seals that outlive their process, for blobs that every delta reads whole: the snapshot under its
 * overlay, and the table of its base's lines. The key of a seal is derived from a signature over
 * its nonce, so only the holder of the installation's signing key can make one. A seal therefore
 * proves what the address proves, at a tenth of the work. After a change of the signing key the
 * address is verified instead.
 */
import type { BlobSeal, PutBlob } from '#core/blobs';
import { type Signer, sha256 } from '#platform/crypto';
import type { Random } from '#platform/random';
import type { StoredSeal } from './ports.ts';

const DOMAIN = 'list-seal-v1\0';
const NONCE_BYTES = 16;

export interface SealPorts {
  readonly signer: Pick<Signer, 'sign'>;
  readonly random: Random;
}

/** A seal for one put. Two contents under one key would reveal the key. */
export class SealedPut {
  readonly key: Uint8Array;
  readonly #nonce: string;

  constructor({ random, signer }: SealPorts) {
    this.#nonce = Buffer.from(random.bytes(NONCE_BYTES)).toString('hex');
    this.key = keyOf(this.#nonce, signer);
  }

  /** The seal to store; undefined where the store has not sealed the blob with this key. */
  stored({ seal }: PutBlob): StoredSeal | undefined {
    return seal?.key === this.key ? { nonce: this.#nonce, tag: seal.tag } : undefined;
  }
}

export const blobSeal = ({ nonce, tag }: StoredSeal, signer: Pick<Signer, 'sign'>): BlobSeal => ({
  key: keyOf(nonce, signer),
  tag,
});

const keyOf = (nonce: string, signer: Pick<Signer, 'sign'>): Uint8Array =>
  sha256(signer.sign(Buffer.from(DOMAIN + nonce)));
