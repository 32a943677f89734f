/**
 * Publishers give lists out packed, and a packed list fails at its first byte as "not UTF-8". Who
 * reads that is told what it is instead.
 */
import { DomainError } from '../kernel/index.ts';

const MAGICS: readonly (readonly [name: string, hex: string])[] = [
  ['zip', '504b0304'],
  ['gzip', '1f8b'],
  ['xz', 'fd377a585a00'],
  ['bzip2', '425a68'],
  ['7z', '377abcaf271c'],
  ['zstd', '28b52ffd'],
];
const HEAD_BYTES = 6;

/** The first bytes of a file that is read, for the error that it may end with. */
export class FileHead {
  #bytes: Buffer = Buffer.alloc(0);

  add(chunk: Uint8Array): void {
    if (this.#bytes.length >= HEAD_BYTES) return;
    this.#bytes = Buffer.concat([this.#bytes, chunk.subarray(0, HEAD_BYTES)]);
  }

  /** The error, or a better one where the file is an archive. `format` is what was expected. */
  explain(error: unknown, format: string): unknown {
    const isOfFile =
      error instanceof DomainError && ['list-damaged', 'list-foreign'].includes(error.code);
    const hex = this.#bytes.toString('hex');
    const archive = MAGICS.find(([, magic]) => hex.startsWith(magic))?.[0];
    // A workbook is a zip archive itself.
    const isWorkbook = archive === 'zip' && format.includes('XLSX');
    if (!isOfFile || archive === undefined || isWorkbook) return error;
    const detail = `expected ${format}, got a ${archive} archive: unpack it first`;
    return new DomainError('list-foreign', { cause: error, detail });
  }
}
