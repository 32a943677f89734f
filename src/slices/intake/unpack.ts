/**
 * An upload as plain bytes: gzip is unpacked as it arrives, anything else passes through.
 *
 * Its first bytes decide whether it is gzip, not a name or header that a client chose. zlib
 * verifies the CRC-32 and length of each member, and a file that ends inside a member is refused;
 * members that follow each other are one file (RFC 1952, 2.2). zlib ignores bytes after the last
 * member. We refuse them, because no one can say what they were. Bounds are counted in the stream,
 * since zlib's own bound works only for whole buffers.
 */
import { once } from 'node:events';
import { createGunzip } from 'node:zlib';
import { DomainError } from '#core/kernel';

export const UNPACKED_BYTES_MAX = 8_589_934_592;
/** Output per byte of input, once there is enough of it to tell. Customer files come to 12. */
export const UNPACK_RATIO_MAX = 200;
const RATIO_COUNTS_FROM_BYTES = 16 * 1024 ** 2;
const OUTPUT_CHUNK_BYTES = 256 * 1024;

export type Packing = 'gzip' | 'none';

export interface Unpacked {
  readonly packing: Packing;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Waits for the first bytes. Reading on throws `upload-damaged` or `body-too-large`. */
export async function unpack(
  packed: AsyncIterable<Uint8Array>,
  { bytesMax = UNPACKED_BYTES_MAX }: { bytesMax?: number } = {},
): Promise<Unpacked> {
  const source = packed[Symbol.asyncIterator]();
  const head: Uint8Array[] = [];
  let headBytes = 0;
  while (headBytes < 4) {
    const next = await source.next();
    if (next.done === true) break;
    head.push(next.value);
    headBytes += next.value.length;
  }
  const first = Buffer.concat(head.map((one) => one.subarray(0, 4)));
  const bytes = resumed(head, source);
  if (isGzip(first)) return { bytes: gunzip(bytes, bytesMax), packing: 'gzip' };
  if (first.toString('latin1', 0, 2) === 'PK') {
    await source.return?.();
    throw refused('expected plain text or gzip; found a ZIP archive or an Excel workbook');
  }
  return { bytes: bounded(bytes, bytesMax), packing: 'none' };
}

const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;
const refused = (detail: string): DomainError => new DomainError('upload-damaged', { detail });

async function* resumed(
  head: readonly Uint8Array[],
  source: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* head;
    for (;;) {
      const next = await source.next();
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await source.return?.();
  }
}

/** Throws `body-too-large` at the chunk that goes over. */
export async function* bounded(
  bytes: AsyncIterable<Uint8Array>,
  bytesMax: number,
): AsyncGenerator<Uint8Array> {
  let total = 0;
  for await (const chunk of bytes) {
    total += chunk.length;
    if (total > bytesMax) throw tooLarge(bytesMax);
    yield chunk;
  }
}

const tooLarge = (bytesMax: number): DomainError =>
  new DomainError('body-too-large', { detail: `more than ${bytesMax} bytes, unpacked` });

async function* gunzip(
  packed: AsyncIterable<Uint8Array>,
  bytesMax: number,
): AsyncGenerator<Uint8Array> {
  const inflate = createGunzip({ chunkSize: OUTPUT_CHUNK_BYTES });
  const input = { bytes: 0, hasFailed: false };
  const feeding = feed(packed, inflate, input);
  feeding.catch(() => undefined); // reported below, once the bytes unpacked before are taken
  let bytesOut = 0;
  try {
    for await (const chunk of inflate as AsyncIterable<Buffer>) {
      if (bytesOut === 0 && isGzip(chunk)) throw refused('gzip: expected a file, found gzip again');
      bytesOut += chunk.length;
      if (bytesOut > bytesMax) throw tooLarge(bytesMax);
      if (bytesOut > RATIO_COUNTS_FROM_BYTES && bytesOut > input.bytes * UNPACK_RATIO_MAX) {
        const detail = `gzip: expands more than ${UNPACK_RATIO_MAX} times`;
        throw new DomainError('body-too-large', { detail });
      }
      yield chunk;
    }
    await feeding;
    if (inflate.bytesWritten !== input.bytes) throw refused('gzip: something follows its end');
  } catch (error) {
    // The end of the pipe that broke first gives the reason.
    if (input.hasFailed) await feeding;
    throw zlibFault(error);
  } finally {
    inflate.destroy();
  }
}

/** Feeds the unpacker with backpressure; ends silently once the unpacker has stopped. */
async function feed(
  packed: AsyncIterable<Uint8Array>,
  inflate: ReturnType<typeof createGunzip>,
  input: { bytes: number; hasFailed: boolean },
): Promise<void> {
  const closed = once(inflate, 'close').then(
    () => undefined,
    () => undefined,
  );
  try {
    for await (const chunk of packed) {
      if (inflate.destroyed) return;
      input.bytes += chunk.length;
      if (!inflate.write(chunk)) await Promise.race([once(inflate, 'drain'), closed]);
    }
    inflate.end();
  } catch (error) {
    if (inflate.destroyed) return;
    input.hasFailed = true;
    inflate.destroy(error instanceof Error ? error : new Error(String(error)));
    throw error;
  }
}

/** A fault that zlib found is the upload's; any other error is passed on. */
function zlibFault(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (!code.startsWith('Z_')) return error;
  const reason = error instanceof Error ? error.message : '';
  return new DomainError('upload-damaged', { cause: error, detail: `gzip: ${reason}` });
}
