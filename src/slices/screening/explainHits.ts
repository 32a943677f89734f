/**
 * Why each hit has its score: made when it is read, from the query of the event, the entry of the
 * version and the re-ranker that the event names, and no part of the evidence (decisions 2.13). A
 * formula needs none: its components and weights stand with each hit.
 */
import { canonicalJson } from '#platform/canonicalJson';
import {
  entitiesOfProcess,
  type FactsMeans,
  type IndexableEntity,
  type ListedEntitiesOf,
  type ListedEntry,
  toIndexEntity,
} from '#slices/lists';
import type { AnswerCaller } from './hitFacts.ts';
import type { ListReference } from './lists.ts';
import { type Hit, sourceOf } from './mergeHits.ts';
import type { NormalizedQuery, RawQuery } from './ports.ts';
import { modelOf } from './rerankers.ts';

/** Milliseconds that an answer waits for them. */
const EXPLAIN_DEADLINE_MS = 5_000;

/** The score of a hit, taken apart; the engine's side is src/engine/reranker2/explain.ts. */
export interface HitExplanation {
  readonly query: string;
  readonly entry: string;
  readonly words: readonly {
    readonly query: string;
    readonly entry: string;
    readonly reason: string;
    readonly similarity: number;
  }[];
  readonly left_over: { readonly query: readonly string[]; readonly entry: readonly string[] };
  readonly bits: number;
  readonly terms: readonly { readonly term: string; readonly z: number }[];
  readonly z: number;
  readonly score: number;
}

/** Undefined for a formula, and where either side has no name. */
export type ExplainEntity = (
  version: string,
  query: RawQuery | NormalizedQuery,
  entity: IndexableEntity,
) => HitExplanation | undefined;

export interface ExplainPorts {
  readonly entitiesOf: ListedEntitiesOf;
  readonly explain: () => Promise<ExplainEntity>;
}

/** Ports of a process that has the threads which read entries. */
export const explainPorts = (
  process: FactsMeans,
  explain: ExplainPorts['explain'],
): ExplainPorts => ({
  entitiesOf: (...ask) => entitiesOfProcess(process)(...ask),
  explain,
});

/** A hit as it is explained: what was asked, and the entry that it is. */
export interface ExplainedHit {
  readonly query: RawQuery | NormalizedQuery;
  /** Undefined: its version is not known. */
  readonly entry: ListedEntry | undefined;
}

/**
 * In the order of the hits, null where there is nothing to explain with. Rejects as
 * ListedEntitiesOf does.
 */
export async function explanationsOf(
  ports: ExplainPorts,
  version: string,
  hits: readonly ExplainedHit[],
  caller: AnswerCaller,
): Promise<readonly (HitExplanation | null)[]> {
  if (hits.length === 0 || modelOf(version) === undefined) return hits.map(() => null);
  const known = hits.flatMap(({ entry }) => (entry === undefined ? [] : [entry]));
  const by = { ...caller, deadlineMs: EXPLAIN_DEADLINE_MS };
  const [explain, entities] = await Promise.all([ports.explain(), ports.entitiesOf(known, by)]);
  const byEntry = new Map(known.map((entry, at) => [entry, entities[at]]));
  return hits.map(({ entry, query }) => {
    const entity = entry && byEntry.get(entry);
    if (entity === undefined) return null;
    return explain(version, query, toIndexEntity(Buffer.from(canonicalJson(entity)))) ?? null;
  });
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
  caller: AnswerCaller,
): Promise<readonly (HitExplanation | null)[]> {
  if (query === undefined) return Promise.resolve(hits.map(() => null));
  const asked = hits.map((hit) => {
    const reference = references.find(({ source }) => source === sourceOf(hit));
    return { entry: reference && { ...reference, id: hit.ftm_id }, query };
  });
  return explanationsOf(ports, rerankerVersion, asked, caller);
}
