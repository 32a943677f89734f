/**
 * The key ring on the disk: one JSON file beside the signing key. A signing key that is new to the
 * ring is entered at the start, and the range of the former key ends at the heads of that moment.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ChainId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { KeyError, type PublicKey } from '#platform/crypto';
import { draftOf, removeAbandonedDrafts } from '#platform/draftFile';
import { chainKeys, type KeyRing, newKeyRing, rotateKeyRing } from './keyRing.ts';

const FILE_MODE = 0o644;
const DIRECTORY_MODE = 0o700;

/** Where the ring is kept, and which key signs now. */
export interface KeyRingFileOptions {
  readonly file: string;
  /**
   * Whether a key that is new to the ring may take over. True only where no process writes
   * meanwhile: a command run with another environment than the service must not end the service's
   * key.
   */
  readonly mayRotate: boolean;
  /** The time at which a key that is in use is retired. */
  readonly at?: EpochMs;
  /** Public half of the key that signs from here on. */
  readonly publicKey: PublicKey;
  /** Heads of all chains that have events; called only where the key is new to the ring. */
  heads(): Promise<readonly { chainId: ChainId; seq: number }[]>;
}

/**
 * Returns the ring with the signing key in it, and writes the file where that is new. Throws
 * KeyError where the file is no key ring, the key was retired, or it may not take over.
 */
export async function ensureKeyRing(options: KeyRingFileOptions): Promise<KeyRing> {
  const { file, publicKey } = options;
  removeAbandonedDrafts(dirname(file));
  if (!existsSync(file)) return write(file, newKeyRing(publicKey));
  const ring = JSON.parse(readFileSync(file, 'utf8')) as KeyRing;
  // Checks every entry; throws where one has the wrong form.
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
  return write(file, rotateKeyRing(ring, publicKey, await options.heads(), options.at));
}

/** Writes by rename, so a reader never sees half a ring. */
function write(file: string, ring: KeyRing): KeyRing {
  mkdirSync(dirname(file), { mode: DIRECTORY_MODE, recursive: true });
  const draft = draftOf(file);
  writeFileSync(draft, `${JSON.stringify(ring, null, 2)}\n`, { flush: true, mode: FILE_MODE });
  renameSync(draft, file);
  return ring;
}
