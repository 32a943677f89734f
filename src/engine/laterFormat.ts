/**
 * Whether an index was written by a later release than this one. Two releases run side by side
 * while an installation is upgraded, and an index that only the later one reads is not damaged.
 */
import { MAGIC as OVERLAY_MAGIC, OVERLAY_VERSION } from './overlayFormat.ts';
import { FORMAT_VERSION, MAGIC as SNAPSHOT_MAGIC } from './snapshotFormat.ts';

const HEAD_BYTES = 12;

/**
 * Whether the header of a snapshot or an overlay names a later format version than this release
 * writes. False for bytes that are neither, and for fewer than 12 bytes.
 */
export function isLaterFormat(bytes: SharedArrayBuffer): boolean {
  if (bytes.byteLength < HEAD_BYTES) return false;
  const head = Buffer.from(new Uint8Array(bytes, 0, HEAD_BYTES).slice());
  const magic = head.toString('latin1', 0, 8);
  const version = head.readUInt32LE(8);
  if (magic === SNAPSHOT_MAGIC) return version > FORMAT_VERSION;
  return magic === OVERLAY_MAGIC && version > OVERLAY_VERSION;
}
