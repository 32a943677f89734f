/**
 * Why each hit has its score: made when it is read, from the query of the event, the entry of the
 * version and the re-ranker that the event names, and no part of the evidence (decisions 2.13). A
 * formula needs none: its components and weights stand with each hit.
 */
import type { ListedEntry, ListedLinesOf } from '#slices/lists';
import { hitExplainer } from './asks.ts';
import type { ExplainAsk, HitExplainer, HitExplanation } from './hitExplanation.ts';
import type { AnswerCaller } from './hitFacts.ts';
import { EXPLAINED_PER_TOKEN } from './limits.ts';
import type { ListReference } from './lists.ts';
import { type Hit, sourceOf } from './mergeHits.ts';
import type { NormalizedQuery, RawQuery } from './ports.ts';
import { queryTokens } from './queryTokens.ts';
import { modelOf } from './rerankers.ts';

/** Milliseconds that an answer waits for them. */
const EXPLAIN_DEADLINE_MS = 5_000;

export interface ExplainPorts {
  readonly linesOf: ListedLinesOf;
  readonly explain: HitExplainer['explain'];
}

/** What a process of any kind has for it. */
export interface ExplainMeans {
  need(adapter: typeof hitExplainer): () => Promise<HitExplainer>;
  once<Part>(make: (process: this) => Part): Part;
  onClose(end: () => Promise<void>): void;
}

/** Ports of a process; its thread starts with the first who asks why. */
export const explainPorts = (process: ExplainMeans, linesOf: ListedLinesOf): ExplainPorts => ({
  explain: async (...ask) => (await process.once(openExplainer)).explain(...ask),
  linesOf,
});

async function openExplainer(process: ExplainMeans): Promise<HitExplainer> {
  const explainer = await process.need(hitExplainer)();
  process.onClose(() => explainer.close());
  return explainer;
}

/** Who asks why. */
export interface ExplainCaller extends AnswerCaller {
  /** Takes tokens of the rate limits; absent: they were taken. Rejects with `rate-limited`. */
  charge?(tokens: number): Promise<void>;
}

/** A hit as it is explained: what was asked, and the entry that it is. */
export interface ExplainedHit {
  readonly query: RawQuery | NormalizedQuery;
  /** Undefined: its version is not known. */
  readonly entry: ListedEntry | undefined;
}

/**
 * In the order of the hits, null where there is nothing to explain with. Hits of the same query,
 * which is the same object, are explained together. Rejects as ListedLinesOf and HitExplainer do.
 */
export async function explanationsOf(
  ports: ExplainPorts,
  version: string,
  hits: readonly ExplainedHit[],
  { charge, signal, turn }: ExplainCaller,
): Promise<readonly (HitExplanation | null)[]> {
  const known = hits.filter((hit) => hit.entry !== undefined);
  if (known.length === 0 || modelOf(version) === undefined) return hits.map(() => null);
  await charge?.(explanationTokens(version, known));
  const by = { deadlineMs: EXPLAIN_DEADLINE_MS, signal, turn };
  const entries = known.flatMap(({ entry }) => entry ?? []);
  const lines = await ports.linesOf(entries, by);
  const byQuery = new Map<ExplainedHit['query'], { at: ExplainedHit[]; lines: Uint8Array[] }>();
  for (const [at, hit] of known.entries()) {
    const line = lines[at];
    if (line === undefined) continue;
    const group = byQuery.get(hit.query) ?? { at: [], lines: [] };
    group.at.push(hit);
    group.lines.push(line);
    byQuery.set(hit.query, group);
  }
  const asks = [...byQuery].map(([query, group]): ExplainAsk => ({ lines: group.lines, query }));
  const explained = await ports.explain(version, asks, by);
  const found = new Map<ExplainedHit, HitExplanation | undefined>();
  for (const [group, { at }] of [...byQuery.values()].entries()) {
    for (const [place, hit] of at.entries()) found.set(hit, explained[group]?.[place]);
  }
  return hits.map((hit) => found.get(hit) ?? null);
}

/**
 * What explanations cost of the rate limits beyond the call itself: as many tokens as queries of
 * the same letters would, for each EXPLAINED_PER_TOKEN hits.
 */
export function explanationTokens(
  version: string,
  hits: readonly Pick<ExplainedHit, 'query'>[],
): number {
  if (modelOf(version) === undefined) return 0;
  const priceOf = new Map<ExplainedHit['query'], number>();
  let sum = 0;
  for (const { query } of hits) {
    const price = priceOf.get(query) ?? priceOfQuery(query);
    priceOf.set(query, price);
    sum += price;
  }
  return Math.floor(sum / EXPLAINED_PER_TOKEN);
}

function priceOfQuery(query: ExplainedHit['query']): number {
  if (!('names' in query)) return queryTokens(query);
  const [name = '', ...transliterations] = query.names;
  return queryTokens({ name, transliterations });
}

export interface ExplainableVerdict {
  readonly hits: readonly Hit[];
  readonly references: readonly ListReference[];
  readonly rerankerVersion: string;
}

/**
 * Explains the hits of one screening, each by the entry that leads it. Without a query, which was
 * erased, none.
 */
export function explainVerdict(
  ports: ExplainPorts,
  { hits, references, rerankerVersion }: ExplainableVerdict,
  query: NormalizedQuery | undefined,
  caller: ExplainCaller,
): Promise<readonly (HitExplanation | null)[]> {
  if (query === undefined) return Promise.resolve(hits.map(() => null));
  const asked = hits.map((hit) => {
    const reference = references.find(({ source }) => source === sourceOf(hit));
    return { entry: reference && { ...reference, id: hit.ftm_id }, query };
  });
  return explanationsOf(ports, rerankerVersion, asked, caller);
}

/** What the explanations of a screening cost of the rate limits beyond the call itself. */
export const verdictTokens = (
  { hits, rerankerVersion }: Pick<ExplainableVerdict, 'hits' | 'rerankerVersion'>,
  query: NormalizedQuery,
): number =>
  explanationTokens(
    rerankerVersion,
    hits.map(() => ({ query })),
  );
