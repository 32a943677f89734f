/**
 * Entries of a ZIP file, each unpacked once with checks: a spreadsheet of a few kilobytes can
 * contain gigabytes, and one damaged bit can make a sheet vanish. Names, sizes, methods and CRC-32
 * are those of the central directory; the content of an entry is verified against them.
 */
import { crc32, inflateRawSync } from 'node:zlib';
import { DomainError } from '#core/kernel';

const ENTRIES_MAX = 1_000;
export const UNPACKED_BYTES_MAX = 128 * 1024 * 1024;
const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const LOCAL_SIGNATURE = 0x04034b50;
const END_BYTES = 22;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
const COMMENT_BYTES_MAX = 65_535;
const STORED = 0;
const DEFLATED = 8;
/** General purpose flag: names are UTF-8. */
const UTF8_NAMES = 0x800;

/** By name. Throws DomainError `list-damaged` for a file that is no plain, small, whole ZIP. */
export function unzip(zip: Buffer): Map<string, Buffer> {
  const end = findEnd(zip);
  const count = zip.readUInt16LE(end + 10);
  if (count > ENTRIES_MAX) damaged(`${count} entries, at most ${ENTRIES_MAX} are read`);
  const entries = new Map<string, Buffer>();
  let at = zip.readUInt32LE(end + 16);
  let total = 0;
  for (let index = 0; index < count; index++) {
    if (at + ENTRY_BYTES > end || zip.readUInt32LE(at) !== ENTRY_SIGNATURE) {
      damaged('its directory');
    }
    total += zip.readUInt32LE(at + 24);
    if (total > UNPACKED_BYTES_MAX) damaged(`over ${UNPACKED_BYTES_MAX} bytes unpacked`);
    const nameEnd = at + ENTRY_BYTES + zip.readUInt16LE(at + 28);
    const name = zip.toString('utf8', at + ENTRY_BYTES, nameEnd);
    if (entries.has(name)) damaged('an entry that stands twice');
    entries.set(name, unpack(zip, at));
    at = nameEnd + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  if (at !== end) damaged('its directory');
  return entries;
}

function findEnd(zip: Buffer): number {
  const lowest = Math.max(0, zip.length - END_BYTES - COMMENT_BYTES_MAX);
  for (let at = zip.length - END_BYTES; at >= lowest; at--) {
    if (zip.readUInt32LE(at) === END_SIGNATURE) return at;
  }
  return damaged('cut before its directory');
}

function unpack(zip: Buffer, entry: number): Buffer {
  const isEncrypted = (zip.readUInt16LE(entry + 8) & 1) !== 0;
  const method = zip.readUInt16LE(entry + 10);
  if (isEncrypted || (method !== STORED && method !== DEFLATED)) {
    damaged('an encrypted or unusual entry');
  }
  const packedBytes = zip.readUInt32LE(entry + 20);
  const bytes = zip.readUInt32LE(entry + 24);
  const local = zip.readUInt32LE(entry + 42);
  if (local + LOCAL_BYTES > zip.length || zip.readUInt32LE(local) !== LOCAL_SIGNATURE) {
    damaged('an entry that is not where the directory says');
  }
  const lengths = zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
  const start = local + LOCAL_BYTES + lengths;
  if (start + packedBytes > zip.length) damaged('an entry that was cut');
  const packed = zip.subarray(start, start + packedBytes);
  const content = method === STORED ? packed : inflate(packed, bytes);
  if (content.length !== bytes) damaged('an entry of another size than declared');
  if (crc32(content) !== zip.readUInt32LE(entry + 16)) {
    damaged('an entry that is not what was packed');
  }
  return content;
}

function inflate(packed: Buffer, declared: number): Buffer {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, declared) });
  } catch (cause) {
    return damaged('an entry that is larger than declared, or damaged', cause);
  }
}

/** A ZIP of these entries, stored, in this order. */
export function zipStored(entries: Iterable<readonly [name: string, content: Buffer]>): Buffer[] {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of entries) {
    const nameBytes = Buffer.from(name);
    const local = Buffer.alloc(LOCAL_BYTES);
    local.writeUInt32LE(LOCAL_SIGNATURE, 0);
    writeFacts(local, 4, content);
    local.writeUInt16LE(nameBytes.length, 26);
    const entry = Buffer.alloc(ENTRY_BYTES);
    entry.writeUInt32LE(ENTRY_SIGNATURE, 0);
    writeFacts(entry, 6, content);
    entry.writeUInt16LE(nameBytes.length, 28);
    entry.writeUInt32LE(offset, 42);
    parts.push(local, nameBytes, content);
    directory.push(entry, nameBytes);
    offset += LOCAL_BYTES + nameBytes.length + content.length;
  }
  const end = Buffer.alloc(END_BYTES);
  end.writeUInt32LE(END_SIGNATURE, 0);
  end.writeUInt16LE(directory.length / 2, 8);
  end.writeUInt16LE(directory.length / 2, 10);
  const directoryBytes = directory.reduce((sum, { length }) => sum + length, 0);
  end.writeUInt32LE(directoryBytes, 12);
  end.writeUInt32LE(offset, 16);
  return [...parts, ...directory, end];
}

/** From the version that is needed to read it to the sizes: alike in both headers. */
function writeFacts(header: Buffer, at: number, content: Buffer): void {
  header.writeUInt16LE(20, at);
  header.writeUInt16LE(UTF8_NAMES, at + 2);
  header.writeUInt16LE(STORED, at + 4);
  header.writeUInt32LE(crc32(content), at + 10);
  header.writeUInt32LE(content.length, at + 14);
  header.writeUInt32LE(content.length, at + 18);
}

function damaged(what: string, cause?: unknown): never {
  throw new DomainError('list-damaged', { cause, detail: `spreadsheet: ${what}` });
}
