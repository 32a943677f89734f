/**
 * What a document is, by its bytes and never by its name: JPEG, PNG or PDF, whole, of one kind
 * alone, and small enough to be decoded. An image is only walked; a PDF is looked into in a
 * process of its own, since it is a program of sorts.
 */
import { DomainError } from '#core/kernel';
import { BoundExceeded, BoundedWorkError, boundedValues } from '#platform/boundedWork';
import { type DocumentFault, documentInvalid } from './documentFaults.ts';
import { type HeaderRead, jpegHeader, pngHeader } from './imageHeaders.ts';
import {
  DOCUMENT_BYTES_MAX,
  DOCUMENT_PAGES_MAX,
  IMAGE_PIXELS_MAX,
  INSPECTION_MEMORY_BYTES_MAX,
  INSPECTION_MS_MAX,
} from './limits.ts';
import type { PdfInspection } from './pdfInspection.ts';

/** Media types that are taken. */
export const MEDIA_TYPES = ['application/pdf', 'image/jpeg', 'image/png'] as const;
/** One of MEDIA_TYPES. */
export type MediaType = (typeof MEDIA_TYPES)[number];

/** A document that is taken. */
export interface Media {
  readonly mediaType: MediaType;
  readonly pages: number;
  /** Pixels of an image. */
  readonly width?: number;
  readonly height?: number;
}

const SIGNATURES: readonly (readonly [MediaType, Buffer])[] = [
  ['image/jpeg', Buffer.from([0xff, 0xd8, 0xff])],
  ['image/png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])],
  ['application/pdf', Buffer.from('%PDF-')],
];
/** Readers of PDF look for its first bytes within these, and for its end within the last ones. */
const PDF_MARGIN_BYTES = 1_024;
const OUTPUT_CHARS_MAX = 1_000;
const ZIP_END = Buffer.from([0x50, 0x4b, 0x05, 0x06]);
const ZIP_END_BYTES = 22;
const ZIP_COMMENT_BYTES_MAX = 65_535;
/** Beginnings of other kinds, in the margins of an image: pages of the web, archives, programs. */
const FOREIGN: readonly string[] = [
  '%pdf-',
  '<!doctype',
  '<html',
  '<head',
  '<body',
  '<script',
  '<svg',
  '<?xml ',
  '<?php',
  'pk\u0003\u0004',
  'rar!\u001a',
  '7z\u00bc\u00af',
  '\u007felf',
];

/** Throws `document-invalid` with every reason, and `body-too-large`. */
export async function inspectMedia(given: Uint8Array): Promise<Media> {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
  if (bytes.length === 0) throw documentInvalid(['empty']);
  if (bytes.length > DOCUMENT_BYTES_MAX) {
    const detail = `file: expected at most ${DOCUMENT_BYTES_MAX} bytes, got ${bytes.length}`;
    throw new DomainError('body-too-large', { detail });
  }
  const [mediaType] =
    SIGNATURES.find(([, start]) => bytes.subarray(0, start.length).equals(start)) ?? [];
  if (mediaType === undefined) throw documentInvalid(['kind']);
  if (mediaType === 'application/pdf') return inspectPdf(bytes);
  return inspectImage(bytes, mediaType);
}

function inspectImage(bytes: Buffer, mediaType: 'image/jpeg' | 'image/png'): Media {
  const header: HeaderRead = mediaType === 'image/jpeg' ? jpegHeader(bytes) : pngHeader(bytes);
  if ('fault' in header) throw documentInvalid([header.fault]);
  const { end, height, width } = header;
  const faults: DocumentFault[] = [];
  if (width * height > IMAGE_PIXELS_MAX) faults.push('pixels');
  const margins = [bytes.subarray(0, Math.min(end, PDF_MARGIN_BYTES)), bytes.subarray(end)];
  const isForeign = margins.some((part) => {
    const text = part.toString('latin1').toLowerCase();
    return FOREIGN.some((start) => text.includes(start));
  });
  if (isForeign || endsAsZip(bytes)) faults.push('polyglot');
  if (faults.length > 0) throw documentInvalid(faults);
  return { height, mediaType, pages: 1, width };
}

/** An archive is read from its end, whatever stands before it. */
function endsAsZip(bytes: Buffer): boolean {
  const from = Math.max(0, bytes.length - ZIP_END_BYTES - ZIP_COMMENT_BYTES_MAX);
  for (let at = bytes.indexOf(ZIP_END, from); at !== -1; at = bytes.indexOf(ZIP_END, at + 1)) {
    const commentAt = at + ZIP_END_BYTES - 2;
    const hasLength = commentAt + 2 <= bytes.length;
    if (hasLength && commentAt + 2 + bytes.readUInt16LE(commentAt) <= bytes.length) return true;
  }
  return false;
}

async function inspectPdf(bytes: Buffer): Promise<Media> {
  if (!bytes.subarray(-PDF_MARGIN_BYTES).includes('%%EOF')) throw documentInvalid(['truncated']);
  if (endsAsZip(bytes)) throw documentInvalid(['polyglot']);
  const { faults, pages } = await lookInto(bytes);
  const all: DocumentFault[] = [...faults];
  if (!faults.includes('encrypted') && (pages < 1 || pages > DOCUMENT_PAGES_MAX)) all.push('pages');
  if (all.length > 0) throw documentInvalid(all);
  return { mediaType: 'application/pdf', pages };
}

async function lookInto(bytes: Buffer): Promise<PdfInspection> {
  try {
    const found = boundedValues({
      file: new URL('./pdfInspectionChild.ts', import.meta.url),
      input: bytes,
      memoryBytes: INSPECTION_MEMORY_BYTES_MAX,
      outputChars: OUTPUT_CHARS_MAX,
      timeMs: INSPECTION_MS_MAX,
    });
    for await (const inspection of found) return inspection as PdfInspection;
  } catch (cause) {
    const isOfFile = cause instanceof BoundExceeded || cause instanceof BoundedWorkError;
    throw isOfFile ? documentInvalid(['damaged'], { cause }) : cause;
  }
  throw new Error('the process that looks into a PDF said nothing');
}
