/** One version of the re-ranker over indexes, as the measures ask it. */
import type { RawQuery } from '../../src/engine/ports.ts';
import type { Rerank } from '../../src/engine/rerankAsk.ts';
import { makeReranker } from '../../src/engine/rerankers.ts';
import { type Found, type ListRun, SETTINGS } from './listRun.ts';
import { looksAlike } from './trainingPairs.ts';

/** Scores of these are answered: batches clear below. */
const ANSWERED_MIN = 0.6;
/** Whether a candidate is one that the name is of, for all that names can say. */
const wordsOf = (name: string): number => name.trim().split(/[\s-]+/).length;

/** A query made from an entity of a list. */
export interface Planted {
  readonly id: string;
  readonly raw: RawQuery;
}

/** Searches with one version. */
export class Seeker {
  readonly version: string;
  readonly #rerank: Rerank;

  /** @param rerank a model of its own; absent: the one that ships */
  constructor(version: string, rerank: Rerank = makeReranker(version)) {
    this.version = version;
    this.#rerank = rerank;
  }

  /** Candidates of a query, best first. */
  search(run: ListRun, raw: RawQuery): Found[] {
    const settings = { ...SETTINGS, directScoreMin: ANSWERED_MIN, version: this.version };
    return run.search(this.#rerank, raw, settings);
  }

  /** Share whose own entity is first, or has the score of the first. */
  firstShare(run: ListRun, queries: readonly Planted[]): number {
    return shareOf(queries, ({ id, raw }) => {
      const found = this.search(run, raw);
      const own = found.find((one) => one.id === id);
      return own !== undefined && own.finalScore === found[0]?.finalScore;
    });
  }

  /** Score of each query's own entity; 0 where it is not among the candidates. */
  ownScores(run: ListRun, queries: readonly Planted[]): number[] {
    return queries.map(
      ({ id, raw }) => this.search(run, raw).find((one) => one.id === id)?.directScore ?? 0,
    );
  }

  /**
   * Best score of each name that no list has. Names that differ from the one they find by spelling
   * alone are left out where `areKnown`: some well-known people and companies are listed.
   */
  topScores(
    run: ListRun,
    queries: readonly RawQuery[],
    { areKnown = false }: { readonly areKnown?: boolean } = {},
  ): number[] {
    return queries.flatMap((raw) => {
      const [best] = this.search(run, raw);
      if (best === undefined) return [0];
      return areKnown && isListed(raw.name, best.matchedName) ? [] : [best.directScore];
    });
  }
}

/** Whether two names differ by spelling alone, word by word: nobody can say that they are two. */
export function isListed(name: string, matchedName: string): boolean {
  return wordsOf(name) === wordsOf(matchedName) && looksAlike(name, matchedName);
}

/** Share of the items that fulfil a condition; 0 of none. */
export function shareOf<T>(items: readonly T[], is: (item: T) => boolean): number {
  return items.filter(is).length / Math.max(1, items.length);
}

/** Share of the scores that reach a line. */
export function shareFrom(scores: readonly number[], line: number): number {
  return shareOf(scores, (score) => score >= line);
}

/** The line that at most `share` of the scores reach. */
export function lineOf(scores: readonly number[], share: number): number {
  const ranked = [...scores].sort((a, b) => b - a);
  return (ranked[Math.floor(share * scores.length)] ?? 0) + 1e-9;
}
