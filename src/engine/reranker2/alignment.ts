/**
 * Which words of two names stand for each other. All pairs of words that are alike are found, and
 * words written as one, and acronyms; the best are taken, each word once. What is taken is the
 * explanation of the score, line by line.
 */
import {
  ACRONYM,
  initialsAt,
  isAcronym,
  JOINED_COST,
  mayBeOne,
  PERSON_ACRONYM,
  SETTLED,
  SETTLED_PARTS,
} from './joinedWords.ts';
import type { NameToken } from './nameToken.ts';
import type { PreparedName } from './preparedName.ts';
import { TOKENS_MAX } from './preparedName.ts';
import { REASON, SAME, similarity } from './tokenSimilarity.ts';
import { PART } from './wordFacts.ts';
import { wordMemos } from './wordMemo.ts';

/** One taken pair: `queryCount` words from `query` on stand for `entryCount` from `entry` on. */
export interface Link {
  query: number;
  queryCount: number;
  entry: number;
  entryCount: number;
  /** Thousandths. */
  alike: number;
  /** REASON */
  reason: number;
  /** What it is taken by: the greatest first. */
  value: number;
}

/** Likeness from which two words may stand for each other. */
export const LINKED_MIN = 500;
/** Words written as one are taken from these on, by the length of their shorter part. */
const JOINED_MIN = [1000, 995, 950, 840] as const;
const JOINED_THREE_MIN = 850;
const JOINED_BONUS = 0.3;
const PLACE_COST = 0.02;
const UNJOINED = PART.number;

/** What is read of an alignment. */
export type Aligned = Pick<Alignment, 'count' | 'entryTaken' | 'links' | 'memos' | 'queryTaken'>;

/** The alignment of one pair of names; an instance is used again for the next pair. */
export class Alignment {
  /** What is known already of words, by kind of names. */
  readonly memos = wordMemos();
  /** Taken pairs, the first `count` of them. */
  readonly links: Link[] = [];
  count = 0;
  /** Words of each side that are in a taken pair, a bit each. */
  queryTaken = 0;
  entryTaken = 0;
  /** Words that may stand for each other, the first `foundCount` of them. */
  readonly #found: Link[] = [];
  #foundCount = 0;
  readonly #queryBest = new Int32Array(TOKENS_MAX);
  readonly #entryBest = new Int32Array(TOKENS_MAX);

  /** Aligns two names of one kind: finds all pairs of words, and takes the best. */
  align(query: PreparedName, entry: PreparedName): void {
    this.#foundCount = 0;
    this.#findWords(query, entry);
    this.#findJoined(query, entry, false);
    this.#findJoined(entry, query, true);
    this.#findAcronyms(query, entry, false);
    this.#findAcronyms(entry, query, true);
    this.#take();
  }

  #findWords(query: PreparedName, entry: PreparedName): void {
    const memo = this.memos[query.kind];
    const queries = query.tokens.length;
    const entries = entry.tokens.length;
    this.#queryBest.fill(0, 0, queries);
    this.#entryBest.fill(0, 0, entries);
    for (let i = 0; i < queries; i++) {
      const one = query.tokens[i] as NameToken;
      for (let j = 0; j < entries; j++) {
        const other = entry.tokens[j] as NameToken;
        const alike = memo.similarity(one, other);
        if (alike < LINKED_MIN) continue;
        const { reason } = memo;
        if (reason !== REASON.initial) {
          if (alike > (this.#queryBest[i] as number)) this.#queryBest[i] = alike;
          if (alike > (this.#entryBest[j] as number)) this.#entryBest[j] = alike;
        }
        const share = alike / SAME;
        const place = i / queries - j / entries;
        const value =
          share * (one.weight + other.weight) + share - (place < 0 ? -place : place) * PLACE_COST;
        this.#add(i, 1, j, 1, alike, reason, value);
      }
    }
  }

  /** Words of `parts` that are one word of `whole`; `isTurned`: `parts` is the entry. */
  #findJoined(parts: PreparedName, whole: PreparedName, isTurned: boolean): void {
    const best = isTurned ? this.#entryBest : this.#queryBest;
    const wholeBest = isTurned ? this.#queryBest : this.#entryBest;
    let open = 0;
    for (let at = 0; at < whole.tokens.length; at++) {
      if ((wholeBest[at] as number) < SETTLED) open |= 1 << at;
    }
    if (open === 0) return;
    for (let from = 0; from + 1 < parts.tokens.length; from++) {
      if (isUnjoined(parts, from) || isUnjoined(parts, from + 1)) continue;
      const areSettled = isSettled(best, from) && isSettled(best, from + 1);
      if (!areSettled) this.#joinAt(parts, whole, from, 2, open, isTurned);
      if (from + 2 >= parts.tokens.length || isUnjoined(parts, from + 2)) continue;
      if (areSettled && isSettled(best, from + 2)) continue;
      this.#joinAt(parts, whole, from, 3, open, isTurned);
    }
  }

  /** Finds the words of `whole`, of those in `open`, that `count` words from `from` on are. */
  #joinAt(
    parts: PreparedName,
    whole: PreparedName,
    from: number,
    count: 2 | 3,
    open: number,
    isTurned: boolean,
  ): void {
    let letters = 0;
    for (let at = from; at < from + count; at++) letters += lettersAt(parts, at);
    const first = parts.tokens[from]?.codes[0] ?? 0;
    const end = (parts.tokens[from + count - 1] as NameToken).codes;
    const last = end[end.length - 1] ?? 0;
    for (let at = 0; at < whole.tokens.length; at++) {
      if (((open >>> at) & 1) === 0) continue;
      const other = whole.tokens[at] as NameToken;
      const { codes } = other;
      const own = codes.length;
      if (!mayBeOne(count, letters, first, last, own, codes[0] ?? 0, codes[own - 1] ?? 0)) continue;
      const least = leastJoined(parts, from, count);
      const isPerson = parts.kind === 'person';
      const alike = similarity(parts.joined(from, count), other, isPerson, least);
      if (alike < least) continue;
      const kept = Math.floor(alike * JOINED_COST);
      let weight = other.weight;
      for (let part = 0; part < count; part++) weight += weightAt(parts, from + part);
      const value = (alike / SAME) * weight + alike / SAME + JOINED_BONUS;
      if (isTurned) this.#add(at, 1, from, count, kept, REASON.joined, value);
      else this.#add(from, count, at, 1, kept, REASON.joined, value);
    }
  }

  /** Words of `short` that are the first letters of a run of words of `long`. */
  #findAcronyms(short: PreparedName, long: PreparedName, isTurned: boolean): void {
    if (long.tokens.length < 2) return;
    const isPerson = short.kind === 'person';
    for (let at = 0; at < short.tokens.length; at++) {
      const token = short.tokens[at] as NameToken;
      if (!isAcronym(token, isPerson)) continue;
      for (let from = 0; from < long.tokens.length; from++) {
        const count = initialsAt(token, long.tokens, from);
        if (count === 0) continue;
        const alike = isPerson ? PERSON_ACRONYM : ACRONYM;
        const value = (2 * alike) / SAME + count;
        if (isTurned) this.#add(from, count, at, 1, alike, REASON.acronym, value);
        else this.#add(at, 1, from, count, alike, REASON.acronym, value);
      }
    }
  }

  #add(
    query: number,
    queryCount: number,
    entry: number,
    entryCount: number,
    alike: number,
    reason: number,
    value: number,
  ): void {
    const place = this.#foundCount++;
    const link = this.#found[place];
    if (link === undefined) {
      this.#found[place] = { alike, entry, entryCount, query, queryCount, reason, value };
      return;
    }
    link.query = query;
    link.queryCount = queryCount;
    link.entry = entry;
    link.entryCount = entryCount;
    link.alike = alike;
    link.reason = reason;
    link.value = value;
  }

  /** Takes the most valuable pairs first, each word once. */
  #take(): void {
    const found = this.#found;
    const open = this.#foundCount;
    this.count = 0;
    this.queryTaken = 0;
    this.entryTaken = 0;
    for (let turn = 0; turn < open; turn++) {
      let best: Link | undefined;
      for (let at = 0; at < open; at++) {
        const link = found[at] as Link;
        if ((mask(link.query, link.queryCount) & this.queryTaken) !== 0) continue;
        if ((mask(link.entry, link.entryCount) & this.entryTaken) !== 0) continue;
        if (best === undefined || isBefore(link, best)) best = link;
      }
      if (best === undefined) return;
      this.links[this.count++] = best;
      this.queryTaken |= mask(best.query, best.queryCount);
      this.entryTaken |= mask(best.entry, best.entryCount);
    }
  }
}

function mask(from: number, count: number): number {
  return ((1 << count) - 1) << from;
}

function isBefore(a: Link, b: Link): boolean {
  if (a.value !== b.value) return a.value > b.value;
  return a.query !== b.query ? a.query < b.query : a.entry < b.entry;
}

function weightAt(name: PreparedName, at: number): number {
  return name.tokens[at]?.weight ?? 0;
}

function lettersAt(name: PreparedName, at: number): number {
  return (name.tokens[at] as NameToken).codes.length;
}

function isUnjoined(name: PreparedName, at: number): boolean {
  return ((name.tokens[at] as NameToken).parts & UNJOINED) !== 0;
}

/** Whether a word has so good a partner that it is not sought among joined ones. */
function isSettled(best: Int32Array, at: number): boolean {
  return (best[at] as number) > SETTLED_PARTS;
}

function leastJoined(parts: PreparedName, from: number, count: number): number {
  if (count === 3 || hasParticle(parts, from)) return JOINED_THREE_MIN;
  const shorter = Math.min(
    parts.tokens[from]?.codes.length ?? 0,
    parts.tokens[from + 1]?.codes.length ?? 0,
  );
  return JOINED_MIN[Math.min(shorter, JOINED_MIN.length - 1)] ?? SAME;
}

function hasParticle({ tokens }: PreparedName, from: number): boolean {
  return (((tokens[from]?.parts ?? 0) | (tokens[from + 1]?.parts ?? 0)) & PART.particle) !== 0;
}
