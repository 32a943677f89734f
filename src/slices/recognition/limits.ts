/** Limits of documents that are looked into. */
import type { LimitRow } from '#core/kernel';

const MIB = 1024 * 1024;

/** Bytes of one document. */
export const DOCUMENT_BYTES_MAX = 15 * MIB;
/** Pages of a PDF that is kept, and those of them that are read. */
export const DOCUMENT_PAGES_MAX = 100;
export const PAGES_READ_MAX = 10;
/** Pixels of an image, by its header: nothing is decoded before. */
export const IMAGE_PIXELS_MAX = 50_000_000;
/** Bounds of the process that looks into a PDF. */
export const INSPECTION_MS_MAX = 15_000;
export const INSPECTION_MEMORY_BYTES_MAX = 512 * MIB;
/** Bytes of compressed objects of one PDF, unpacked. */
export const UNPACKED_BYTES_MAX = 64 * MIB;

/** Milliseconds for one page, and for all of a document. */
export const PAGE_MS_MAX = 30_000;
export const DOCUMENT_MS_MAX = 60_000;
/** Address space of a program that reads characters, and of one that draws pages. */
export const READER_MEMORY_BYTES_MAX = 1024 * MIB;
export const TEXT_MEMORY_BYTES_MAX = 512 * MIB;
/** Characters of a document’s text. */
export const TEXT_CHARS_MAX = 4_000_000;

/** Rows of docs/limits.md. */
export const limits: readonly LimitRow[] = [
  { beyond: 'body-too-large', max: DOCUMENT_BYTES_MAX, what: 'Bytes of a document' },
  { beyond: 'document-invalid', max: DOCUMENT_PAGES_MAX, what: 'Pages of a document' },
  { beyond: 'document-invalid', max: IMAGE_PIXELS_MAX, what: 'Pixels of an image' },
];
