/**
 * Puts right what a reader of characters gets wrong in a zone: letters where only digits may stand
 * and the other way round, fillers read as letters at the end of the names, and one character of
 * those that may be either. It counts only if all digits hold afterwards, and is listed.
 */
import { layoutOf, type MrzLayout, textAt } from './mrzFormats.ts';
import { type MrzOptions, type MrzReading, type MrzRepair, misplaced, readMrz } from './readMrz.ts';

/** More than these, and it is another document's line, or none. */
export const REPAIRS_MAX = 3;

const DIGIT_FOR: Readonly<Record<string, string>> = {
  B: '8',
  D: '0',
  G: '6',
  I: '1',
  L: '1',
  O: '0',
  Q: '0',
  S: '5',
  Z: '2',
};
const LETTER_FOR: Readonly<Record<string, string>> = {
  '0': 'O',
  '1': 'I',
  '2': 'Z',
  '5': 'S',
  '6': 'G',
  '8': 'B',
};
const WRITTEN_ALIKE: Readonly<Record<string, string>> = { '0': 'O', '1': 'I', I: '1', O: '0' };
const FILLER_LIKE = /[KLCS<]/;
/** Letters in a row, behind one filler, that are no name. */
const LETTER_RUN = /<[KLCS]{4}/;

/** The zone as read where it is valid or cannot be put right; undefined for lines of no format. */
export function readRepairedMrz(
  lines: readonly string[],
  options: MrzOptions,
): MrzReading | undefined {
  const read = readMrz(lines, options);
  const layout = layoutOf(lines);
  if (read === undefined || layout === undefined) return read;
  const structural = structuralRepairs(lines, layout);
  if (structural === undefined) return read;
  const mended = readWith(lines, structural, options);
  if (mended?.isValid === true) return mended;
  return mended === undefined || structural.length >= REPAIRS_MAX
    ? read
    : (ambiguousRepair(mended, layout, options) ?? read);
}

function readWith(
  lines: readonly string[],
  repairs: readonly MrzRepair[],
  options: MrzOptions,
): MrzReading | undefined {
  const read = readMrz(applied(lines, repairs), options);
  return read && { ...read, repaired: repairs };
}

const applied = (lines: readonly string[], repairs: readonly MrzRepair[]): readonly string[] =>
  lines.map((text, line) =>
    repairs
      .filter((one) => one.line === line)
      .reduce(
        (before, { column, to }) => before.slice(0, column) + to + before.slice(column + to.length),
        text,
      ),
  );

/** Undefined where something cannot be put right, or too much would have to be. */
function structuralRepairs(
  lines: readonly string[],
  layout: MrzLayout,
): readonly MrzRepair[] | undefined {
  const repairs: MrzRepair[] = fillersInNames(lines, layout);
  for (const [line, column] of misplaced(lines, layout)) {
    const from = lines[line]?.[column] ?? '';
    const isLetters = layout.classes[line]?.[column] === 'a';
    const to = (isLetters ? LETTER_FOR : DIGIT_FOR)[from];
    if (to === undefined) return undefined;
    repairs.push({ column, from, line, to });
  }
  return repairs.length > REPAIRS_MAX ? undefined : repairs;
}

/** A run is one repair: it was one mistake. */
const fillersInNames = (lines: readonly string[], { names }: MrzLayout): MrzRepair[] =>
  names.flatMap((span) => {
    const text = textAt(lines, span);
    const [line, start] = span;
    const at = fillersFrom(text);
    const from = text.slice(at);
    return /^<*$/.test(from)
      ? []
      : [{ column: start + at, from, line, to: '<'.repeat(from.length) }];
  });

/**
 * Where the names end: from there on stand fillers, and letters that fillers are read as. Names
 * themselves hold no two fillers in a row, but between surname and given names.
 */
function fillersFrom(text: string): number {
  let end = text.length;
  while (end > 0 && FILLER_LIKE.test(text[end - 1] ?? '')) end--;
  const body = Math.max(end, text.indexOf('<<') + 2);
  const gap = text.indexOf('<<', body);
  const run = LETTER_RUN.exec(text.slice(body));
  const starts = [gap, run === null ? -1 : body + run.index].filter((at) => at >= 0);
  return starts.length === 0 ? text.length : Math.min(...starts);
}

/**
 * Where exactly one exchange of letters that look like digits makes every digit hold. Only what is
 * written alike is tried: with every likely pair, one wrong number in ten would be made to hold.
 */
function ambiguousRepair(
  read: MrzReading,
  layout: MrzLayout,
  options: MrzOptions,
): MrzReading | undefined {
  if (layout.digits.composite === undefined) return undefined;
  const found = layout.classes.flatMap((classes, line) =>
    [...classes].flatMap((name, column) => {
      const from = read.lines[line]?.[column] ?? '';
      const to = name === 'x' ? WRITTEN_ALIKE[from] : undefined;
      if (to === undefined) return [];
      const repair = { column, from, line, to };
      const next = readMrz(applied(read.lines, [repair]), options);
      return next?.isValid === true ? [{ ...next, repaired: [...read.repaired, repair] }] : [];
    }),
  );
  return found.length === 1 ? found[0] : undefined;
}
