/**
 * A ZIP of strangers, read at any place of it: which entries it has, and each as a stream of which
 * nothing is held but a window, whatever the archive says of its sizes.
 *
 * Why not a package: those that stream do so over streams of the web, where an error in the middle
 * leaves a promise that nobody awaits; and all of them take more than we want to take. This takes
 * the plain form alone (PKWARE's APPNOTE 4.3): one disk, no comment, no ZIP64, no password, stored
 * or deflated, entries that do not overlap, and headers that say the same as the directory.
 */
import { pipeline, Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';

/** Bytes that can be read anywhere: a file, a buffer, or what is deciphered on the way. */
export interface ReadableBytes {
  readonly bytes: number;
  /** `count` bytes from `at`, fewer at the end alone. */
  read(at: number, count: number): Promise<Uint8Array>;
}

/** An entry as its directory tells of it. */
export interface ReadEntry {
  readonly name: string;
  /** Unpacked. */
  readonly bytes: number;
  /** Throws ZipDamaged, also where the CRC or the length is another one. */
  content(): AsyncIterable<Uint8Array>;
}

/** No archive, one of another kind, or a damaged one. */
export class ZipDamaged extends Error {
  override readonly name = 'ZipDamaged';
}

interface Told {
  readonly name: string;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly packedBytes: number;
  readonly bytes: number;
  readonly offset: number;
}

const PIECE_BYTES = 64 * 1024;
const [END_BYTES, DIRECTORY_BYTES, LOCAL_BYTES] = [22, 46, 30];
const NAME_BYTES_MAX = 255;
const EXTRA_BYTES_MAX = 1_024;
/** Hints of the compressor, sizes behind the data, names in UTF-8. */
const FLAGS = 0x080e;
const [STORED, DEFLATED] = [0, 8];
const FAR = 0xffff_ffff;

function refuseUnless(isGood: boolean, what: string): asserts isGood {
  if (!isGood) throw new ZipDamaged(`expected ${what}`);
}

/** Its entries, in the order of the directory. */
export async function readZip(source: ReadableBytes, entriesMax: number): Promise<ReadEntry[]> {
  const { directory, end } = await readDirectory(source, entriesMax);
  const entries: (ReadEntry & { readonly from: number; readonly until: number })[] = [];
  for (const told of directory) {
    const start = await dataStart(source, told);
    const until = start + told.packedBytes;
    refuseUnless(until <= end, 'data before the directory');
    entries.push({
      bytes: told.bytes,
      content: () => unpacked(source, start, told),
      from: told.offset,
      name: told.name,
      until,
    });
  }
  const inPlace = entries.toSorted((a, b) => a.from - b.from);
  for (const [index, { from }] of inPlace.entries()) {
    const before = inPlace[index - 1];
    refuseUnless(before === undefined || before.until <= from, 'entries that do not overlap');
  }
  return entries;
}

async function readDirectory(source: ReadableBytes, entriesMax: number) {
  refuseUnless(source.bytes >= END_BYTES, 'an archive');
  const last = await readExactly(source, source.bytes - END_BYTES, END_BYTES);
  const isEnd = last.readUInt32LE(0) === 0x06054b50 && last.readUInt16LE(20) === 0;
  refuseUnless(isEnd && last.readUInt32LE(4) === 0, 'an archive of one disk without a comment');
  const [count, bytes, end] = [last.readUInt16LE(8), last.readUInt32LE(12), last.readUInt32LE(16)];
  refuseUnless(
    count <= entriesMax && count === last.readUInt16LE(10),
    `at most ${entriesMax} entries`,
  );
  refuseUnless(end + bytes === source.bytes - END_BYTES, 'the directory at the end');
  const oneMax = DIRECTORY_BYTES + NAME_BYTES_MAX + 2 * EXTRA_BYTES_MAX;
  refuseUnless(bytes <= count * oneMax, 'short headers');
  const all = await readExactly(source, end, bytes);
  const directory: Told[] = [];
  let at = 0;
  for (let left = count; left > 0; left--) {
    const { length, told } = readTold(all, at);
    directory.push(told);
    at += length;
  }
  refuseUnless(at === bytes, 'a directory of its entries alone');
  return { directory, end };
}

function readTold(all: Buffer, at: number): { readonly told: Told; readonly length: number } {
  refuseUnless(all.length >= at + DIRECTORY_BYTES, 'a whole directory');
  refuseUnless(all.readUInt32LE(at) === 0x02014b50, 'a header of the directory');
  const [nameBytes, extraBytes] = [all.readUInt16LE(at + 28), all.readUInt16LE(at + 30)];
  const length = DIRECTORY_BYTES + nameBytes + extraBytes + all.readUInt16LE(at + 32);
  refuseUnless(all.length >= at + length, 'a whole directory');
  const told = {
    bytes: all.readUInt32LE(at + 24),
    crc: all.readUInt32LE(at + 16),
    flags: all.readUInt16LE(at + 8),
    method: all.readUInt16LE(at + 10),
    name: all.toString('utf8', at + DIRECTORY_BYTES, at + DIRECTORY_BYTES + nameBytes),
    offset: all.readUInt32LE(at + 42),
    packedBytes: all.readUInt32LE(at + 20),
  };
  refuseUnless((told.flags & ~FLAGS) === 0, 'no entry under a password');
  refuseUnless(told.method === STORED || told.method === DEFLATED, 'stored or deflated entries');
  const isNear = ![told.bytes, told.packedBytes, told.offset].includes(FAR);
  refuseUnless(isNear && all.readUInt16LE(at + 34) === 0, 'no ZIP64, and one disk');
  refuseUnless(told.method !== STORED || told.bytes === told.packedBytes, 'one size of the stored');
  refuseUnless(nameBytes > 0 && nameBytes <= NAME_BYTES_MAX, 'a name');
  refuseUnless(!told.name.endsWith('/'), 'no directories');
  return { length, told };
}

async function dataStart(source: ReadableBytes, told: Told): Promise<number> {
  const nameBytes = Buffer.byteLength(told.name);
  const header = await readExactly(source, told.offset, LOCAL_BYTES + nameBytes);
  const isSame =
    header.readUInt32LE(0) === 0x04034b50 &&
    header.readUInt16LE(6) === told.flags &&
    header.readUInt16LE(8) === told.method &&
    header.readUInt16LE(26) === nameBytes &&
    header.toString('utf8', LOCAL_BYTES) === told.name;
  refuseUnless(isSame, 'an entry as the directory tells of it');
  return told.offset + LOCAL_BYTES + nameBytes + header.readUInt16LE(28);
}

async function readExactly(source: ReadableBytes, at: number, count: number): Promise<Buffer> {
  refuseUnless(at >= 0 && at + count <= source.bytes, 'a whole archive');
  const read = await source.read(at, count);
  refuseUnless(read.length === count, 'a whole archive');
  return Buffer.from(read.buffer, read.byteOffset, read.length);
}

async function* unpacked(
  source: ReadableBytes,
  start: number,
  told: Told,
): AsyncGenerator<Uint8Array> {
  let [bytes, crc] = [0, 0];
  const packed = packedPieces(source, start, told.packedBytes);
  try {
    for await (const piece of told.method === STORED ? packed : inflated(packed)) {
      bytes += piece.length;
      refuseUnless(bytes <= told.bytes, 'the length that the directory tells');
      crc = crc32(piece, crc);
      yield piece;
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    throw code.startsWith('Z_')
      ? new ZipDamaged('expected deflated data', { cause: error })
      : error;
  }
  refuseUnless(bytes === told.bytes && crc === told.crc, 'the length and CRC of the directory');
}

async function* packedPieces(
  source: ReadableBytes,
  start: number,
  count: number,
): AsyncGenerator<Buffer> {
  for (let at = start; at < start + count; at += PIECE_BYTES) {
    yield await readExactly(source, at, Math.min(PIECE_BYTES, start + count - at));
  }
}

/** An error of the source is thrown here; a reader who leaves ends the source. */
function inflated(pieces: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const inflate = createInflateRaw({ chunkSize: PIECE_BYTES });
  // The stream that is read throws the error, if there is one.
  return pipeline(Readable.from(pieces, { objectMode: false }), inflate, () => undefined);
}

/** A buffer as readable bytes. */
export const bytesIn = (buffer: Uint8Array): ReadableBytes => ({
  bytes: buffer.length,
  read: async (at, count) => buffer.subarray(at, at + count),
});
