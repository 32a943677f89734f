/**
 * Finds a machine-readable zone in text, wherever that comes from: a reader of characters, a PDF,
 * or a customer's own app. Lines that lost or gained fillers are brought to their length where
 * fillers stand.
 */
import { MRZ_LAYOUTS, type MrzLayout } from './mrzFormats.ts';
import type { MrzOptions, MrzReading } from './readMrz.ts';
import { readRepairedMrz } from './repairMrz.ts';

/** Fillers that a line may lack or have too many. */
const LENGTH_OFF_MAX = 6;
const LINES_MAX = 4_000;
const LINE_CHARS_MAX = 200;

/** The first valid one; else the one with most digits that hold; undefined where there is none. */
export function findMrz(text: string, options: MrzOptions): MrzReading | undefined {
  const lines = text
    .split(/[\n\r\f]/)
    .slice(0, LINES_MAX)
    .map(mrzText)
    .filter((line) => line.length >= 24);
  let best: MrzReading | undefined;
  for (const [at] of lines.entries()) {
    for (const layout of MRZ_LAYOUTS) {
      const fitted = fittedTo(lines.slice(at, at + layout.classes.length), layout);
      const read = fitted && readRepairedMrz(fitted, options);
      if (read?.format !== layout.format) continue;
      if (read.isValid) return read;
      if (rightDigits(read) > (best === undefined ? 0 : rightDigits(best))) best = read;
    }
  }
  return best;
}

const rightDigits = ({ digits }: MrzReading): number =>
  Object.values(digits).filter((holds) => holds === true).length;

/** Guillemets and spaces are what fillers are often read as. */
const mrzText = (line: string): string =>
  line
    .slice(0, LINE_CHARS_MAX)
    .toUpperCase()
    .replaceAll('«', '<<')
    .replaceAll('‹', '<')
    .replace(/[\s.,]/g, '')
    .replace(/[^A-Z0-9<]/g, '<');

function fittedTo(
  lines: readonly string[],
  { begins, classes, width }: MrzLayout,
): readonly string[] | undefined {
  if (lines.length !== classes.length || !begins.test(lines[0] ?? '')) return undefined;
  const fitted = lines.map((line) => withFillers(line, width));
  return fitted.every((line) => line !== undefined) ? fitted : undefined;
}

/** Fillers come in and go at the longest run of them; the last one, where two are as long. */
function withFillers(line: string, width: number): string | undefined {
  const off = width - line.length;
  if (off === 0) return line;
  if (Math.abs(off) > LENGTH_OFF_MAX) return undefined;
  const runs = [...line.matchAll(/<+/g)];
  const longest = runs.reduce<{ at: number; length: number }>(
    (best, { 0: run, index }) =>
      run.length >= best.length ? { at: index, length: run.length } : best,
    { at: -1, length: 0 },
  );
  if (longest.length < 2 || longest.length + off < 1) return undefined;
  const { at, length } = longest;
  return line.slice(0, at) + '<'.repeat(length + off) + line.slice(at + length);
}
