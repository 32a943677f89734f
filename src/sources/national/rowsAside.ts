/**
 * Rows of a file, read in a process of its own. A PDF is a program of sorts, and a spreadsheet is
 * packed: a few hundred kilobytes may ask for hours of work and gigabytes of memory, while the
 * publisher's list takes seconds. What goes over its bounds is refused with the bound, and no other
 * list waits for it.
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
export const ASIDE_MS_MAX = 60_000;
export const ASIDE_MEMORY_BYTES_MAX = 805_306_368;
/** Characters of all rows of a file. */
export const ASIDE_OUTPUT_CHARS_MAX = 67_108_864;

export interface AsideFormat extends Omit<BoundedWork, 'input'> {
  /** In the refusal. */
  readonly name: string;
}

const BOUNDS = {
  memoryBytes: ASIDE_MEMORY_BYTES_MAX,
  outputChars: ASIDE_OUTPUT_CHARS_MAX,
  timeMs: ASIDE_MS_MAX,
};

export const PDF: AsideFormat = {
  ...BOUNDS,
  file: new URL('./pdfChild.ts', import.meta.url),
  name: 'PDF',
};

export const SPREADSHEET: AsideFormat = {
  ...BOUNDS,
  file: new URL('./xlsxChild.ts', import.meta.url),
  name: 'spreadsheet',
};

/** Throws DomainError `list-damaged`. */
export async function* rowsAside(bytes: Buffer, format: AsideFormat): AsyncGenerator<TableRow> {
  try {
    for await (const row of boundedValues({ ...format, input: bytes })) yield row as TableRow;
  } catch (error) {
    throw refusalOf(error, format) ?? error;
  }
}

function refusalOf(error: unknown, format: AsideFormat): DomainError | undefined {
  if (error instanceof BoundExceeded) {
    const detail = `${format.name}: reading it went over ${wordsOf(error.bound, format)}`;
    return new DomainError('list-damaged', { cause: error, detail });
  }
  if (!(error instanceof BoundedWorkError) || error.code !== 'list-damaged') return undefined;
  return new DomainError('list-damaged', { cause: error, detail: error.message });
}

function wordsOf(bound: Bound, { memoryBytes, outputChars, timeMs }: AsideFormat): string {
  if (bound === 'time') return `its time of ${timeMs / 1_000} s`;
  if (bound === 'memory') return `its memory of ${memoryBytes} bytes`;
  return `its ${outputChars} characters of text`;
}
