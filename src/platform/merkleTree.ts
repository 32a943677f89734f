/**
 * Merkle trees as in RFC 6962, 2.1 (Certificate Transparency): one hash that commits to a list of
 * texts in their order, and a proof of some ten hashes that one of them is in it.
 *
 * Why RFC 6962: leaves and nodes are hashed under different prefixes, so no node can be passed off
 * as a leaf; no leaf is doubled to fill a level, so no two lists have one root; and there are
 * verifiers of it in every language.
 */
import assert from 'node:assert/strict';
import { sha256 } from './crypto.ts';

const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);
const HASH_BYTES = 32;

/** SHA-256(0x00 ‖ leaf), 32 bytes. A string is taken as its UTF-8 bytes. */
export function leafHash(leaf: string | Uint8Array): Buffer {
  return sha256(Buffer.concat([LEAF, typeof leaf === 'string' ? Buffer.from(leaf) : leaf]));
}

/** Root over leaf hashes, 32 bytes; SHA-256 of nothing for an empty list. */
export function merkleRoot(leaves: readonly Uint8Array[]): Buffer {
  if (leaves.length === 0) return sha256('');
  let level = leaves;
  while (level.length > 1) level = levelAbove(level);
  const [root] = level;
  assert(root?.length === HASH_BYTES, 'a leaf hash has 32 bytes');
  return Buffer.from(root);
}

/**
 * Hashes beside the way from a leaf to the root, the lowest first (2.1.1). Levels that end in a
 * single hash hand it up as it is, so not every level gives one.
 */
export function inclusionProof(leaves: readonly Uint8Array[], index: number): Buffer[] {
  assert(Number.isInteger(index) && index >= 0 && index < leaves.length, 'index: of a leaf');
  const proof: Buffer[] = [];
  let level = leaves;
  let at = index;
  while (level.length > 1) {
    const beside = level[at ^ 1];
    if (beside !== undefined) proof.push(Buffer.from(beside));
    level = levelAbove(level);
    at >>= 1;
  }
  return proof;
}

/**
 * Whether a proof shows that the leaf stands at `index` of the `size` leaves under `root`. False
 * for every other proof, including hashes of a wrong length and surplus ones; never throws.
 */
export function isIncluded(
  root: Uint8Array,
  leaf: Uint8Array,
  place: { readonly index: number; readonly size: number; readonly proof: readonly Uint8Array[] },
): boolean {
  const { index, size, proof } = place;
  if (!Number.isSafeInteger(index) || !Number.isSafeInteger(size)) return false;
  if (index < 0 || index >= size) return false;
  if ([root, leaf, ...proof].some(({ length }) => length !== HASH_BYTES)) return false;
  let hash = leaf;
  let used = 0;
  // The last hash of a level is at `last`; halving by division, since sizes may pass 2^31.
  for (let at = index, last = size - 1; last > 0; at = half(at), last = half(last)) {
    const isRight = at % 2 === 1;
    if (!isRight && at === last) continue;
    const beside = proof[used++];
    if (beside === undefined) return false;
    hash = isRight ? nodeHash(beside, hash) : nodeHash(hash, beside);
  }
  return used === proof.length && Buffer.compare(hash, root) === 0;
}

const half = (value: number): number => Math.floor(value / 2);

function levelAbove(level: readonly Uint8Array[]): Uint8Array[] {
  const above: Uint8Array[] = [];
  for (let at = 0; at < level.length; at += 2) {
    const [left, right] = [level[at], level[at + 1]];
    assert(left?.length === HASH_BYTES, 'a leaf hash has 32 bytes');
    above.push(right === undefined ? left : nodeHash(left, right));
  }
  return above;
}

function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  return sha256(Buffer.concat([NODE, left, right]));
}
