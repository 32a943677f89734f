/**
 * Patterns that a tenant writes for a field: a small grammar of which every part means the same to
 * RE2 and to ECMAScript with the flag `u`, and always the whole value. There is no dot, no `\s`, no
 * anchor, no look-around, no reference back and no negated class. A pattern is read into a tree,
 * and each engine gets a source that is written from the tree, never what the tenant wrote.
 */

/** Characters of a pattern. */
export const PATTERN_CHARS_MAX = 200;
/** The highest number in braces. */
export const PATTERN_REPEATS_MAX = 100;
/** Repeats within each other, multiplied: how large a pattern is once it is written out. */
export const PATTERN_PRODUCT_MAX = 1_000;
/** Groups within each other. */
const GROUPS_MAX = 20;

/** Classes of characters that have a name. */
export const NAMED_CLASSES = ['L', 'N', 'Script=Arabic', 'Script=Latin'] as const;
/** One of NAMED_CLASSES. */
export type NamedClass = (typeof NAMED_CLASSES)[number];

/** A range of code points, both included. */
export type CodeRange = readonly [from: number, to: number];

/** A set of characters, of which one is matched. */
export interface CharSet {
  readonly ranges: readonly CodeRange[];
  readonly named: readonly NamedClass[];
}

/** What a pattern says. */
export type PatternNode =
  | { readonly set: CharSet }
  | { readonly sequence: readonly PatternNode[] }
  | { readonly anyOf: readonly PatternNode[] }
  | {
      readonly repeat: PatternNode;
      readonly min: number;
      /** Infinity: any number. */
      readonly max: number;
    };

/** A text that is no pattern, and why. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

/** Throws PatternError. */
export function readPattern(text: string): PatternNode {
  const points = [...text];
  if (points.length === 0 || text.length > PATTERN_CHARS_MAX) {
    throw new PatternError(`expected 1 to ${PATTERN_CHARS_MAX} characters`);
  }
  const reader = new Reader(points);
  const node = reader.alternatives(0);
  reader.requireEnd();
  if (sizeOf(node) > PATTERN_PRODUCT_MAX) {
    throw new PatternError(`expected repeats of ${PATTERN_PRODUCT_MAX} at the most, multiplied`);
  }
  return node;
}

/** Characters that stand for themselves only behind a backslash. */
const SPECIAL: ReadonlySet<string> = new Set('\\^$.|?*+()[]{}');
const DIGITS: CodeRange = [0x30, 0x39];
const WORD: readonly CodeRange[] = [DIGITS, [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]];
const BRACES = /^\{(\d{1,3})(,(\d{1,3})?)?\}/;

class Reader {
  readonly #points: readonly string[];
  #at = 0;

  constructor(points: readonly string[]) {
    this.#points = points;
  }

  alternatives(depth: number): PatternNode {
    if (depth > GROUPS_MAX) throw this.#refusal(`${GROUPS_MAX} groups within each other`);
    const all = [this.#sequence(depth)];
    while (this.#take('|')) all.push(this.#sequence(depth));
    const [only] = all;
    return all.length === 1 && only !== undefined ? only : { anyOf: all };
  }

  requireEnd(): void {
    if (this.#at < this.#points.length) throw this.#refusal('no closing bracket here');
  }

  #sequence(depth: number): PatternNode {
    const sequence: PatternNode[] = [];
    for (;;) {
      const next = this.#points[this.#at];
      if (next === undefined || next === '|' || next === ')') break;
      sequence.push(this.#repeated(this.#atom(next, depth)));
    }
    if (sequence.length === 0) throw this.#refusal('something to match');
    const [only] = sequence;
    return sequence.length === 1 && only !== undefined ? only : { sequence };
  }

  #atom(next: string, depth: number): PatternNode {
    if (next === '(') return this.#group(depth);
    if (next === '[') return { set: this.#classOf() };
    if (next === '\\') return { set: this.#escape() };
    if (SPECIAL.has(next)) throw this.#refusal(`no ${next} here, or a backslash before it`);
    this.#at++;
    return { set: setOf(codeOf(next)) };
  }

  #group(depth: number): PatternNode {
    this.#at++;
    if (this.#points[this.#at] === '?') throw this.#refusal('a plain group');
    const node = this.alternatives(depth + 1);
    if (!this.#take(')')) throw this.#refusal('a closing parenthesis');
    return node;
  }

  #repeated(node: PatternNode): PatternNode {
    const repeats = this.#repeats();
    if (repeats === undefined) return node;
    // Neither `a**` nor the lazy `a+?`, which means another thing in every engine.
    if (this.#repeats() !== undefined) throw this.#refusal('one repeat');
    return { repeat: node, ...repeats };
  }

  #repeats(): { readonly min: number; readonly max: number } | undefined {
    if (this.#take('?')) return { max: 1, min: 0 };
    if (this.#take('*')) return { max: Number.POSITIVE_INFINITY, min: 0 };
    if (this.#take('+')) return { max: Number.POSITIVE_INFINITY, min: 1 };
    if (this.#points[this.#at] !== '{') return undefined;
    const found = BRACES.exec(this.#points.slice(this.#at, this.#at + 10).join(''));
    if (found === null) throw this.#refusal('{n}, {n,} or {n,m}');
    this.#at += found[0].length;
    const min = Number(found[1]);
    const open = found[2] === ',' ? Number.POSITIVE_INFINITY : min;
    const max = found[3] === undefined ? open : Number(found[3]);
    const isWithin = min <= PATTERN_REPEATS_MAX && (max <= PATTERN_REPEATS_MAX || found[2] === ',');
    if (isWithin && max >= min && max > 0) return { max, min };
    throw this.#refusal(`numbers up to ${PATTERN_REPEATS_MAX}, the lower one first`);
  }

  #classOf(): CharSet {
    this.#at++;
    if (this.#points[this.#at] === '^') throw this.#refusal('no negated class');
    const ranges: CodeRange[] = [];
    const named: NamedClass[] = [];
    while (!this.#take(']')) {
      const one = this.#member();
      named.push(...one.named);
      const [first] = one.ranges;
      if (first !== undefined && this.#isRange()) ranges.push(this.#rangeFrom(one, first[0]));
      else ranges.push(...one.ranges);
    }
    if (ranges.length + named.length === 0) throw this.#refusal('a class with members');
    return { named: [...new Set(named)], ranges };
  }

  #isRange(): boolean {
    return this.#points[this.#at] === '-' && this.#points[this.#at + 1] !== ']';
  }

  #rangeFrom(one: CharSet, from: number): CodeRange {
    this.#at++;
    const [end, ...others] = this.#member().ranges;
    const isCharacter = ({ ranges }: CharSet): boolean =>
      ranges.length === 1 && ranges[0]?.[0] === ranges[0]?.[1];
    if (isCharacter(one) && end !== undefined && end[0] === end[1] && others.length === 0) {
      if (end[0] >= from) return [from, end[0]];
    }
    throw this.#refusal('a range from a lower to a higher character');
  }

  #member(): CharSet {
    const next = this.#points[this.#at];
    if (next === undefined) throw this.#refusal('a closing bracket');
    if (next === '\\') return this.#escape();
    if (next === '[') throw this.#refusal('no class within a class, or a backslash before [');
    this.#at++;
    return setOf(codeOf(next));
  }

  #escape(): CharSet {
    const next = this.#points[this.#at + 1] ?? '';
    this.#at += 2;
    if (next === 'd') return { named: [], ranges: [DIGITS] };
    if (next === 'w') return { named: [], ranges: WORD };
    if (next === 'p') return { named: [this.#className()], ranges: [] };
    if (SPECIAL.has(next) || next === '-' || next === '/') return setOf(codeOf(next));
    throw this.#refusal('\\d, \\w, \\p{…}, or a special character behind a backslash');
  }

  #className(): NamedClass {
    const rest = this.#points.slice(this.#at, this.#at + 20).join('');
    const found = NAMED_CLASSES.find((name) => rest.startsWith(`{${name}}`));
    if (found === undefined) throw this.#refusal(`\\p{…} with one of ${NAMED_CLASSES.join(', ')}`);
    this.#at += found.length + 2;
    return found;
  }

  #take(character: string): boolean {
    if (this.#points[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #refusal(expected: string): PatternError {
    return new PatternError(`at character ${this.#at + 1}: expected ${expected}`);
  }
}

const codeOf = (character: string): number => character.codePointAt(0) ?? 0;
const setOf = (code: number): CharSet => ({ named: [], ranges: [[code, code]] });

/** Copies that a repeat is written out to. */
const copiesOf = (min: number, max: number): number =>
  max === Number.POSITIVE_INFINITY ? Math.max(min, 1) : max;

/** Sets of characters that it is written out to. */
export function sizeOf(node: PatternNode): number {
  if ('set' in node) return 1;
  if ('sequence' in node) return node.sequence.reduce((sum, one) => sum + sizeOf(one), 0);
  if ('anyOf' in node) return node.anyOf.reduce((sum, one) => sum + sizeOf(one), 0);
  return sizeOf(node.repeat) * copiesOf(node.min, node.max);
}

/** How an engine spells a character by its code, and a named class. */
interface Spelling {
  readonly code: (hex: string) => string;
  readonly named: Readonly<Record<NamedClass, string>>;
}

const ECMASCRIPT: Spelling = {
  code: (hex) => `\\u{${hex}}`,
  named: {
    L: '\\p{L}',
    N: '\\p{N}',
    'Script=Arabic': '\\p{Script=Arabic}',
    'Script=Latin': '\\p{Script=Latin}',
  },
};
const RE2: Spelling = {
  code: (hex) => `\\x{${hex}}`,
  named: {
    L: '\\p{L}',
    N: '\\p{N}',
    'Script=Arabic': '\\p{Arabic}',
    'Script=Latin': '\\p{Latin}',
  },
};

/** For `new RegExp(…, 'u')`: the whole value, as JSON Schema wants it too. */
export const ecmaScriptSource = (node: PatternNode): string =>
  `^(?:${sourceOf(node, ECMASCRIPT)})$`;

/** For RE2, which is asked for the whole value. */
export const re2Source = (node: PatternNode): string => sourceOf(node, RE2);

function sourceOf(node: PatternNode, spelling: Spelling): string {
  if ('set' in node) return setSource(node.set, spelling);
  if ('sequence' in node) return node.sequence.map((one) => grouped(one, spelling)).join('');
  if ('anyOf' in node) return node.anyOf.map((one) => sourceOf(one, spelling)).join('|');
  const { max, min, repeat } = node;
  const inner = 'set' in repeat ? sourceOf(repeat, spelling) : `(?:${sourceOf(repeat, spelling)})`;
  const most = max === Number.POSITIVE_INFINITY ? '' : String(max);
  return `${inner}{${min},${most}}`;
}

const grouped = (node: PatternNode, spelling: Spelling): string =>
  'anyOf' in node ? `(?:${sourceOf(node, spelling)})` : sourceOf(node, spelling);

function setSource({ named, ranges }: CharSet, { code, named: names }: Spelling): string {
  const of = (point: number): string =>
    (point >= 0x30 && point <= 0x39) ||
    (point >= 0x41 && point <= 0x5a) ||
    (point >= 0x61 && point <= 0x7a)
      ? String.fromCodePoint(point)
      : code(point.toString(16));
  const members = ranges.map(([from, to]) => (from === to ? of(from) : `${of(from)}-${of(to)}`));
  return `[${members.join('')}${named.map((name) => names[name]).join('')}]`;
}
