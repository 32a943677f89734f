/**
 * The changes since a snapshot, as one small buffer: a bitmap of the entities that are gone, and a
 * whole little snapshot of those that are new or different. Base and overlay are screened as one
 * list.
 *
 *   bytes 0..7    magic "CPENGOVL"
 *   bytes 8..11   u32 format version          bytes 12..15  u32 byte order mark 0x01020304
 *   bytes 16..23  f64 length in bytes         bytes 24..27  u32 CRC-32 of all bytes from 32 on
 *   bytes 28..31  u32 entities of the base that are gone
 *   bytes 32..63  the base's first 32 bytes, which hold its length and checksum
 *   bytes 64..67  u32 entities of the base    bytes 68..71  u32 names of those that are gone
 *   bytes 72..79  f64 offset of the snapshot, a multiple of 8
 *   bytes 80..    one bit per entity of the base, set: gone; entity e is bit e & 7 of byte e >> 3
 *   then, after zeros up to a multiple of 8, the snapshot (snapshotFormat.ts) to the end
 *
 * An overlay belongs to one base, which may have any number of overlays. Each holds all changes
 * since the base, never those since another overlay.
 */
import assert from 'node:assert/strict';
import { checksum, checksumInSteps } from './checksum.ts';

/** The first eight bytes of an overlay, in Latin-1. */
export const MAGIC = 'CPENGOVL';
/** Grows with any change of layout. The snapshot inside has a version of its own. */
export const OVERLAY_VERSION = 1;
const BYTE_ORDER = 0x01020304;
const CHECKED_FROM = 32;
const BASE_HEAD_AT = 32;
/** Bytes of a snapshot that identify it: its header. */
const BASE_HEAD_BYTES = 32;
const BITMAP_AT = 80;

/** The contents of an overlay. */
export interface OverlayParts {
  /** Bitmap over the base's entities; a set bit means gone. */
  readonly removed: Uint8Array;
  readonly removedEntities: number;
  /** Published names of the removed entities. */
  readonly removedNames: number;
  readonly baseEntities: number;
  /** In a buffer of its own, so that it is loaded like any other snapshot. */
  readonly snapshot: SharedArrayBuffer;
}

function align(offset: number): number {
  return Math.ceil(offset / 8) * 8;
}

/** Whether an entity of the base is gone; false without a bitmap, and for numbers outside it. */
export function isRemoved(removed: Uint8Array | undefined, entity: number): boolean {
  return removed !== undefined && (((removed[entity >> 3] ?? 0) >> (entity & 7)) & 1) === 1;
}

/**
 * Writes an overlay; the same parts give the same bytes. The bitmap must have one bit per entity of
 * the base.
 */
export function writeOverlay(base: SharedArrayBuffer, parts: OverlayParts): SharedArrayBuffer {
  const { removed, snapshot } = parts;
  assert.equal(removed.length, Math.ceil(parts.baseEntities / 8), 'one bit per entity');
  const offset = align(BITMAP_AT + removed.length);
  const buffer = new SharedArrayBuffer(offset + snapshot.byteLength);
  const view = new DataView(buffer);
  const bytes = new Uint8Array(buffer);
  bytes.set(Buffer.from(MAGIC, 'latin1'));
  view.setUint32(8, OVERLAY_VERSION, true);
  view.setUint32(12, BYTE_ORDER, true);
  view.setFloat64(16, buffer.byteLength, true);
  view.setUint32(28, parts.removedEntities, true);
  bytes.set(new Uint8Array(base, 0, BASE_HEAD_BYTES), BASE_HEAD_AT);
  view.setUint32(64, parts.baseEntities, true);
  view.setUint32(68, parts.removedNames, true);
  view.setFloat64(72, offset, true);
  bytes.set(removed, BITMAP_AT);
  bytes.set(new Uint8Array(snapshot), offset);
  view.setUint32(24, checksum(bytes.subarray(CHECKED_FROM)), true);
  return buffer;
}

function bitsSet(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) {
    for (let rest = byte; rest !== 0; rest &= rest - 1) count += 1;
  }
  return count;
}

function checkHead(overlay: SharedArrayBuffer): void {
  const view = new DataView(overlay);
  const bytes = new Uint8Array(overlay);
  if (bytes.length < BITMAP_AT) {
    throw new Error(`overlay truncated: expected a header of 80 bytes, got ${bytes.length}`);
  }
  if (Buffer.from(bytes.slice(0, 8)).toString('latin1') !== MAGIC) {
    throw new Error(`overlay foreign: expected magic ${MAGIC}`);
  }
  const version = view.getUint32(8, true);
  if (version !== OVERLAY_VERSION) {
    throw new Error(`overlay version: expected ${OVERLAY_VERSION}, got ${version}`);
  }
  if (view.getUint32(12, true) !== BYTE_ORDER) {
    throw new Error('overlay byte order: written on a machine of another one');
  }
  const length = view.getFloat64(16, true);
  if (length !== bytes.length) {
    throw new Error(`overlay truncated: expected ${length} bytes, got ${bytes.length}`);
  }
}

function compareChecksum(overlay: SharedArrayBuffer, found: number): void {
  if (new DataView(overlay).getUint32(24, true) === found) return;
  throw new Error('overlay damaged: checksum differs');
}

/**
 * Verifies an overlay against its base and takes it apart. Throws an Error that names what is
 * wrong: foreign, another version, truncated, damaged, or made for another base. The snapshot
 * inside is copied but not checked.
 */
export function openOverlay(overlay: SharedArrayBuffer, base: SharedArrayBuffer): OverlayParts {
  checkHead(overlay);
  compareChecksum(overlay, checksum(new Uint8Array(overlay, CHECKED_FROM)));
  return partsOf(overlay, base);
}

/** Does the same as openOverlay in small steps, between which the event loop goes on. */
export async function openOverlayInSteps(
  overlay: SharedArrayBuffer,
  base: SharedArrayBuffer,
): Promise<OverlayParts> {
  checkHead(overlay);
  compareChecksum(overlay, await checksumInSteps(new Uint8Array(overlay, CHECKED_FROM)));
  return partsOf(overlay, base);
}

function partsOf(overlay: SharedArrayBuffer, base: SharedArrayBuffer): OverlayParts {
  const view = new DataView(overlay);
  const head = Buffer.from(overlay.slice(BASE_HEAD_AT, BASE_HEAD_AT + BASE_HEAD_BYTES));
  if (!head.equals(Buffer.from(base.slice(0, BASE_HEAD_BYTES)))) {
    throw new Error('overlay of another snapshot: its base has another header');
  }
  const baseEntities = view.getUint32(64, true);
  const removedEntities = view.getUint32(28, true);
  const offset = view.getFloat64(72, true);
  const bitmapEnd = BITMAP_AT + Math.ceil(baseEntities / 8);
  if (offset !== align(bitmapEnd) || offset > overlay.byteLength) {
    throw new Error('overlay damaged: its snapshot does not fit');
  }
  // Copies, so that the overlay itself can be freed once it is loaded.
  const removed = new Uint8Array(overlay.slice(BITMAP_AT, bitmapEnd));
  const beyond = (removed.at(-1) ?? 0) >> (baseEntities & 7 || 8);
  if (beyond !== 0 || bitsSet(removed) !== removedEntities) {
    throw new Error('overlay damaged: expected as many removed entities as it says');
  }
  return {
    removed,
    removedEntities,
    removedNames: view.getUint32(68, true),
    baseEntities,
    snapshot: overlay.slice(offset),
  };
}
