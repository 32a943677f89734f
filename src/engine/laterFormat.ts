/**
 * Whether an index was written by a later release than this one. Releases stand side by side while
 * an installation is upgraded, and an index that only the other one reads is not a damaged one.
 */
import { MAGIC as OVERLAY_MAGIC, OVERLAY_VERSION } from './overlayFormat.ts';
import { FORMAT_VERSION, MAGIC as SNAPSHOT_MAGIC } from './snapshotFormat.ts';

const HEAD_BYTES = 12;

/** Of a snapshot or an overlay, by its header alone; false for bytes that are neither. */
export function isLaterFormat(bytes: SharedArrayBuffer): boolean {
  if (bytes.byteLength < HEAD_BYTES) return false;
  const head = Buffer.from(new Uint8Array(bytes, 0, HEAD_BYTES).slice());
  const magic = head.toString('latin1', 0, 8);
  const version = head.readUInt32LE(8);
  if (magic === SNAPSHOT_MAGIC) return version > FORMAT_VERSION;
  return magic === OVERLAY_MAGIC && version > OVERLAY_VERSION;
}
