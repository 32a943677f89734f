/**
 * One query against one set of lists: its verdict, the event that is its evidence, and the message
 * for the bus. Both kinds of screening use it: one that is answered at once (screen.ts), and those
 * of a batch, which are committed together.
 */
import type { EventDraft, JsonObject } from '#core/audit';
import { DomainError, type EventId, type ScreeningId, type TenantId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import { type Random, uuidV7 } from '#platform/random';
import { NO_TRACER, type PastStep, type Tracer } from '#platform/tracing/tracer';
import type { Clusters } from '#slices/resolution';
import { rethrowRefusal } from './engineRefusal.ts';
import {
  type Cut,
  cutBeside,
  type Excluded,
  type Exclusions,
  excludedFor,
  withRoom,
} from './exclusions.ts';
import type { ListSet } from './lists.ts';
import type {
  CandidateEngine,
  EngineAnswer,
  NormalizedQuery,
  RawQuery,
  ScreeningSettings,
} from './ports.ts';
import type { CacheKey, ScreeningCache } from './screeningCache.ts';
import { recordScreening, type ScreeningRecord, type Verdict } from './screeningRecord.ts';
import type { ScreeningUsage } from './screeningUsage.ts';
import type { Channel } from './tables.ts';
import { candidateScoreMin } from './verdict.ts';

export interface QueryPorts<Index extends object> {
  readonly engine: CandidateEngine<Index>;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
  /** When the query ends with `deadline-exceeded` if it is not scored yet. */
  readonly deadlineMs: number;
  /** The engine's stages are steps of the trace, where one is recorded. */
  readonly tracer?: Tracer;
  /** Candidates of before, for policies that allow it. */
  readonly cache?: ScreeningCache;
  /** Measures some screenings, where that is wanted. */
  readonly usage?: Pick<ScreeningUsage, 'isTimed' | 'took'>;
}

export interface QueryAsk<Index extends object> {
  /** As it was sent; or, where a screening is repeated, as its event has it. */
  readonly query: RawQuery | NormalizedQuery;
  /** Pointer into the caller's body, for errors. */
  readonly namePointer: string;
  readonly lists: readonly { readonly source: string; readonly index: Index }[];
  readonly listSet: ListSet;
  readonly clusters?: Clusters | undefined;
  /** The tenant's, as far as they are known here. */
  readonly exclusions?: Exclusions | undefined;
  readonly requestedBy: string;
  /** Absent: `unit`. */
  readonly channel?: Channel;
  /** Digest of the customer's reference (`subjectKeyOfRef`). */
  readonly subjectKey?: string | undefined;
  readonly settings: ScreeningSettings;
  /** Whose turn it takes, where others wait for the engine too. */
  readonly tenantId?: TenantId;
  /** Fires when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
}

export interface ScreenedQuery {
  readonly query: NormalizedQuery;
  readonly record: ScreeningRecord;
}

/** Rejects with `name-empty`, `engine-queue-full`, `deadline-exceeded` or `body-aborted`. */
export async function screenQuery<Index extends object>(
  { cache, clock, deadlineMs, engine, random, tracer = NO_TRACER, usage }: QueryPorts<Index>,
  ask: QueryAsk<Index>,
): Promise<ScreenedQuery> {
  const { clusters, exclusions, settings } = ask;
  const indexes = ask.lists.map(({ index }) => index);
  const tell = tracer.here();
  const call = {
    deadlineMs,
    indexes,
    isTimed: usage?.isTimed() === true || tracer.isOn,
    settings: {
      boosts: settings.boosts,
      missingAttributes: settings.missingAttributes,
      phoneticNames: settings.phoneticNames,
      topN: settings.topN,
      weights: settings.weights,
      // Both follow from the event's content, so a replay has them too.
      answerScoreMin: candidateScoreMin(settings.thresholds),
      directScoreMin: Math.min(...Object.values(settings.thresholds)),
      version: settings.rerankerVersion,
    },
    signal: ask.signal,
    turn: ask.tenantId,
  };
  const known = knownAnswer({ cache, clock }, ask);
  const first = known ?? (await engine.screen({ ...call, query: ask.query }).catch(rethrowRefusal));
  const { query, stages } = first;
  if (stages !== undefined) {
    if (tracer.isOn) tellStages(tell, stages);
    if (ask.tenantId !== undefined) measureStages(usage, ask.tenantId, stages);
  }
  requireName(query, ask.namePointer);
  const sources = ask.lists.map(({ source }) => source);
  const now = { at: clock.now(), lists: ask.listSet.references };
  const excluded = excludedFor(exclusions, query, now);
  // Exclusions end by time: what is kept is of subjects who have none.
  const { candidates, truncated } = await besideExcluded(engine, call, {
    excluded,
    first,
    sources,
  }).catch(rethrowRefusal);
  if (known === undefined && excluded === undefined) keepAnswer({ cache, clock }, ask, first);
  const record = recordScreening({
    candidates,
    channel: ask.channel,
    excluded: excluded && exclusions && { digest: exclusions.digest, excluded, sources },
    isCached: known !== undefined,
    indexes,
    lists: ask.listSet,
    requestedBy: ask.requestedBy,
    resolved: clusters && { clusters, sources },
    screeningId: uuidV7(clock.now(), random),
    settings,
    subjectKey: ask.subjectKey,
    truncated,
  });
  return { query, record };
}

/**
 * The candidates of a subject, from which excluded ones take no place: where the answer is full, it
 * is asked for once more with room for them. A subject without exclusions is asked about once.
 */
export async function besideExcluded<Index>(
  engine: CandidateEngine<Index>,
  call: Omit<Parameters<CandidateEngine<Index>['screen']>[0], 'query'>,
  of: {
    readonly first: EngineAnswer;
    readonly excluded: Excluded | undefined;
    readonly sources: readonly string[];
  },
): Promise<Cut> {
  const { excluded, first, sources } = of;
  const { settings } = call;
  if (excluded === undefined || first.candidates.length < settings.topN) return first;
  const topN = withRoom(settings.topN);
  const found = await engine.screen({
    ...call,
    query: first.query,
    settings: { ...settings, topN },
  });
  return cutBeside(found, { ...settings, excluded, sources });
}

/** Retrieval and re-ranking take turns; they are shown one behind the other. */
function tellStages(
  tell: (step: PastStep) => void,
  { endMs, readMs, rerankMs, startMs }: NonNullable<EngineAnswer['stages']>,
): void {
  const rankedMs = Math.max(readMs, endMs - rerankMs);
  tell({ endMs: readMs, name: 'read query', startMs });
  tell({ endMs: rankedMs, name: 'retrieve', startMs: readMs });
  tell({ endMs, name: 'rerank', startMs: rankedMs });
}

interface CachePorts extends Pick<QueryPorts<object>, 'clock'> {
  readonly cache: ScreeningCache | undefined;
}

const cacheKeyOf = (ask: QueryAsk<object>): CacheKey | undefined =>
  ask.tenantId === undefined || ask.settings.cacheTtlMs === undefined
    ? undefined
    : {
        exclusions: ask.exclusions?.digest,
        listVersion: ask.listSet.listVersion,
        query: ask.query,
        settings: ask.settings,
        tenantId: ask.tenantId,
      };

function knownAnswer(
  { cache, clock }: CachePorts,
  ask: QueryAsk<object>,
): EngineAnswer | undefined {
  const key = cacheKeyOf(ask);
  return key && cache?.find(key, clock.now());
}

function keepAnswer({ cache, clock }: CachePorts, ask: QueryAsk<object>, answer: EngineAnswer) {
  const key = cacheKeyOf(ask);
  if (key !== undefined) cache?.keep(key, answer, clock.now());
}

function measureStages(
  usage: QueryPorts<object>['usage'],
  tenantId: TenantId,
  { endMs, readMs, rerankMs }: NonNullable<EngineAnswer['stages']>,
): void {
  usage?.took(tenantId, 'retrieval', Math.max(0, endMs - readMs - rerankMs));
  usage?.took(tenantId, 'rerank', rerankMs);
}

/** Refuses a name of punctuation alone: it would match nothing and look CLEAR. */
function requireName(query: NormalizedQuery, pointer: string): void {
  if (query.names.some((name) => name.length > 0)) return;
  const detail = 'expected a name with at least one letter or digit';
  throw new DomainError('name-empty', {
    detail,
    violations: [{ code: 'format', detail, pointer }],
  });
}

/** The one event of a screening. */
export function screeningDraft(
  { clock, random }: { readonly clock: Pick<Clock, 'now'>; readonly random: Random },
  { query, record }: ScreenedQuery,
): EventDraft {
  const { members, verdict } = record;
  return {
    decision: verdict.decision,
    eventId: uuidV7(clock.now(), random) as EventId,
    members,
    occurredAt: clock.now(),
    open: query as unknown as JsonObject,
    screeningId: verdict.screeningId as ScreeningId,
    type: 'screening',
  };
}

/** Ids and the verdict, no names (decisions 7.6). */
export function completedEvent(tenantId: TenantId, verdict: Verdict) {
  return {
    partition: tenantId,
    payload: {
      hits: verdict.hits.map(({ directScore, ftm_id, typology }) => ({
        directScore,
        ftm_id,
        typology,
      })),
      listVersion: verdict.listVersion,
      screeningId: verdict.screeningId,
      ...(verdict.suppressed && {
        suppressed: verdict.suppressed.map(({ exclusion_id }) => exclusion_id),
      }),
      verdict: verdict.decision,
    },
    topic: 'sanctions.screening.completed' as const,
  };
}
