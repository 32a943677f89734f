/**
 * Text of mixed directions as it stands on paper, from left to right (Unicode's UAX 9): pdfkit
 * draws what it is given in the order in which it is given, and its font shapes one word well and a
 * line of several not. So a line is cut into pieces that each go one way, and these are put into
 * their visual order. Shaping of a piece (joining, ligatures) is the font's.
 *
 * Lines are broken before they are ordered, as UAX 9 wants it. The direction of a text is that of
 * its first strong character.
 */
import { createRequire } from 'node:module';

interface Bidi {
  getEmbeddingLevels(
    text: string,
    direction?: 'ltr' | 'rtl' | 'auto',
  ): { levels: Uint8Array; paragraphs: readonly { level: number }[] };
  getMirroredCharacter(character: string): string | null;
}

// It ships no types; what is used of it stands above.
const bidi = (createRequire(import.meta.url)('bidi-js') as () => Bidi)();

export interface Line {
  /** From left to right. Right-to-left letters are in their logical order: fonts turn them. */
  readonly pieces: readonly string[];
  readonly isRightToLeft: boolean;
}

/** Width of a logical text in points, near enough for breaking lines. */
export type Measure = (text: string) => number;

/** With marks, and the joiners that keep letters together or apart. */
const TURNED_BY_FONT =
  /[\p{Script_Extensions=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{M}\u200c\u200d]/u;

/** A text in lines of at most `width`; an empty one is one empty line. */
export function linesOf(text: string, width: number, measure: Measure): Line[] {
  // Controls would turn neighbours around, or draw nothing; they say nothing on paper.
  const shown = text.replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, ' ');
  const direction = isRightToLeft(shown) ? 'rtl' : 'ltr';
  return brokenAt(shown, width, measure).map((line) => ({
    isRightToLeft: direction === 'rtl',
    pieces: visualPieces(line, direction),
  }));
}

const isRightToLeft = (text: string): boolean =>
  ((bidi.getEmbeddingLevels(text, 'auto').paragraphs[0]?.level ?? 0) & 1) === 1;

/** At spaces; a word that is longer than a line anywhere. */
function brokenAt(text: string, width: number, measure: Measure): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (measure(longer) <= width) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    const parts = partsOf(word, width, measure);
    lines.push(...parts.slice(0, -1));
    line = parts.at(-1) ?? '';
  }
  lines.push(line);
  return lines;
}

function partsOf(word: string, width: number, measure: Measure): string[] {
  const parts: string[] = [];
  let part = '';
  let partWidth = 0;
  for (const character of word) {
    const own = measure(character);
    if (part !== '' && partWidth + own > width) {
      parts.push(part);
      [part, partWidth] = ['', 0];
    }
    part += character;
    partWidth += own;
  }
  parts.push(part);
  return parts;
}

/** Rule L2, by runs of one level instead of by characters. */
function visualPieces(line: string, direction: 'ltr' | 'rtl'): string[] {
  const { levels } = bidi.getEmbeddingLevels(line, direction);
  const runs = runsOf(line, levels);
  const top = Math.max(0, ...runs.map(({ level }) => level));
  for (let level = top; level > 0; level--) reverseFrom(runs, level);
  return runs.flatMap(({ level, text }) => (level % 2 === 1 ? turned(text) : [text]));
}

interface Run {
  readonly level: number;
  readonly text: string;
}

function runsOf(line: string, levels: Uint8Array): Run[] {
  const runs: Run[] = [];
  let start = 0;
  for (let at = 1; at <= line.length; at++) {
    if (at < line.length && levels[at] === levels[start]) continue;
    runs.push({ level: levels[start] ?? 0, text: line.slice(start, at) });
    start = at;
  }
  return runs;
}

/** Every stretch of runs of that level or more, the other way round. */
function reverseFrom(runs: Run[], level: number): void {
  for (let start = 0; start < runs.length; ) {
    let end = start;
    while (end < runs.length && (runs[end]?.level ?? 0) >= level) end++;
    runs.splice(start, end - start, ...runs.slice(start, end).reverse());
    start = Math.max(end, start + 1);
  }
}

/** Letters that a font turns stay together; all else is turned here, one by one, and mirrored. */
function turned(text: string): string[] {
  const pieces: string[] = [];
  let letters = '';
  const flush = () => {
    if (letters !== '') pieces.push(letters);
    letters = '';
  };
  for (const character of text) {
    if (TURNED_BY_FONT.test(character)) {
      letters += character;
      continue;
    }
    flush();
    pieces.push(bidi.getMirroredCharacter(character) ?? character);
  }
  flush();
  return pieces.reverse();
}
