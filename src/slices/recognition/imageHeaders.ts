/**
 * JPEG and PNG, walked from their first marker to their last without decoding a pixel: how large
 * they are, whether they are whole, and where they end.
 */
import { crc32 } from 'node:zlib';
import type { DocumentFault } from './documentFaults.ts';

/** An image as its header has it. */
export interface ImageHeader {
  readonly width: number;
  readonly height: number;
  /** The first byte behind the image. */
  readonly end: number;
}

/** What a walk found. */
export type HeaderRead = ImageHeader | { readonly fault: DocumentFault };

const SOI = 0xd8;
const EOI = 0xd9;
const SOS = 0xda;
const TEM = 0x01;
const MARKER = 0xff;

const isStandalone = (marker: number): boolean =>
  marker === TEM || marker === SOI || (marker >= 0xd0 && marker <= 0xd7);
/** A frame header, by any of the codings; 0xc4, 0xc8 and 0xcc are none. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

/** ISO/IEC 10918-1, annex B. */
export function jpegHeader(bytes: Buffer): HeaderRead {
  let at = 2;
  let size = { height: 0, width: 0 };
  for (;;) {
    if (at + 1 >= bytes.length) return { fault: 'truncated' };
    if (bytes[at] !== MARKER) return { fault: 'damaged' };
    while (bytes[at + 1] === MARKER) at++; // fill bytes
    const marker = bytes[at + 1] ?? 0;
    at += 2;
    if (marker === EOI) return ended(size, at);
    if (isStandalone(marker)) continue;
    if (at + 2 > bytes.length) return { fault: 'truncated' };
    const length = bytes.readUInt16BE(at);
    if (length < 2) return { fault: 'damaged' };
    if (at + length > bytes.length) return { fault: 'truncated' };
    if (isFrame(marker)) {
      if (length < 8) return { fault: 'damaged' };
      size = larger(size, {
        height: bytes.readUInt16BE(at + 3),
        width: bytes.readUInt16BE(at + 5),
      });
    }
    at += length;
    if (marker === SOS) at = afterScan(bytes, at);
  }
}

const ended = (size: { height: number; width: number }, end: number): HeaderRead =>
  size.height > 0 && size.width > 0 ? { ...size, end } : { fault: 'damaged' };

const larger = <Size extends { height: number; width: number }>(a: Size, b: Size): Size =>
  a.height * a.width > b.height * b.width ? a : b;

/** The next marker that is none of the coded data: no stuffed zero, no restart. */
function afterScan(bytes: Buffer, from: number): number {
  let at = bytes.indexOf(MARKER, from);
  while (at !== -1 && at + 1 < bytes.length) {
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && (next < 0xd0 || next > 0xd7)) return at;
    at = bytes.indexOf(MARKER, at + 2);
  }
  return bytes.length;
}

const PNG_SIGNATURE_BYTES = 8;
const CHUNK_FRAME_BYTES = 12;
const IHDR_BYTES = 13;

/** RFC 2083: a header chunk first, each chunk with its checksum, an end chunk last. */
export function pngHeader(bytes: Buffer): HeaderRead {
  let at = PNG_SIGNATURE_BYTES;
  let size: { height: number; width: number } | undefined;
  let hasPixels = false;
  for (;;) {
    if (at + CHUNK_FRAME_BYTES > bytes.length) return { fault: 'truncated' };
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    const end = at + CHUNK_FRAME_BYTES + length;
    if (end > bytes.length) return { fault: 'truncated' };
    if (crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) {
      return { fault: 'damaged' };
    }
    if (size === undefined) {
      if (type !== 'IHDR' || length !== IHDR_BYTES) return { fault: 'damaged' };
      size = { height: bytes.readUInt32BE(at + 12), width: bytes.readUInt32BE(at + 8) };
    }
    hasPixels ||= type === 'IDAT';
    at = end;
    if (type === 'IEND') return hasPixels ? ended(size, at) : { fault: 'damaged' };
  }
}
