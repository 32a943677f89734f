/**
 * A normalised query prepared for the kernels: its names' tokens with their sounds, in natural and
 * in sorted order, and its attributes as numbers. Prepared once per query, then handed to the
 * kernels of each list.
 */
import { nationCodeOf, SCHEMA_CODE } from './attributeCodes.ts';
import { type DateSpan, parseMonthRange, parsePartialDate } from './dateDistance.ts';
import type { Deadline } from './deadline.ts';
import type { KernelHost } from './kernelHost.ts';
import { NAME_UNITS_MAX, NAMES_MAX } from './limits.ts';
import { nameCore } from './nameWords.ts';
import { TOKEN_KIND, type TokenSound, tokenSound } from './phonetic.ts';
import type { NormalizedQuery } from './ports.ts';
import { RecentMemo } from './recentMemo.ts';
import { sortTokens, type TokenOrder } from './tokenOrder.ts';

const VARIANTS_MAX = 64;
/** Words of queries whose phonetic codes are cached: names repeat them, and one takes 10 µs. */
const SOUNDS_KEPT = 8_192;
/** Flags of a name (native/query.ts). */
const FLAG = { sorted: 1, coded: 2 } as const;

/** One token of a query name. */
interface QueryToken extends TokenSound {
  readonly text: string;
}

/** One name of the query. */
interface QueryName {
  readonly text: string;
  readonly sorted: string;
  readonly tokens: readonly QueryToken[];
  /**
   * Range of the tokens without the legal form; names of companies and vessels are compared by
   * sound only in these.
   */
  readonly core: { readonly start: number; readonly end: number };
  /** A token of the core has a phonetic code. */
  readonly isCoded: boolean;
}

const sounds = new RecentMemo(SOUNDS_KEPT, tokenSound);

/** What the token at a place of a name may stand for, whatever its letters. */
export type StandIns = (
  tokens: readonly { readonly text: string }[],
  at: number,
) => readonly string[];

function cut(text: string): string {
  return text.slice(0, NAME_UNITS_MAX);
}

function queryName(text: string, isPerson: boolean, order: TokenOrder): QueryName {
  const tokens = text.split(' ').map((token) => ({ text: token, ...sounds.get(token) }));
  const core = isPerson
    ? { start: 0, end: tokens.length }
    : nameCore(tokens.map((token) => token.text));
  const isCoded = tokens.slice(core.start, core.end).some(({ kind }) => kind === TOKEN_KIND.coded);
  return { text: cut(text), sorted: cut(order(text)), tokens, core, isCoded };
}

/**
 * One prepared query, reused from query to query. `set` throws an Error for more than 192 names or
 * 64 variants, and looks at the deadline between names; `handTo` throws where the names exceed a
 * thread's scratch.
 */
export class PreparedQuery {
  names: readonly QueryName[] = [];
  variants: readonly string[] = [];
  /** Every variant is a name too, as normalizeQuery makes it: one bound then serves both. */
  areVariantsNames = true;
  isCoded = false;
  /** Some name has a single letter among its tokens. */
  hasLetters = false;
  dob: number | undefined;
  dobRange: DateSpan | undefined;
  /** Nationality (nationCodeOf); 0: none given. */
  nation = 0;
  /** SCHEMA_CODE; 0: all are sought. */
  schema = 0;
  #order: TokenOrder = sortTokens;

  /** @param order how the sorted form of a name is made; absent: as re-ranker 1.0 makes it */
  set(query: NormalizedQuery, deadline?: Deadline, order: TokenOrder = sortTokens): void {
    if (query.names.length > NAMES_MAX || query.variants.length > VARIANTS_MAX) {
      throw new Error(`query: expected at most ${NAMES_MAX} names and ${VARIANTS_MAX} variants`);
    }
    this.names = query.names.map((name) => {
      deadline?.check();
      return queryName(name, query.schema === 'Person', order);
    });
    this.#order = order;
    this.hasLetters = this.names.some(({ tokens }) =>
      tokens.some(({ kind }) => kind === TOKEN_KIND.initial),
    );
    this.variants = query.variants.map(cut);
    const names = new Set(query.names);
    this.areVariantsNames = query.variants.every((variant) => names.has(variant));
    this.isCoded = this.names.some((name) => name.isCoded);
    this.dob = query.dob === undefined ? undefined : parsePartialDate(query.dob);
    this.dobRange = query.dob_range === undefined ? undefined : parseMonthRange(query.dob_range);
    this.nation = query.nationality === undefined ? 0 : nationCodeOf(query.nationality);
    this.schema = query.schema === undefined ? 0 : SCHEMA_CODE[query.schema];
  }

  /** The same names with no attribute: what is found by names alone. */
  withoutAttributes(): PreparedQuery {
    const named = new PreparedQuery();
    named.names = this.names;
    named.variants = this.variants;
    named.areVariantsNames = this.areVariantsNames;
    named.isCoded = this.isCoded;
    named.schema = this.schema;
    return named;
  }

  /**
   * Writes the names and variants into the kernels' scratch, which `host` has just opened.
   *
   * @param standIns words that a word may stand for whatever its letters; absent: none
   */
  handTo(host: KernelHost, standIns?: StandIns): void {
    const { kernels } = host;
    kernels.clearQuery();
    for (const name of this.names) {
      makeRoom(host);
      const isSorted = name.text === name.sorted;
      write(host.input, name.text, 0);
      write(host.input, name.sorted, name.text.length);
      const flags = (isSorted ? FLAG.sorted : 0) | (name.isCoded ? FLAG.coded : 0);
      kernels.addName(name.text.length, flags);
      kernels.setCore(name.core.start, name.core.end);
      kernels.openTokens(name.tokens.length);
      name.tokens.forEach(({ text, kind, primary, alternate }, at) => {
        write(host.input, text, 0);
        kernels.addToken(text.length, kind, primary | 0, alternate | 0);
        for (const other of standIns?.(name.tokens, at) ?? []) {
          write(host.input, other, 0);
          kernels.addStandIn(other.length);
        }
      });
    }
    for (const variant of this.variants) {
      makeRoom(host);
      write(host.input, variant, 0);
      write(host.input, cut(this.#order(variant)), variant.length);
      kernels.addVariant(variant.length);
    }
  }
}

function makeRoom(host: KernelHost): void {
  if (host.kernels.hasRoom() === 0) throw new Error('query: its names exceed the scratch');
}

function write(into: Uint16Array, text: string, start: number): void {
  for (let at = 0; at < text.length; at++) into[start + at] = text.charCodeAt(at);
}
