/**
 * Text of mixed directions in the order in which it stands on paper, from left to right (Unicode's
 * UAX 9). pdfkit draws text in the order in which it gets it, and its font shapes one word well,
 * but not a line of several. So a line is cut into pieces of one direction each, and these are put
 * into their visual order. Shaping of a piece (joining, ligatures) is left to the font.
 *
 * Lines are broken before they are ordered, as UAX 9 requires. The direction of a text is that of
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

// The package ships no types; the interface above has the part that is used.
const bidi = (createRequire(import.meta.url)('bidi-js') as () => Bidi)();

export interface Line {
  /** From left to right. Right-to-left letters are in their logical order: fonts turn them. */
  readonly pieces: readonly string[];
  readonly isRightToLeft: boolean;
}

/** Width of a logical text in points, close enough for breaking lines. */
export type Measure = (text: string) => number;

/** Scripts that a font turns, with marks, and the joiners that keep letters together or apart. */
const TURNED_BY_FONT =
  /[\p{Script_Extensions=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{M}\u200c\u200d]/u;

/** A text in lines of at most `width`; an empty one is one empty line. */
export function linesOf(text: string, width: number, measure: Measure): Line[] {
  // Control characters would turn their neighbours around, or draw nothing; on paper they mean
  // nothing.
  const shown = text.replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, ' ');
  const direction = isRightToLeft(shown) ? 'rtl' : 'ltr';
  return brokenAt(shown, width, measure).map((line) => ({
    isRightToLeft: direction === 'rtl',
    pieces: visualPieces(line, direction),
  }));
}

const isRightToLeft = (text: string): boolean =>
  ((bidi.getEmbeddingLevels(text, 'auto').paragraphs[0]?.level ?? 0) & 1) === 1;

/** Breaks at spaces; a word longer than a line is broken anywhere. */
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

/** Rule L2 of UAX 9, by runs of one level instead of by characters. */
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

/** Reverses every stretch of runs of that level or more. */
function reverseFrom(runs: Run[], level: number): void {
  for (let start = 0; start < runs.length; ) {
    let end = start;
    while (end < runs.length && (runs[end]?.level ?? 0) >= level) end++;
    runs.splice(start, end - start, ...runs.slice(start, end).reverse());
    start = Math.max(end, start + 1);
  }
}

/** Letters that a font turns stay together; every other character is turned here, and mirrored. */
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
