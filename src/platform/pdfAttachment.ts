/**
 * The attestation out of its PDF. Our PDF holds it uncompressed, once, as docs/batch-evidence.md
 * says; so it is found without a reader of PDF, and anything else is refused.
 */
const EMBEDDED = '/Type /EmbeddedFile\n';
const LENGTH = '/Length ';
const STREAM = 'stream\n';
/** Bytes of the dictionary before the content. */
const DICTIONARY_BYTES_MAX = 512;
const DIGITS_MAX = 9;

export const isPdf = (file: Buffer): boolean => file.subarray(0, 5).toString('latin1') === '%PDF-';

/** Undefined where there is none, or more than one. */
export function readAttachment(pdf: Buffer): Buffer | undefined {
  const start = pdf.indexOf(EMBEDDED);
  if (start < 0 || pdf.indexOf(EMBEDDED, start + 1) >= 0) return undefined;
  const dictionary = pdf.subarray(start, start + DICTIONARY_BYTES_MAX).toString('latin1');
  const lengthAt = dictionary.indexOf(LENGTH);
  const streamAt = dictionary.indexOf(STREAM);
  if (lengthAt < 0 || streamAt < lengthAt) return undefined;
  const digits = dictionary.slice(lengthAt + LENGTH.length).slice(0, DIGITS_MAX);
  const length = Number.parseInt(digits, 10);
  const from = start + streamAt + STREAM.length;
  return from + length <= pdf.length ? pdf.subarray(from, from + length) : undefined;
}
