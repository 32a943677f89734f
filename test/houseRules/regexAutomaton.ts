/**
 * The automaton of a regular expression. Its letters are classes: characters that no part of the
 * expression tells apart. A state is a place in the expression and the class of the character that
 * was read last, so that the edges `^`, `$`, `\b` and `\B` are decided when the next one is read.
 */
import { parseRegex, type RegexPart } from './regexSyntax.ts';

export interface Automaton {
  readonly size: number;
  /** By class, the states that a character of it leads to. */
  next(state: number): readonly (readonly number[])[];
  /** Class of the character that was read last. */
  classOf(state: number): number;
  /** A character of the class. */
  sample(letter: number): string;
  /** Steps that can be made in two ways: state and target. */
  readonly doubled: readonly (readonly [number, number])[];
}

/** Some of every kind that expressions tell apart. */
const ALPHABET = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  ...'\u00a0\u2028\ufeff\u3000éÉßſĀȘøжЖαمحى٠٣۰۶中ㄱ가अ𐐷😀ُ́‘’“”–—…°،؛؟ـ\ufffd',
];
const WORD = /^\w$/;
const NEWLINE = /^[\n\r\u2028\u2029]$/;
/** Copies of a part that is repeated a stated number of times: more tell nothing new. */
const COPIES_MAX = 4;
/** Before the first character, and behind the last. */
const NONE = -1;

interface Place {
  /** Places reached without reading, under the condition that stands there. */
  readonly onward: { readonly to: number; readonly edge?: string }[];
  readonly read: { readonly source: string; readonly to: number }[];
}

/** Undefined where a repetition may go round without reading a character. */
export function buildAutomaton(source: string, flags: string): Automaton | undefined {
  const places = new Places();
  const accept = places.add();
  const body = places.lay(parseRegex(source, flags), accept);
  if (places.isEndless) return undefined;
  const start = places.add();
  places.at(start).onward.push({ to: body });
  if (!flags.includes('y')) places.at(start).read.push({ source: '[^]', to: start });
  const alphabet = new Alphabet(places.sources(), flags, source);
  return new States({ accept, alphabet, isMultiline: flags.includes('m'), places, start });
}

class Places {
  isEndless = false;
  readonly #all: Place[] = [];

  add(): number {
    return this.#all.push({ onward: [], read: [] }) - 1;
  }

  at(place: number): Place {
    const found = this.#all[place];
    if (!found) throw new Error(`no place ${place}`);
    return found;
  }

  sources(): string[] {
    return [...new Set(this.#all.flatMap(({ read }) => read.map(({ source }) => source)))];
  }

  /** Adds the part in front of the place `to`; answers where it begins. */
  lay(part: RegexPart, to: number): number {
    const place = this.add();
    const { onward, read } = this.at(place);
    switch (part.kind) {
      case 'character':
        // A place of its own behind each character, so that two ways stay two.
        read.push({ source: part.source, to: this.#before(to) });
        break;
      case 'edge':
        onward.push({ edge: part.edge, to });
        break;
      case 'sequence':
        onward.push({ to: part.parts.reduceRight((end, one) => this.lay(one, end), to) });
        break;
      case 'choice':
        for (const one of part.parts) onward.push({ to: this.lay(one, to) });
        break;
      case 'repeat':
        onward.push({ to: this.#repeat(part, to) });
        break;
      case 'look':
        // Taken to hold. What it reads ahead is a way of its own, which leads nowhere.
        if (part.isBehind && isEndless(part.part)) this.isEndless = true;
        if (!part.isBehind) onward.push({ to: this.lay(part.part, this.add()) });
        onward.push({ to, edge: 'look' });
    }
    return place;
  }

  #before(to: number): number {
    const place = this.add();
    this.at(place).onward.push({ to });
    return place;
  }

  #repeat({ part, min, max }: Extract<RegexPart, { kind: 'repeat' }>, to: number): number {
    let end = to;
    if (max === Number.POSITIVE_INFINITY) {
      if (isNullable(part)) this.isEndless = true;
      end = this.add();
      this.at(end).onward.push({ to: this.lay(part, end) }, { to });
    } else {
      for (let copy = Math.min(max - min, COPIES_MAX); copy > 0; copy--) {
        const optional = this.add();
        this.at(optional).onward.push({ to: this.lay(part, end) }, { to });
        end = optional;
      }
    }
    for (let copy = Math.min(min, COPIES_MAX); copy > 0; copy--) end = this.lay(part, end);
    return end;
  }
}

class Alphabet {
  readonly samples: string[] = [];
  readonly #members = new Map<string, boolean[]>();

  constructor(sources: readonly string[], flags: string, pattern: string) {
    const kinds = [...flags].filter((flag) => 'isuv'.includes(flag)).join('');
    const tests = sources.map((source) => new RegExp(`^(?:${source})$`, kinds));
    const codes = [...pattern.matchAll(/\\u\{?([0-9a-fA-F]{4,6})|\\x([0-9a-fA-F]{2})/g)];
    const named = codes.map(([, long, short]) => Number.parseInt(long ?? short ?? '', 16));
    const all = [...ALPHABET, ...pattern, ...named.map((code) => String.fromCodePoint(code))];
    const seen = new Set<string>();
    for (const char of all) {
      const facts = [...tests, WORD, NEWLINE].map((test) => test.test(char));
      const key = facts.map(Number).join('');
      if (seen.has(key)) continue;
      seen.add(key);
      this.samples.push(char);
      for (const [index, source] of sources.entries()) {
        const members = this.#members.get(source) ?? [];
        members.push(facts[index] ?? false);
        this.#members.set(source, members);
      }
    }
  }

  has(source: string, letter: number): boolean {
    return this.#members.get(source)?.[letter] ?? false;
  }

  isWord(letter: number): boolean {
    return WORD.test(this.samples[letter] ?? '');
  }

  isNewline(letter: number): boolean {
    return NEWLINE.test(this.samples[letter] ?? '');
  }
}

interface Parts {
  readonly places: Places;
  readonly alphabet: Alphabet;
  readonly start: number;
  readonly accept: number;
  readonly isMultiline: boolean;
}

class States implements Automaton {
  readonly doubled: (readonly [number, number])[] = [];
  readonly #parts: Parts;
  readonly #keys = new Map<string, number>();
  readonly #all: { readonly place: number; readonly last: number }[] = [];
  readonly #next: (readonly (readonly number[])[])[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#state(parts.start, NONE);
    for (let state = 0; state < this.#all.length; state++) this.#next.push(this.#follow(state));
  }

  get size(): number {
    return this.#all.length;
  }

  next(state: number): readonly (readonly number[])[] {
    return this.#next[state] ?? [];
  }

  classOf(state: number): number {
    return this.#all[state]?.last ?? NONE;
  }

  sample(letter: number): string {
    return this.#parts.alphabet.samples[letter] ?? '';
  }

  #state(place: number, last: number): number {
    const key = `${place} ${last}`;
    const known = this.#keys.get(key);
    if (known !== undefined) return known;
    const state = this.#all.push({ place, last }) - 1;
    this.#keys.set(key, state);
    return state;
  }

  #follow(state: number): number[][] {
    const { accept, alphabet, places, start } = this.#parts;
    const { place, last } = this.#all[state] ?? { place: start, last: NONE };
    const letters = alphabet.samples.map((_, letter) => letter);
    const closures = letters.map((letter) => this.#closure(place, last, letter));
    const isSafe = [...closures, this.#closure(place, last, NONE)].every((one) => one.has(accept));
    if (isSafe) return [];
    return closures.map((closure, letter) => {
      const targets = new Set<number>();
      for (const [from, ways] of closure) {
        for (const { source, to } of places.at(from).read) {
          if (!alphabet.has(source, letter)) continue;
          const target = this.#state(to, letter);
          targets.add(target);
          if (ways > 1) this.doubled.push([state, target]);
        }
      }
      return [...targets];
    });
  }

  /**
   * Places reached without reading between a character of class `last` and one of `letter`, and in
   * how many ways: one, or more. No way goes in a circle, since no repetition is endless.
   */
  #closure(place: number, last: number, letter: number): Map<number, number> {
    const ways = new Map<number, number>();
    const open = [place];
    for (let from = open.pop(); from !== undefined; from = open.pop()) {
      const known = ways.get(from) ?? 0;
      if (known > 1) continue;
      ways.set(from, known + 1);
      for (const { edge, to } of this.#parts.places.at(from).onward) {
        if (edge === undefined || this.#holds(edge, last, letter)) open.push(to);
      }
    }
    return ways;
  }

  #holds(edge: string, last: number, letter: number): boolean {
    const { alphabet, isMultiline } = this.#parts;
    if (edge === '^') return last === NONE || (isMultiline && alphabet.isNewline(last));
    if (edge === '$') return letter === NONE || (isMultiline && alphabet.isNewline(letter));
    if (edge === 'look') return letter !== NONE;
    return (alphabet.isWord(last) !== alphabet.isWord(letter)) === (edge === '\\b');
  }
}

function isNullable(part: RegexPart): boolean {
  switch (part.kind) {
    case 'character':
      return false;
    case 'sequence':
      return part.parts.every(isNullable);
    case 'choice':
      return part.parts.some(isNullable);
    case 'repeat':
      return part.min === 0 || isNullable(part.part);
    default:
      return true;
  }
}

function isEndless(part: RegexPart): boolean {
  if (part.kind === 'repeat') return part.max === Number.POSITIVE_INFINITY || isEndless(part.part);
  if (part.kind === 'sequence' || part.kind === 'choice') return part.parts.some(isEndless);
  return part.kind === 'look' && isEndless(part.part);
}
