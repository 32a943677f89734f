/**
 * A normalised query laid out for the kernels: units of every name in both orders, letter
 * signatures, sounds, and the bit sets that Jaro-Winkler compares with. A thread has one and
 * refills it per query, so that screening allocates little.
 */

import { nationCodeOf, SCHEMA_CODE } from './attributeCodes.ts';
import { type DateSpan, parseMonthRange, parsePartialDate } from './dateDistance.ts';
import { JaroWinkler, NAME_UNITS_MAX } from './jaroWinkler.ts';
import type { UnitSpan } from './levenshtein.ts';
import { nameCore } from './nameWords.ts';
import { hashText, TOKEN_KIND, type TokenSound, tokenSound } from './phonetic.ts';
import type { NormalizedQuery } from './ports.ts';
import { signatureOnce, signatureTwice } from './signature.ts';
import { sortTokens } from './tokenOrder.ts';

/** One token of a query name. */
export interface QueryToken extends TokenSound {
  readonly text: string;
  readonly hash: number;
}

/** One name of the query, in both orders. */
export class QueryName {
  readonly natural = new JaroWinkler();
  readonly sorted = new JaroWinkler();
  readonly units = new Uint16Array(NAME_UNITS_MAX);
  readonly sortedUnits = new Uint16Array(NAME_UNITS_MAX);
  length = 0;
  once = 0;
  twice = 0;
  /** The two orders are the same text. */
  isSorted = true;
  /** Has a token with a phonetic code, its legal form aside. */
  isCoded = false;
  tokens: readonly QueryToken[] = [];
  /** Those beside the legal form, which alone are heard in names of companies and vessels. */
  coreTokens: readonly QueryToken[] = [];

  set(name: string, isPerson: boolean): void {
    const sorted = sortTokens(name);
    this.length = copyUnits(name, this.units);
    copyUnits(sorted, this.sortedUnits);
    this.isSorted = sorted === name;
    this.once = signatureOnce(this.units, 0, this.length);
    this.twice = signatureTwice(this.units, 0, this.length);
    this.natural.set(this.units, 0, this.length);
    if (!this.isSorted) this.sorted.set(this.sortedUnits, 0, this.length);
    this.tokens = name
      .split(' ')
      .map((text) => ({ text, hash: hashText(text), ...tokenSound(text) }));
    const texts = this.tokens.map(({ text }) => text);
    const core = isPerson ? { start: 0, end: texts.length } : nameCore(texts);
    this.coreTokens = this.tokens.slice(core.start, core.end);
    this.isCoded = this.coreTokens.some((token) => token.kind === TOKEN_KIND.coded);
  }
}

function copyUnits(text: string, into: Uint16Array): number {
  const length = Math.min(text.length, NAME_UNITS_MAX);
  for (let at = 0; at < length; at++) into[at] = text.charCodeAt(at);
  return length;
}

function spanOf(text: string): UnitSpan {
  const units = new Uint16Array(Math.min(text.length, NAME_UNITS_MAX));
  return { units, start: 0, end: copyUnits(text, units) };
}

/** A variant in both orders. */
export interface QueryVariant {
  readonly natural: UnitSpan;
  readonly sorted: UnitSpan;
  readonly once: number;
  readonly twice: number;
}

/** See the head of the file. */
export class PreparedQuery {
  readonly #pool: QueryName[] = [];
  names: readonly QueryName[] = [];
  variants: readonly QueryVariant[] = [];
  /** Every variant is a name too, as normalizeQuery makes it: one bound then serves both. */
  areVariantsNames = true;
  isCoded = false;
  dob: number | undefined;
  dobRange: DateSpan | undefined;
  /** 0: none given */
  nation = 0;
  /** 0: all sought */
  schema = 0;

  set(query: NormalizedQuery): void {
    this.names = query.names.map((name, index) => {
      const slot = this.#pool[index] ?? new QueryName();
      this.#pool[index] = slot;
      slot.set(name, query.schema === 'Person');
      return slot;
    });
    this.variants = query.variants.map((variant) => {
      const natural = spanOf(variant);
      return {
        natural,
        sorted: spanOf(sortTokens(variant)),
        once: signatureOnce(natural.units, 0, natural.end),
        twice: signatureTwice(natural.units, 0, natural.end),
      };
    });
    const names = new Set(query.names);
    this.areVariantsNames = query.variants.every((variant) => names.has(variant));
    this.isCoded = this.names.some((name) => name.isCoded);
    this.dob = query.dob === undefined ? undefined : parsePartialDate(query.dob);
    this.dobRange = query.dob_range === undefined ? undefined : parseMonthRange(query.dob_range);
    this.nation = query.nationality === undefined ? 0 : nationCodeOf(query.nationality);
    this.schema = query.schema === undefined ? 0 : SCHEMA_CODE[query.schema];
  }

  get hasDate(): boolean {
    return this.dob !== undefined || this.dobRange !== undefined;
  }
}
