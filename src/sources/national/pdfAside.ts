/**
 * Rows of a PDF, read in a process of its own. A PDF is a program of sorts: a few hundred kilobytes
 * may ask for hours of work and gigabytes of memory, while the publisher's list takes seconds. What
 * goes over its bounds is refused with the bound, and no other list waits for it.
 */
import { DomainError } from '#core/kernel';
import {
  type Bound,
  BoundExceeded,
  type BoundedWork,
  BoundedWorkError,
  boundedValues,
} from '#platform/boundedWork';
import type { TableRow } from './table.ts';

/** A PDF of PAGES_MAX full pages takes a third of it on a slow machine. */
export const PDF_MS_MAX = 60_000;
export const PDF_MEMORY_BYTES_MAX = 805_306_368;
/** Characters of all its rows. */
export const PDF_OUTPUT_CHARS_MAX = 134_217_728;

export type PdfBounds = Pick<BoundedWork, 'file' | 'memoryBytes' | 'outputChars' | 'timeMs'>;

const BOUNDS: PdfBounds = {
  file: new URL('./pdfChild.ts', import.meta.url),
  memoryBytes: PDF_MEMORY_BYTES_MAX,
  outputChars: PDF_OUTPUT_CHARS_MAX,
  timeMs: PDF_MS_MAX,
};

/** Throws DomainError `list-damaged`. Other bounds are for tests. */
export async function* pdfRowsAside(
  bytes: Buffer,
  bounds: PdfBounds = BOUNDS,
): AsyncGenerator<TableRow> {
  try {
    for await (const row of boundedValues({ ...bounds, input: bytes })) yield row as TableRow;
  } catch (error) {
    throw refusalOf(error, bounds) ?? error;
  }
}

function refusalOf(error: unknown, bounds: PdfBounds): DomainError | undefined {
  if (error instanceof BoundExceeded) {
    const detail = `PDF: reading it went over ${wordsOf(error.bound, bounds)}`;
    return new DomainError('list-damaged', { cause: error, detail });
  }
  if (!(error instanceof BoundedWorkError) || error.code !== 'list-damaged') return undefined;
  return new DomainError('list-damaged', { cause: error, detail: error.message });
}

function wordsOf(bound: Bound, { memoryBytes, outputChars, timeMs }: PdfBounds): string {
  if (bound === 'time') return `its time of ${timeMs / 1_000} s`;
  if (bound === 'memory') return `its memory of ${memoryBytes} bytes`;
  return `its ${outputChars} characters of text`;
}
