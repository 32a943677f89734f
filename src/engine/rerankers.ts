/**
 * Re-ranker versions, side by side over one index format. An old version stays here as long as an
 * event names it, so that its screening can be replayed. A better scorer is a new major version
 * with a file of its own (decisions 2.11).
 *
 * The fold is part of a version. Version 1.0.0 folds by the tables of Unicode UNICODE_VERSION in
 * config/tables and by the host's normalize and toLowerCase, which agree for all assigned
 * characters of names since Unicode 13.
 */
import type { Deadline } from './deadline.ts';
import { Formula } from './formula.ts';
import { normalizeByName } from './normalizeByName.ts';
import { normalizeQuery } from './normalizeQuery.ts';
import type { IndexEntity, NormalizedQuery, RawQuery, ScorerSettings } from './ports.ts';
import type { PreparedQuery } from './preparedQuery.ts';
import type { Rerank } from './rerankAsk.ts';
import { type Explanation, explainEntities } from './reranker2/explain.ts';
import { readQuery } from './reranker2/readQuery.ts';
import { rerankerTwo } from './reranker2/reranker.ts';
import { ListScreener } from './screenList.ts';
import { sortWords, type TokenOrder } from './tokenOrder.ts';
import { CANDIDATES_MAX } from './topK.ts';

/** What one version is made of. A new version is one more row of VERSIONS. */
interface RerankerVersion {
  /** How it reads a query as given: what it makes is stored with the event, and replayed. */
  normalize(query: RawQuery, deadline: Deadline): NormalizedQuery;
  /** How it sorts the words of a name; absent: all by their letters. */
  readonly order?: TokenOrder;
  /** A thread's own instance. */
  make(): Rerank;
  /** Takes scores apart; absent: the formula's components and weights say it all. */
  readonly explain?: typeof explainEntities;
}

/** Re-ranker 1 by the rules of 1.0 (0) or 1.1 (1), over the same index. */
function rerankerOne(rules: 0 | 1): () => Rerank {
  return () => {
    const screener = new ListScreener();
    return ({ lists, slot, normalized, query, settings, directScoreMin, ...ask }) => {
      const formula = new Formula(settings, rules === 1 ? normalized.common_words : undefined);
      const matchesOnly = (settings.answerScoreMin ?? 0) >= directScoreMin;
      lists.forEach(({ list, host, removed }, index) => {
        host.open(slot, removed);
        screener.screen({
          list,
          host,
          index,
          query,
          formula,
          best: ask.best,
          primaryOnly: settings.phoneticNames === 'primary',
          directScoreMin,
          deadline: ask.deadline,
          matchesOnly,
          rules,
          exhaustive: ask.exhaustive ?? false,
          watch: ask.watch,
        });
      });
    };
  };
}

const VERSIONS: Readonly<Record<string, RerankerVersion>> = {
  '1.0.0': { make: rerankerOne(0), normalize: normalizeQuery },
  '1.1.0': { make: rerankerOne(1), normalize: normalizeByName, order: sortWords },
  '2.0.0': {
    explain: explainEntities,
    make: () => rerankerTwo(),
    normalize: readQuery,
    order: sortWords,
  },
};

/** SemVer of the versions that can be run, ascending. */
export const RERANKER_VERSIONS: readonly string[] = Object.keys(VERSIONS);

function versionOf(version: string): RerankerVersion {
  const found = Object.hasOwn(VERSIONS, version) ? VERSIONS[version] : undefined;
  if (found === undefined) {
    throw new Error(`re-ranker: expected one of ${RERANKER_VERSIONS.join(', ')}, got '${version}'`);
  }
  return found;
}

/** A thread's own instance of a version; throws an Error for an unknown one. */
export function makeReranker(version: string): Rerank {
  return versionOf(version).make();
}

/** A query as a version reads it; throws an Error for an unknown version. */
export function normalizeFor(
  version: string,
  query: RawQuery,
  deadline: Deadline,
): NormalizedQuery {
  return versionOf(version).normalize(query, deadline);
}

/**
 * Why entities have their scores by a version, in their order; undefined for a formula, and where
 * either side has no name. Throws an Error for an unknown version, and EngineError
 * `deadline-exceeded` or `caller-gone`.
 */
export function explainFor(
  version: string,
  query: RawQuery | NormalizedQuery,
  of: { readonly entities: readonly IndexEntity[]; readonly deadline: Deadline },
): (Explanation | undefined)[] {
  const { deadline, entities } = of;
  const { explain, normalize } = versionOf(version);
  if (explain === undefined) return entities.map(() => undefined);
  return explain('names' in query ? query : normalize(query, deadline), entities, deadline);
}

/** Prepares a query for the kernels as a version has it; throws an Error for an unknown version. */
export function prepareFor(
  version: string,
  query: NormalizedQuery,
  to: { readonly prepared: PreparedQuery; readonly deadline: Deadline },
): void {
  to.prepared.set(query, to.deadline, versionOf(version).order);
}

/**
 * Checks a caller's settings: throws an Error for an unknown version and for a topN out of range.
 */
export function checkSettings({ topN, version }: ScorerSettings): void {
  versionOf(version);
  if (!Number.isInteger(topN) || topN < 1 || topN > CANDIDATES_MAX) {
    throw new Error(`topN: expected 1..${CANDIDATES_MAX}, got ${topN}`);
  }
}
