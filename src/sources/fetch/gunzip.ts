/**
 * Content-Encoding gzip with counters: compressed nothing must not become endless something.
 * Streaming, since a bound of the buffered calls comes too late.
 */
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { DomainError } from '#core/kernel';

/** Output per byte of input, once there is enough of it to tell. Lists come to 30 at most. */
export const GZIP_RATIO_MAX = 200;
const RATIO_COUNTS_FROM_BYTES = 16 * 1024 ** 2;

/** Rejects with DomainError `list-damaged` for a bomb or gzip in gzip; zlib's error otherwise. */
export async function* gunzip(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytesIn = 0;
  let bytesOut = 0;
  const counted = async function* () {
    for await (const chunk of chunks) {
      bytesIn += chunk.length;
      yield chunk;
    }
  };
  const input = Readable.from(counted(), { objectMode: false });
  const inflate = createGunzip();
  input.on('error', (error) => inflate.destroy(error));
  try {
    for await (const chunk of input.pipe(inflate) as AsyncIterable<Buffer>) {
      if (bytesOut === 0 && chunk[0] === 0x1f && chunk[1] === 0x8b) throw refused('gzip in gzip');
      bytesOut += chunk.length;
      if (bytesOut > RATIO_COUNTS_FROM_BYTES && bytesOut > bytesIn * GZIP_RATIO_MAX) {
        throw refused(`expands more than ${GZIP_RATIO_MAX} times`);
      }
      yield chunk;
    }
  } finally {
    inflate.destroy();
    input.destroy();
  }
}

const refused = (what: string) =>
  new DomainError('list-damaged', { detail: `content encoding: ${what}` });
