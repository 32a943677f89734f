/**
 * Unpacks a ZIP file once, for nothing but its size, before a library gets it: a spreadsheet of a
 * few kilobytes can hold gigabytes. Names, sizes and methods are those of the central directory;
 * what an entry really holds is measured, with the declared size as the bound.
 */
import { inflateRawSync } from 'node:zlib';
import { DomainError } from '#domain/kernel';

const ENTRIES_MAX = 1_000;
export const UNPACKED_BYTES_MAX = 128 * 1024 * 1024;
const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const LOCAL_SIGNATURE = 0x04034b50;
const END_BYTES = 22;
const COMMENT_BYTES_MAX = 65_535;

/** Throws DomainError `list-damaged` for a file that is no plain, small, unencrypted ZIP. */
export function refuseZipBomb(zip: Buffer): void {
  const end = findEnd(zip);
  const count = zip.readUInt16LE(end + 10);
  if (count > ENTRIES_MAX) damaged(`${count} entries, at most ${ENTRIES_MAX} are read`);
  let at = zip.readUInt32LE(end + 16);
  let total = 0;
  for (let index = 0; index < count; index++) {
    if (at + 46 > end || zip.readUInt32LE(at) !== ENTRY_SIGNATURE) damaged('its directory');
    total += zip.readUInt32LE(at + 24);
    if (total > UNPACKED_BYTES_MAX) damaged(`over ${UNPACKED_BYTES_MAX} bytes unpacked`);
    measure(zip, at);
    at += 46 + zip.readUInt16LE(at + 28) + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
}

function findEnd(zip: Buffer): number {
  const lowest = Math.max(0, zip.length - END_BYTES - COMMENT_BYTES_MAX);
  for (let at = zip.length - END_BYTES; at >= lowest; at--) {
    if (zip.readUInt32LE(at) === END_SIGNATURE) return at;
  }
  return damaged('cut before its directory');
}

function measure(zip: Buffer, entry: number): void {
  const isEncrypted = (zip.readUInt16LE(entry + 8) & 1) !== 0;
  const method = zip.readUInt16LE(entry + 10);
  if (isEncrypted || (method !== 0 && method !== 8)) damaged('an encrypted or unusual entry');
  const packed = zip.readUInt32LE(entry + 20);
  const unpacked = zip.readUInt32LE(entry + 24);
  const local = zip.readUInt32LE(entry + 42);
  if (local + 30 > zip.length || zip.readUInt32LE(local) !== LOCAL_SIGNATURE) {
    damaged('an entry that is not where the directory says');
  }
  const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
  if (start + packed > zip.length) damaged('an entry that was cut');
  const size = method === 0 ? packed : inflatedBytes(zip.subarray(start, start + packed), unpacked);
  if (size !== unpacked) damaged('an entry of another size than declared');
}

function inflatedBytes(packed: Buffer, declared: number): number {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, declared) }).length;
  } catch (cause) {
    return damaged('an entry that is larger than declared, or damaged', cause);
  }
}

function damaged(what: string, cause?: unknown): never {
  throw new DomainError('list-damaged', { cause, detail: `spreadsheet: ${what}` });
}
