/**
 * The dictionary of an index as a person types into it: the tokens that begin with what was typed,
 * and those that begin with what sounds like it, by FlexSearch.
 *
 * FlexSearch holds the distinct beginnings of four letters, not the tokens: a tenth as many, and
 * bounded by what letters there are. Tokens ascend by their text, so that a beginning stands for a
 * range of them. The whole dictionary in FlexSearch takes 1.1 KB of a thread's heap a token.
 */
import { Charset, Encoder, Index } from 'flexsearch';
import type { Snapshot } from './snapshotFormat.ts';

/** The letters that FlexSearch knows of a token. */
const HEAD_UNITS = 4;
/** Shorter texts sound like half of the dictionary. */
const SOUNDING_UNITS_MIN = 3;
/** Beginnings that sound alike; more say nothing. */
const SOUNDING_HEADS_MAX = 200;

/** How a token answers what was typed: the smaller, the better. */
export const LIKENESS = { whole: 0, begins: 1, sounds: 2, none: 3 } as const;
/** A token that was not looked at yet, in place of its likeness plus 1. */
const UNKNOWN = 0;

type Dictionary = Pick<Snapshot, 'tokenFirstPosting' | 'tokenStart' | 'tokenUnits'>;

/** See the head of the file. */
export class DictionaryHeads {
  readonly list: Dictionary;
  /** The first token of each beginning, and the number of tokens. */
  readonly first: Uint32Array;
  readonly #spelled = new Index({ encoder: Charset.Exact, tokenize: 'forward' });
  readonly #sounding = new Index({ encoder: Charset.LatinBalance, tokenize: 'forward' });
  readonly #sounds = new Encoder(Charset.LatinBalance);

  constructor(list: Dictionary) {
    this.list = list;
    const count = list.tokenStart.length - 1;
    const first: number[] = [];
    let former: string | undefined;
    for (let token = 0; token < count; token++) {
      const head = this.text(token).slice(0, HEAD_UNITS);
      if (head === former) continue;
      former = head;
      this.#spelled.add(first.length, head);
      this.#sounding.add(first.length, head);
      first.push(token);
    }
    this.first = Uint32Array.from([...first, count]);
  }

  /** A word as far as it was typed. */
  word(typed: string): TypedWord {
    const head = typed.slice(0, HEAD_UNITS);
    const spelled = this.#spelled.search(head, { limit: this.first.length }) as number[];
    const isSought = typed.length >= SOUNDING_UNITS_MIN;
    const limit = SOUNDING_HEADS_MAX;
    const sounding = isSought ? (this.#sounding.search(head, { limit }) as number[]) : [];
    const known = new Set(spelled);
    return new TypedWord(this, typed, {
      sounding: sounding.filter((number) => !known.has(number)),
      spelled,
    });
  }

  soundOf(text: string): string {
    return this.#sounds.encode(text).join('');
  }

  text(token: number): string {
    const { tokenStart, tokenUnits } = this.list;
    return String.fromCharCode(...tokenUnits.subarray(tokenStart[token], tokenStart[token + 1]));
  }

  /** Length of a token's text. */
  units(token: number): number {
    const { tokenStart } = this.list;
    return (tokenStart[token + 1] as number) - (tokenStart[token] as number);
  }
}

interface Heads {
  /** Beginnings with the first letters typed. */
  readonly spelled: readonly number[];
  /** Others that sound so. */
  readonly sounding: readonly number[];
}

/** A word as far as it was typed, and what tokens are to it. */
export class TypedWord {
  readonly #dictionary: DictionaryHeads;
  readonly #typed: string;
  readonly #heads: Heads;
  readonly #sound: string;
  /** By token: its likeness plus 1, or UNKNOWN. What sounds alike is entered from the start. */
  readonly #known: Uint8Array;
  readonly #sounding: readonly number[];

  constructor(dictionary: DictionaryHeads, typed: string, heads: Heads) {
    this.#dictionary = dictionary;
    this.#typed = typed;
    this.#heads = heads;
    this.#sound = dictionary.soundOf(typed);
    this.#known = new Uint8Array(dictionary.list.tokenStart.length - 1);
    this.#sounding = this.#tokensOf(heads.sounding, (token) =>
      dictionary.soundOf(dictionary.text(token)).startsWith(this.#sound),
    );
    for (const token of this.#sounding) this.#known[token] = LIKENESS.sounds + 1;
  }

  /** Postings of all tokens that begin with the first letters typed: at least as many as it has. */
  get postings(): number {
    const { first, list } = this.#dictionary;
    const at = (token: number): number => list.tokenFirstPosting[token] ?? 0;
    return this.#heads.spelled.reduce(
      (sum, head) => sum + at(first[head + 1] ?? 0) - at(first[head] ?? 0),
      0,
    );
  }

  /** All that answer it: whole ones first, short ones before long ones, what sounds alike last. */
  tokens(): readonly number[] {
    const begins = this.#tokensOf(
      this.#heads.spelled,
      (token) => this.likenessOf(token) !== LIKENESS.none,
    );
    return [...this.#byLength(begins), ...this.#byLength(this.#sounding)];
  }

  /** One of LIKENESS. */
  likenessOf(token: number): number {
    const known = this.#known[token] as number;
    if (known !== UNKNOWN) return known - 1;
    const likeness = this.#compare(token);
    this.#known[token] = likeness + 1;
    return likeness;
  }

  #compare(token: number): number {
    const typed = this.#typed;
    const { tokenStart, tokenUnits } = this.#dictionary.list;
    const start = tokenStart[token] as number;
    const units = this.#dictionary.units(token);
    if (units < typed.length) return LIKENESS.none;
    for (let at = 0; at < typed.length; at++) {
      if (tokenUnits[start + at] !== typed.charCodeAt(at)) return LIKENESS.none;
    }
    return units === typed.length ? LIKENESS.whole : LIKENESS.begins;
  }

  #tokensOf(heads: readonly number[], isWanted: (token: number) => boolean): number[] {
    const { first } = this.#dictionary;
    const tokens: number[] = [];
    for (const head of heads) {
      const end = first[head + 1] as number;
      for (let token = first[head] as number; token < end; token++) {
        if (isWanted(token)) tokens.push(token);
      }
    }
    return tokens;
  }

  #byLength(tokens: readonly number[]): readonly number[] {
    const { units } = this.#dictionary;
    const length = (token: number) => units.call(this.#dictionary, token);
    return tokens.toSorted((a, b) => length(a) - length(b) || a - b);
  }
}
