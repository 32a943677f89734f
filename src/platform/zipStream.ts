/**
 * A ZIP archive as a stream of bytes, entry after entry, each deflated while it is made. Memory
 * does not grow with it, and a slow reader slows the writer.
 *
 * Why not a package: packages pipe streams, so an error or a reader who leaves is noticed by only
 * half of them; and they write times by the host's time zone, where the same batch must give the
 * same bytes. The part of the format that we need is a page (PKWARE's APPNOTE, 4.3; names as UTF-8,
 * no encryption). Sizes stand behind the data, since they are not known before. An entry stays
 * below 4 GiB, which its maker ensures; the archive may be larger (ZIP64).
 */
import assert from 'node:assert/strict';
import { pipeline, Readable } from 'node:stream';
import { crc32, createDeflateRaw } from 'node:zlib';

export interface ZipEntry {
  /** ASCII, with forward slashes. */
  readonly path: string;
  /** Read to its end before the next entry is asked for. */
  readonly content: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;
}

interface WrittenEntry {
  readonly name: Buffer;
  readonly offset: number;
  readonly crc: number;
  readonly packedBytes: number;
  readonly bytes: number;
}

/** A compromise between speed and size, for XML that repeats itself a lot. */
const DEFLATE_LEVEL = 3;
const ENTRY_BYTES_MAX = 0xffff_ffff;
const FOUR_GIB = 0xffff_ffff;
const VERSION = 20;
const VERSION_ZIP64 = 45;
/** Sizes and CRC behind the data (bit 3); names in UTF-8 (bit 11). */
const FLAGS = 0x0808;
const DEFLATED = 8;
/** 1980-01-01, the first day of the format: entries have no time of their own. */
const DOS_DATE = 0x0021;

/** Joins the pieces of the archive; the reader sets the pace. */
export async function* zipped(
  entries: Iterable<ZipEntry> | AsyncIterable<ZipEntry>,
): AsyncGenerator<Uint8Array> {
  const written: WrittenEntry[] = [];
  let offset = 0;
  for await (const { content, path } of entries) {
    const name = Buffer.from(path, 'ascii');
    const header = localHeader(name);
    yield header;
    const sums = { bytes: 0, crc: 0 };
    let packedBytes = 0;
    for await (const piece of deflated(counted(content, sums))) {
      packedBytes += piece.length;
      yield piece;
    }
    assert(sums.bytes < ENTRY_BYTES_MAX && packedBytes < ENTRY_BYTES_MAX, `${path}: too long`);
    const entry = { ...sums, name, offset, packedBytes };
    const descriptor = dataDescriptor(entry);
    yield descriptor;
    written.push(entry);
    offset += header.length + packedBytes + descriptor.length;
  }
  const directory = Buffer.concat(written.map(directoryHeader));
  yield directory;
  yield endOfDirectory({ bytes: directory.length, entries: written.length, offset });
}

async function* counted(
  content: ZipEntry['content'],
  sums: { bytes: number; crc: number },
): AsyncGenerator<Buffer> {
  for await (const given of content) {
    const piece = Buffer.from(given as Uint8Array);
    sums.bytes += piece.length;
    sums.crc = crc32(piece, sums.crc);
    yield piece;
  }
}

/** An error of the source is thrown here; a reader who leaves ends the source. */
function deflated(pieces: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const deflate = createDeflateRaw({ chunkSize: 64 * 1024, level: DEFLATE_LEVEL });
  // The stream that is read throws the error, if there is one.
  return pipeline(Readable.from(pieces, { objectMode: false }), deflate, () => undefined);
}

function localHeader(name: Buffer): Buffer {
  const fixed = Buffer.alloc(30);
  fixed.writeUInt32LE(0x04034b50, 0);
  fixed.writeUInt16LE(VERSION, 4);
  fixed.writeUInt16LE(FLAGS, 6);
  fixed.writeUInt16LE(DEFLATED, 8);
  fixed.writeUInt16LE(DOS_DATE, 12);
  fixed.writeUInt16LE(name.length, 26);
  return Buffer.concat([fixed, name]);
}

function dataDescriptor({ bytes, crc, packedBytes }: WrittenEntry): Buffer {
  const descriptor = Buffer.alloc(16);
  descriptor.writeUInt32LE(0x08074b50, 0);
  descriptor.writeUInt32LE(crc, 4);
  descriptor.writeUInt32LE(packedBytes, 8);
  descriptor.writeUInt32LE(bytes, 12);
  return descriptor;
}

function directoryHeader({ bytes, crc, name, offset, packedBytes }: WrittenEntry): Buffer {
  const isFar = offset >= FOUR_GIB;
  const far = Buffer.alloc(isFar ? 12 : 0);
  if (isFar) {
    far.writeUInt16LE(0x0001, 0);
    far.writeUInt16LE(8, 2);
    far.writeBigUInt64LE(BigInt(offset), 4);
  }
  const fixed = Buffer.alloc(46);
  fixed.writeUInt32LE(0x02014b50, 0);
  fixed.writeUInt16LE(isFar ? VERSION_ZIP64 : VERSION, 4);
  fixed.writeUInt16LE(isFar ? VERSION_ZIP64 : VERSION, 6);
  fixed.writeUInt16LE(FLAGS, 8);
  fixed.writeUInt16LE(DEFLATED, 10);
  fixed.writeUInt16LE(DOS_DATE, 14);
  fixed.writeUInt32LE(crc, 16);
  fixed.writeUInt32LE(packedBytes, 20);
  fixed.writeUInt32LE(bytes, 24);
  fixed.writeUInt16LE(name.length, 28);
  fixed.writeUInt16LE(far.length, 30);
  fixed.writeUInt32LE(isFar ? FOUR_GIB : offset, 42);
  return Buffer.concat([fixed, name, far]);
}

function endOfDirectory(directory: {
  readonly offset: number;
  readonly bytes: number;
  readonly entries: number;
}): Buffer {
  const isFar = directory.offset >= FOUR_GIB;
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(directory.entries, 8);
  end.writeUInt16LE(directory.entries, 10);
  end.writeUInt32LE(directory.bytes, 12);
  end.writeUInt32LE(isFar ? FOUR_GIB : directory.offset, 16);
  return isFar ? Buffer.concat([zip64End(directory), end]) : end;
}

/** The record with the 64-bit offset, and the locator that says where it is. */
function zip64End(directory: {
  readonly offset: number;
  readonly bytes: number;
  readonly entries: number;
}): Buffer {
  const record = Buffer.alloc(56);
  record.writeUInt32LE(0x06064b50, 0);
  record.writeBigUInt64LE(44n, 4);
  record.writeUInt16LE(VERSION_ZIP64, 12);
  record.writeUInt16LE(VERSION_ZIP64, 14);
  record.writeBigUInt64LE(BigInt(directory.entries), 24);
  record.writeBigUInt64LE(BigInt(directory.entries), 32);
  record.writeBigUInt64LE(BigInt(directory.bytes), 40);
  record.writeBigUInt64LE(BigInt(directory.offset), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(directory.offset + directory.bytes), 8);
  locator.writeUInt32LE(1, 16);
  return Buffer.concat([record, locator]);
}
