/**
 * Patterns of schemas, read leniently and written strictly. FIUs publish patterns that are none in
 * XML Schema: anchors, escapes of other dialects, a hyphen in the middle of a class. Each is read
 * as its author must have meant it, and what was mended is told.
 */

/** One character: of these ranges or kinds, or of none of them. */
export interface CharSet {
  readonly kind: 'set';
  readonly isNegated: boolean;
  readonly ranges: readonly (readonly [from: number, to: number])[];
  /** Letters of class escapes: d D s S w W i I c C. */
  readonly escapes: readonly string[];
}

/** What a pattern is made of. */
export type PatternNode =
  | CharSet
  | { readonly kind: 'any' }
  | { readonly kind: 'branches'; readonly of: readonly (readonly PatternPiece[])[] };

/** A part with how often it may stand; no `max`: as often as one likes. */
export interface PatternPiece {
  readonly node: PatternNode;
  readonly min: number;
  readonly max: number | undefined;
}

/** Kinds of mends. */
export type PatternRepair = 'anchor' | 'escape' | 'hyphen' | 'range' | 'group';

/** A pattern as it was read. */
export interface ReadPattern {
  readonly branches: readonly (readonly PatternPiece[])[];
  /** Written as XML Schema has it. */
  readonly text: string;
  readonly repairs: ReadonlySet<PatternRepair>;
}

/** The pattern is nothing that can be mended. */
export class PatternFault extends Error {
  override readonly name = 'PatternFault';
}

const SINGLE = 'nrt\\|.?*+(){}-[]^';
const CLASSES = 'dDsSwWiIcC';
const META = '\\|.?*+(){}[]^';
const CLASS_META = '\\[]^-';
const DEPTH_MAX = 32;
const REPEAT_MAX = 1_000;
const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };
const SHOWN: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Throws PatternFault. */
export function readPattern(source: string): ReadPattern {
  const reader = new PatternReader([...source]);
  const { branches, text } = reader.branches(0);
  if (!reader.isAtEnd) throw new PatternFault('a parenthesis too many');
  return { branches, repairs: reader.repairs, text };
}

interface Written<Value> {
  readonly value: Value;
  readonly text: string;
}

class PatternReader {
  readonly repairs = new Set<PatternRepair>();
  readonly #chars: readonly string[];
  #at = 0;

  constructor(chars: readonly string[]) {
    this.#chars = chars;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#chars.length;
  }

  branches(depth: number): Pick<ReadPattern, 'branches' | 'text'> {
    if (depth > DEPTH_MAX) throw new PatternFault('groups too deep');
    const found = [this.#branch(depth)];
    while (this.#peek() === '|') {
      this.#at++;
      found.push(this.#branch(depth));
    }
    return {
      branches: found.map(({ value }) => value),
      text: found.map(({ text }) => text).join('|'),
    };
  }

  #branch(depth: number): Written<readonly PatternPiece[]> {
    const pieces: PatternPiece[] = [];
    let text = '';
    for (let char = this.#peek(); char !== undefined && !'|)'.includes(char); char = this.#peek()) {
      if (char === '^' || char === '$') {
        this.repairs.add('anchor');
        this.#at++;
        continue;
      }
      const atom = this.#atom(depth);
      const often = this.#quantifier();
      pieces.push({ node: atom.value, ...often.value });
      text += atom.text + often.text;
    }
    return { text, value: pieces };
  }

  #atom(depth: number): Written<PatternNode> {
    const char = this.#next();
    if (char === '(') return this.#group(depth);
    if (char === '.') return { text: '.', value: { kind: 'any' } };
    if (char === '[') return this.#class();
    if (char === '\\') return this.#escape();
    if ('?*+{'.includes(char)) throw new PatternFault('a repetition of nothing');
    return literal(char);
  }

  #group(depth: number): Written<PatternNode> {
    if (this.#peek() === '?') {
      this.#at++;
      // What looks ahead constrains what stands elsewhere: nothing in XML Schema can.
      if (this.#next() !== ':') throw new PatternFault('it looks ahead');
      this.repairs.add('group');
    }
    const { branches, text } = this.branches(depth + 1);
    if (this.#next() !== ')') throw new PatternFault('a group without end');
    return { text: `(${text})`, value: { kind: 'branches', of: branches } };
  }

  #escape(): Written<PatternNode> {
    const char = this.#next();
    if (CLASSES.includes(char)) {
      const value = { escapes: [char], isNegated: false, kind: 'set', ranges: [] } as const;
      return { text: `\\${char}`, value };
    }
    if ('pP'.includes(char)) throw new PatternFault('a class of Unicode');
    return literal(this.#meant(char));
  }

  /** The character that an escape stands for; one that needs none is a mend. */
  #meant(char: string): string {
    if (!SINGLE.includes(char)) this.repairs.add('escape');
    return CONTROLS[char] ?? char;
  }

  #quantifier(): Written<Pick<PatternPiece, 'max' | 'min'>> {
    const char = this.#peek();
    const known = char === undefined ? undefined : SIMPLE_QUANTIFIERS[char];
    if (known !== undefined && char !== undefined) {
      this.#at++;
      return { text: char, value: known };
    }
    if (char !== '{') return { text: '', value: { max: 1, min: 1 } };
    const end = this.#chars.indexOf('}', this.#at);
    const inner = this.#chars.slice(this.#at + 1, end).join('');
    const [, low = '', comma, high = ''] = /^([0-9]{1,4})(,?)([0-9]{0,4})$/.exec(inner) ?? [];
    const min = Number(low);
    const max = comma === '' ? min : high === '' ? undefined : Number(high);
    const isGood = end > 0 && low !== '' && min <= REPEAT_MAX && (max ?? min) <= REPEAT_MAX;
    if (!isGood || (max !== undefined && max < min)) throw new PatternFault('a repetition');
    this.#at = end + 1;
    return { text: `{${inner}}`, value: { max, min } };
  }

  #class(): Written<CharSet> {
    const isNegated = this.#peek() === '^';
    if (isNegated) this.#at++;
    const ranges: [number, number][] = [];
    const escapes: string[] = [];
    let text = '';
    for (let isFirst = true; this.#peek() !== ']' || isFirst; isFirst = false) {
      const item = this.#classItem(isFirst);
      if (item.isEscape) {
        escapes.push(item.char);
        text += `\\${item.char}`;
        continue;
      }
      const to = this.#rangeEnd();
      if (to === undefined || codeOf(to) < codeOf(item.char)) {
        for (const one of to === undefined ? [item.char] : [item.char, '-', to]) {
          ranges.push([codeOf(one), codeOf(one)]);
          text += inClass(one);
        }
        if (to !== undefined) this.repairs.add('range');
        continue;
      }
      ranges.push([codeOf(item.char), codeOf(to)]);
      text += `${inClass(item.char)}-${inClass(to)}`;
    }
    this.#at++;
    const value = { escapes, isNegated, kind: 'set', ranges } as const;
    return { text: `[${isNegated ? '^' : ''}${text}]`, value };
  }

  #classItem(isFirst: boolean): { readonly char: string; readonly isEscape: boolean } {
    const char = this.#next();
    if (char === '-' && this.#peek() === '[') throw new PatternFault('a class less a class');
    // Between others it is no range: strict readers refuse it unless it is escaped.
    if (char === '-' && !isFirst && this.#peek() !== ']') this.repairs.add('hyphen');
    if (char !== '\\') return { char, isEscape: false };
    const escaped = this.#next();
    if (CLASSES.includes(escaped)) return { char: escaped, isEscape: true };
    if ('pP'.includes(escaped)) throw new PatternFault('a class of Unicode');
    return { char: this.#meant(escaped), isEscape: false };
  }

  /** The other end, where a hyphen follows that does not end the class. */
  #rangeEnd(): string | undefined {
    const [hyphen, after] = this.#chars.slice(this.#at, this.#at + 2);
    if (hyphen !== '-' || after === ']' || after === undefined) return undefined;
    if (after === '\\' && CLASSES.includes(this.#chars[this.#at + 2] ?? '')) return undefined;
    this.#at++;
    const end = this.#next();
    return end === '\\' ? this.#meant(this.#next()) : end;
  }

  #peek(): string | undefined {
    return this.#chars[this.#at];
  }

  #next(): string {
    const char = this.#chars[this.#at++];
    if (char === undefined) throw new PatternFault('it breaks off');
    return char;
  }
}

const SIMPLE_QUANTIFIERS: Readonly<Record<string, Pick<PatternPiece, 'max' | 'min'>>> = {
  '*': { max: undefined, min: 0 },
  '+': { max: undefined, min: 1 },
  '?': { max: 1, min: 0 },
};

const codeOf = (char: string): number => char.codePointAt(0) ?? 0;

const literal = (char: string): Written<CharSet> => ({
  text: SHOWN[char] ?? (META.includes(char) ? `\\${char}` : char),
  value: {
    escapes: [],
    isNegated: false,
    kind: 'set',
    ranges: [[codeOf(char), codeOf(char)]],
  },
});

const inClass = (char: string): string =>
  SHOWN[char] ?? (CLASS_META.includes(char) ? `\\${char}` : char);
