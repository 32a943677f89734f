/**
 * Files that come instead of a list: a packed file, since publishers also offer those, a page that
 * says that the list has moved, or another publisher's format. Such a file would fail at its first
 * byte as "not UTF-8" or "breaks off". The error names what the file is instead.
 */
import { DomainError } from '#core/kernel';

const MAGICS: readonly (readonly [name: string, hex: string])[] = [
  ['zip', '504b0304'],
  ['gzip', '1f8b'],
  ['xz', 'fd377a585a00'],
  ['bzip2', '425a68'],
  ['7z', '377abcaf271c'],
  ['zstd', '28b52ffd'],
];
const HEAD_BYTES = 256;
const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf';

/** The first bytes of a file that is read, for the error that it may end with. */
export class FileHead {
  #bytes: Buffer = Buffer.alloc(0);

  add(chunk: Uint8Array): void {
    const missing = HEAD_BYTES - this.#bytes.length;
    if (missing > 0) this.#bytes = Buffer.concat([this.#bytes, chunk.subarray(0, missing)]);
  }

  /** The error, or a better one where the file is something else. `format` is the expected one. */
  explain(error: unknown, format: string): unknown {
    const isOfFile =
      error instanceof DomainError && ['list-damaged', 'list-foreign'].includes(error.code);
    if (!isOfFile) return error;
    const archive = archiveOf(this.#bytes, format);
    const got = archive === undefined ? otherText(this.#bytes, format) : archive;
    if (got === undefined) return error;
    return new DomainError('list-foreign', {
      cause: error,
      detail: `expected ${format}, got ${got}`,
    });
  }
}

function archiveOf(bytes: Buffer, format: string): string | undefined {
  const hex = bytes.toString('hex');
  const archive = MAGICS.find(([, magic]) => hex.startsWith(magic))?.[0];
  // A workbook is a zip archive itself.
  const isWorkbook = archive === 'zip' && format.includes('XLSX');
  return archive === undefined || isWorkbook ? undefined : `a ${archive} archive: unpack it first`;
}

/** Names a text by its first characters, where a list in this format never begins so. */
function otherText(bytes: Buffer, format: string): string | undefined {
  const text = bytes.toString('latin1').replace(BYTE_ORDER_MARK, '').trimStart();
  if (/^<(?:!doctype html|html)\b/i.test(text)) return 'a web page (HTML)';
  if (text.startsWith('%PDF-')) return format.includes('PDF') ? undefined : 'a PDF document';
  if (format.includes('JSON')) return text.startsWith('<') ? 'XML' : undefined;
  if (!format.includes('XML')) return undefined;
  if (/^[{[]/.test(text)) return 'JSON';
  // The United Kingdom's list comes as either.
  if (format.includes('CSV')) return undefined;
  const [line = ''] = text.split(/[\r\n]/);
  return /^["\w][^<]*[,;\t]/.test(line) ? 'delimited text (CSV)' : undefined;
}
