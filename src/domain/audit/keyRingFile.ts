/**
 * The key ring as it is kept: one JSON file beside the signing key. A signing key that the ring
 * does not know yet is entered at the start, and the former one's range ends at the heads of that
 * moment.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { PublicKey } from '#platform/crypto';
import type { ChainId } from '../kernel/index.ts';
import { chainKeys, type KeyRing, newKeyRing, rotateKeyRing } from './keyRing.ts';

const FILE_MODE = 0o644;
const DIRECTORY_MODE = 0o700;

export interface KeyRingFileOptions {
  readonly file: string;
  /** Of the key that signs from here on. */
  readonly publicKey: PublicKey;
  /** Heads of all chains that have events; asked only where the key is new to the ring. */
  heads(): Promise<readonly { chainId: ChainId; seq: number }[]>;
}

/** The ring with the signing key in it. Throws KeyError where the file is not a key ring. */
export async function ensureKeyRing(options: KeyRingFileOptions): Promise<KeyRing> {
  const { file, publicKey } = options;
  if (!existsSync(file)) return write(file, newKeyRing(publicKey));
  const ring = JSON.parse(readFileSync(file, 'utf8')) as KeyRing;
  // Reads every entry and throws where one is not what it must be.
  chainKeys(ring, 'platform');
  if (ring.keys.some((key) => key.kid === publicKey.keyId)) return ring;
  return write(file, rotateKeyRing(ring, publicKey, await options.heads()));
}

/** Whole or not at all: a reader never sees half a ring. */
function write(file: string, ring: KeyRing): KeyRing {
  mkdirSync(dirname(file), { mode: DIRECTORY_MODE, recursive: true });
  const draft = `${file}.${process.pid}.new`;
  writeFileSync(draft, `${JSON.stringify(ring, null, 2)}\n`, { flush: true, mode: FILE_MODE });
  renameSync(draft, file);
  return ring;
}
