/**
 * What re-ranker 2 takes to score a pair of prepared names, and to reject one by its bound: each
 * noisy name against the names of the next queries' entities, its words compared before, as in a
 * search. CPU time of one thread.
 */

import { foldName } from '#engine';
import { MODEL } from '../src/engine/reranker2/model.ts';
import { NamePairs } from '../src/engine/reranker2/namePairs.ts';
import { prepareName } from '../src/engine/reranker2/preparedName.ts';
import { WordRows } from '../src/engine/reranker2/wordColumns.ts';
import type { NoisyQuery } from './noise.ts';
import type { BenchOptions, BenchRow } from './row.ts';

/** Names that each is scored against. */
const AGAINST = 64;
const ROUNDS = 5;
/** As screenings ask: a score of a half. */
const LEAST_Z = 0;

function prepared(name: string) {
  return prepareName(foldName(name, 'person').latin.split(' '), 'person');
}

/** Rows `engine/pair` and `engine/pair-bound`. */
export function pairRows(
  queries: readonly NoisyQuery[],
  options: BenchOptions,
  common: Pick<BenchRow, 'suite' | 'data' | 'size'>,
): BenchRow[] {
  const names = queries.slice(0, options.smoke ? 20 : 400).map(({ raw }) => prepared(raw.name));
  const pairs = new NamePairs(MODEL);
  const memo = pairs.alignment.memos.person;
  const rows = new WordRows();
  const measure = (least: number): { readonly ns: number; readonly scored: number } => {
    const isBounded = Number.isFinite(least);
    let best = Number.POSITIVE_INFINITY;
    let scored = 0;
    for (let round = 0; round < ROUNDS; round++) {
      let spent = 0;
      scored = 0;
      names.forEach((query, at) => {
        const others = Array.from(
          { length: AGAINST },
          (_, next) => names[(at + next) % names.length],
        );
        memo.clear();
        rows.clear();
        rows.add(query.tokens, memo.queries);
        for (const other of others) rows.add(other?.tokens ?? [], memo.entries);
        memo.fill();
        const own = rows.row(0, memo.queries);
        const startedAt = performance.now();
        others.forEach((other, place) => {
          if (other === undefined) return;
          const row = isBounded ? rows.row(place + 1, memo.entries) : undefined;
          if (row !== undefined && pairs.most('person', own, row) < least) return;
          pairs.score(query, other);
          scored += 1;
        });
        spent += performance.now() - startedAt;
      });
      best = Math.min(best, spent);
    }
    return { ns: (best * 1e6) / (names.length * AGAINST), scored };
  };
  return [
    ['pair', Number.NEGATIVE_INFINITY, 'ns a pair of prepared names, aligned and weighed'] as const,
    ['pair-bound', LEAST_Z, 'ns a pair that is aligned only where it can reach a half'] as const,
  ].map(([id, least, unit]) => {
    const { ns, scored } = measure(least);
    return { ...common, checksum: String(scored), id: `engine/${id}`, ours: ns, unit };
  });
}
