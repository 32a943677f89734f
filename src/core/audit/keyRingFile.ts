/**
 * The key ring as it is kept: one JSON file beside the signing key. A signing key that the ring
 * does not know yet is entered at the start, and the former one's range ends at the heads of that
 * moment.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ChainId } from '#core/kernel';
import { KeyError, type PublicKey } from '#platform/crypto';
import { draftOf, removeAbandonedDrafts } from '#platform/draftFile';
import { chainKeys, type KeyRing, newKeyRing, rotateKeyRing } from './keyRing.ts';

const FILE_MODE = 0o644;
const DIRECTORY_MODE = 0o700;

export interface KeyRingFileOptions {
  readonly file: string;
  /**
   * Whether a key that the ring does not know may take over. Only where nobody writes meanwhile: a
   * command run with another environment than the service must not end the service's key.
   */
  readonly mayRotate: boolean;
  /** Of the key that signs from here on. */
  readonly publicKey: PublicKey;
  /** Heads of all chains that have events; asked only where the key is new to the ring. */
  heads(): Promise<readonly { chainId: ChainId; seq: number }[]>;
}

/** The ring with the signing key in it. Throws KeyError where the file is not a key ring. */
export async function ensureKeyRing(options: KeyRingFileOptions): Promise<KeyRing> {
  const { file, publicKey } = options;
  removeAbandonedDrafts(dirname(file));
  if (!existsSync(file)) return write(file, newKeyRing(publicKey));
  const ring = JSON.parse(readFileSync(file, 'utf8')) as KeyRing;
  // Reads every entry and throws where one is not what it must be.
  chainKeys(ring, 'platform');
  const known = ring.keys.find((key) => key.kid === publicKey.keyId);
  if (known !== undefined) {
    if (known.held.default?.until === null) return ring;
    throw new KeyError(`${file}: the signing key ${known.kid} was retired and cannot sign again`);
  }
  if (!options.mayRotate) {
    throw new KeyError(
      `${file}: expected the key that signs here, got another one; if it is to take over, stop ` +
        'the service and run `keys rotate`',
    );
  }
  return write(file, rotateKeyRing(ring, publicKey, await options.heads()));
}

/** Whole or not at all: a reader never sees half a ring. */
function write(file: string, ring: KeyRing): KeyRing {
  mkdirSync(dirname(file), { mode: DIRECTORY_MODE, recursive: true });
  const draft = draftOf(file);
  writeFileSync(draft, `${JSON.stringify(ring, null, 2)}\n`, { flush: true, mode: FILE_MODE });
  renameSync(draft, file);
  return ring;
}
