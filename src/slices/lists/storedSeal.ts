/**
 * Seals that outlive their process, of what every delta reads whole: the snapshot under its
 * overlay, the table of its base's lines. Whoever holds the installation's signing key can make
 * one, and nobody else: the key of a seal is worked out from a signature over its nonce. So it
 * says what the address says, at a tenth of the work; after a change of the signing key, the
 * address does.
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

/** For one put: two contents under one key would give the key away. */
export class SealedPut {
  readonly key: Uint8Array;
  readonly #nonce: string;

  constructor({ random, signer }: SealPorts) {
    this.#nonce = Buffer.from(random.bytes(NONCE_BYTES)).toString('hex');
    this.key = keyOf(this.#nonce, signer);
  }

  /** To be kept; undefined where the store has not sealed it with this key. */
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
