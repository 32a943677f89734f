/** The text of a PDF, taken out in the bounded process that files of anybody are read in. */
import { BoundExceeded, BoundedWorkError, boundedValues } from '#platform/boundedWork';
import { PAGE_MS_MAX, TEXT_CHARS_MAX, TEXT_MEMORY_BYTES_MAX } from './limits.ts';
import type { PdfPage } from './pdfText.ts';

/** Undefined where it cannot be read within its bounds. */
export async function readPdfText(bytes: Uint8Array): Promise<readonly PdfPage[] | undefined> {
  const pages: PdfPage[] = [];
  try {
    const found = boundedValues({
      file: new URL('./pdfTextChild.ts', import.meta.url),
      input: bytes,
      memoryBytes: TEXT_MEMORY_BYTES_MAX,
      outputChars: TEXT_CHARS_MAX,
      timeMs: PAGE_MS_MAX,
    });
    for await (const page of found) pages.push(page as PdfPage);
    return pages;
  } catch (error) {
    if (error instanceof BoundExceeded || error instanceof BoundedWorkError) return undefined;
    throw error;
  }
}
