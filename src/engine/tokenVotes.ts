/**
 * Candidates by shared tokens: each query token votes, weighted by its rarity (IDF), for the
 * entities that hold it, a neighbour within one deletion on either side (typos), or its sound; rare
 * tokens first, until a budget of postings is spent. An entity gets one vote per query token,
 * whatever number of names it has. Whole names without their spaces vote too (`alqaida` for `al
 * qaida`), and so do neighbouring tokens joined.
 */
import type { Deadline } from './deadline.ts';
import { levenshteinDistance } from './levenshtein.ts';
import { DELETION_UNITS_MAX, DELETION_UNITS_MIN, hashWithout } from './lookups.ts';
import { hashText, TOKEN_KIND } from './phonetic.ts';
import type { PreparedQuery } from './preparedQuery.ts';
import type { Snapshot } from './snapshotFormat.ts';
import { lowerBound } from './sortedPairs.ts';

const NEIGHBOUR_WEIGHT = 0.7;
const SOUND_WEIGHT = 0.6;
const QUERY_TOKENS_MAX = 48;
const BUCKETS = 256;
/** Votes that are cast in the time of one comparison of names. */
const POSTINGS_PER_UNIT = 16;

/** How wide a search is; chosen by the size of the list (screenList.ts). */
export interface VoteBudget {
  /** Postings that are read. */
  readonly postings: number;
  /** Entities that are handed on. */
  readonly entities: number;
  /** Neighbours of tokens that the list knows too, and sounds: where no sweep comes after. */
  readonly wide: boolean;
}

interface Source {
  readonly text: string;
  readonly token: number;
  readonly weight: number;
  readonly count: number;
}

function postingCount(list: Snapshot, token: number): number {
  return (list.tokenFirstPosting[token + 1] ?? 0) - (list.tokenFirstPosting[token] ?? 0);
}

function tokenText(list: Snapshot, token: number): string {
  const units = list.tokenUnits.subarray(list.tokenStart[token], list.tokenStart[token + 1]);
  return String.fromCharCode(...units);
}

/** The dictionary's number of a token, -1 where it is unknown. */
export function findToken(list: Snapshot, text: string): number {
  const hash = hashText(text);
  let at = lowerBound(list.tokenHash, hash);
  while (at < list.tokenHash.length && list.tokenHash[at] === hash) {
    if (tokenText(list, at) === text) return at;
    at += 1;
  }
  return -1;
}

/** Other tokens that one or two edits lead to, found by what is left when one character goes. */
export function findNeighbours(list: Snapshot, text: string): number[] {
  const length = text.length;
  if (length < DELETION_UNITS_MIN || length > DELETION_UNITS_MAX) return [];
  const units = Uint16Array.from(text, (char) => char.charCodeAt(0));
  const query = { units, start: 0, end: length };
  const found = new Set<number>();
  for (let skip = -1; skip < length; skip++) {
    const hash = hashWithout(units, 0, length, skip);
    let at = lowerBound(list.deletionKey, hash);
    for (; at < list.deletionKey.length && list.deletionKey[at] === hash; at++) {
      const token = list.deletionToken[at] ?? 0;
      if (found.has(token)) continue;
      const start = list.tokenStart[token] ?? 0;
      const end = list.tokenStart[token + 1] ?? 0;
      const distance = levenshteinDistance(query, { units: list.tokenUnits, start, end });
      if (distance === 1 || distance === 2) found.add(token);
    }
  }
  return [...found];
}

/**
 * Distinct tokens of all names, then neighbours joined (`false`: those have no typos of their own).
 */
function queryTexts(query: PreparedQuery): [string, boolean][] {
  const texts = new Map<string, boolean>();
  for (const { tokens } of query.names) {
    for (const { text } of tokens) texts.set(text, true);
  }
  for (const { tokens } of query.names) {
    for (let at = 0; at + 1 < tokens.length; at++) {
      const joined = `${tokens[at]?.text ?? ''}${tokens[at + 1]?.text ?? ''}`;
      if (!texts.has(joined)) texts.set(joined, false);
    }
  }
  return [...texts].slice(0, QUERY_TOKENS_MAX);
}

/** One thread's votes; refilled per query and list. */
export class TokenVotes {
  #votes = new Float32Array(0);
  #lastText = new Uint32Array(0);
  #textNumber = 0;
  readonly #touched: number[] = [];
  readonly #histogram = new Uint32Array(BUCKETS + 1);

  /**
   * Entities with the most votes, at most `budget.entities`, in no particular but deterministic
   * order.
   */
  collect(
    list: Snapshot,
    query: PreparedQuery,
    ask: { readonly budget: VoteBudget; readonly deadline: Deadline },
  ): number[] {
    const { budget, deadline } = ask;
    this.#reset(list.entitySchema.length);
    const sources = this.#sources(list, query, budget.wide);
    let read = 0;
    let text = '';
    for (const source of sources) {
      if (read > 0 && read + source.count > budget.postings) break;
      if (source.text !== text) this.#textNumber += 1;
      text = source.text;
      deadline.spend(source.count / POSTINGS_PER_UNIT);
      this.#voteToken(list, source);
      read += source.count;
    }
    if (budget.wide) this.#voteSounds(list, query, ask);
    this.#voteJoined(list, query);
    const best = this.#best(budget.entities);
    return best;
  }

  #reset(count: number): void {
    if (this.#votes.length < count) {
      this.#votes = new Float32Array(count);
      this.#lastText = new Uint32Array(count);
      this.#textNumber = 0;
    }
    for (const entity of this.#touched) this.#votes[entity] = 0;
    this.#touched.length = 0;
    if (this.#textNumber > 0xfffffff) {
      this.#lastText.fill(0);
      this.#textNumber = 0;
    }
  }

  /** Tokens to read, the rarest query token first, its exact token before its neighbours. */
  #sources(list: Snapshot, query: PreparedQuery, wide: boolean): Source[] {
    const total = list.entitySchema.length + 1;
    const groups = queryTexts(query).map(([text, whole]) => {
      const exact = findToken(list, text);
      const near = whole && (wide || exact < 0) ? findNeighbours(list, text) : [];
      const sources = [
        ...(exact >= 0 ? [{ token: exact, share: 1 }] : []),
        ...near.map((token) => ({ token, share: NEIGHBOUR_WEIGHT })),
      ].map(({ token, share }) => {
        const count = postingCount(list, token);
        return { text, token, count, weight: share * Math.log(total / (count + 1)) };
      });
      return { count: sources[0]?.count ?? 0, sources };
    });
    groups.sort((a, b) => a.count - b.count);
    return groups.flatMap(({ sources }) => sources);
  }

  #vote(entity: number, weight: number): void {
    if (this.#lastText[entity] === this.#textNumber) return;
    this.#lastText[entity] = this.#textNumber;
    const before = this.#votes[entity] ?? 0;
    if (before === 0) this.#touched.push(entity);
    this.#votes[entity] = before + weight;
  }

  #voteToken(list: Snapshot, source: Source): void {
    const end = list.tokenFirstPosting[source.token + 1] ?? 0;
    for (let at = list.tokenFirstPosting[source.token] ?? 0; at < end; at++) {
      this.#vote(list.tokenPosting[at] ?? 0, source.weight);
    }
  }

  #voteSounds(
    list: Snapshot,
    query: PreparedQuery,
    ask: { readonly budget: VoteBudget; readonly deadline: Deadline },
  ): void {
    const { postings } = ask.budget;
    const total = list.formEntity.length + 1;
    for (const { tokens } of query.names) {
      for (const token of tokens) {
        if (token.kind !== TOKEN_KIND.coded) continue;
        this.#textNumber += 1;
        for (const code of [token.primary, token.alternate]) {
          const at = code === 0 ? list.codeKey.length : lowerBound(list.codeKey, code);
          if (list.codeKey[at] !== code) continue;
          const start = list.codeFirstForm[at] ?? 0;
          const end = list.codeFirstForm[at + 1] ?? 0;
          if (end - start > postings) continue;
          ask.deadline.spend(1 + (end - start) / POSTINGS_PER_UNIT);
          const weight = SOUND_WEIGHT * Math.log(total / (end - start + 1));
          for (let posting = start; posting < end; posting++) {
            this.#vote(list.formEntity[list.codeForm[posting] ?? 0] ?? 0, weight);
          }
        }
      }
    }
  }

  #voteJoined(list: Snapshot, query: PreparedQuery): void {
    const weight = Math.log(list.entitySchema.length + 1) * 2;
    for (const { tokens } of query.names) {
      this.#textNumber += 1;
      const texts = tokens.map(({ text }) => text);
      for (const joined of new Set([texts.join(''), texts.toSorted().join('')])) {
        const hash = hashText(joined);
        let at = lowerBound(list.joinedKey, hash);
        for (; at < list.joinedKey.length && list.joinedKey[at] === hash; at++) {
          this.#vote(list.joinedEntity[at] ?? 0, weight);
        }
      }
    }
  }

  /** Selection by a histogram of votes: one pass to find the cut, one to take what is above. */
  #best(entities: number): number[] {
    if (this.#touched.length <= entities) return [...this.#touched];
    let most = 0;
    for (const entity of this.#touched) most = Math.max(most, this.#votes[entity] ?? 0);
    const scale = BUCKETS / most;
    const histogram = this.#histogram.fill(0);
    for (const entity of this.#touched) {
      const bucket = Math.floor((this.#votes[entity] ?? 0) * scale);
      histogram[bucket] = (histogram[bucket] ?? 0) + 1;
    }
    let cut = BUCKETS;
    let above = 0;
    while (cut > 0 && above + (histogram[cut] ?? 0) <= entities) {
      above += histogram[cut] ?? 0;
      cut -= 1;
    }
    let atCut = entities - above;
    const best: number[] = [];
    for (const entity of this.#touched) {
      const bucket = Math.floor((this.#votes[entity] ?? 0) * scale);
      if (bucket < cut) continue;
      if (bucket > cut) best.push(entity);
      else if (atCut > 0) {
        atCut -= 1;
        best.push(entity);
      }
    }
    return best;
  }
}
