/**
 * The main job: a query in, a verdict out, and its evidence durable before the answer leaves.
 *
 * Order is the promise: lists are chosen once (no mix of versions), candidates are scored, the
 * event is sealed and written, and only then is there an answer. A crash before the write answers
 * nothing; a crash after it is answered by the idempotency record that was written with the event.
 */
import type { AuditLog, IdempotencyRecord, JsonObject, SealedEvent } from '#domain/audit';
import {
  chainOf,
  DomainError,
  type EventId,
  type ScreeningId,
  type TenantId,
} from '#domain/kernel';
import type { Clock } from '#platform/clock';
import { type Random, uuidV7 } from '#platform/random';
import { roundScore } from '#platform/roundScore';
import { listSetOf, selectLists } from './lists.ts';
import type {
  CandidateEngine,
  ListsInForce,
  NormalizedQuery,
  RawQuery,
  ScreeningSettings,
} from './ports.ts';
import { presentScreening, recordScreening, type ScreeningRecord, type Verdict } from './record.ts';
import { candidateScoreMin } from './verdict.ts';

export interface ScreeningRequest {
  readonly tenantId: TenantId;
  /** The sandbox sees the synthetic list too. */
  readonly sandbox: boolean;
  /** Id of the API key or of the account, for the event. */
  readonly requestedBy: string;
  readonly query: RawQuery;
  readonly lists?: readonly string[];
  /** Pointers of the caller's body, for errors. */
  readonly pointers: { readonly name: string; readonly lists: string };
  readonly settings: ScreeningSettings;
  /** Monotonic milliseconds at which the request came in: took_ms counts from there. */
  readonly startedAtMs: number;
  readonly idempotency?: { readonly scope: string; readonly fingerprint: string };
}

export interface ScreeningOptions<Index extends object> {
  readonly engine: CandidateEngine<Index>;
  readonly lists: ListsInForce<Index>;
  readonly audit: Pick<AuditLog, 'commit'>;
  readonly clock: Clock;
  readonly random: Random;
  /** A query that is not scored by then ends with `deadline-exceeded`. */
  readonly deadlineMs: number;
}

export interface ScreeningService {
  /** The answer as JSON text (decisions 2.1), after its evidence is durable. */
  screen(request: ScreeningRequest): Promise<string>;
}

export function createScreening<Index extends object>(
  options: ScreeningOptions<Index>,
): ScreeningService {
  return { screen: (request) => screen(options, request) };
}

async function screen<Index extends object>(
  options: ScreeningOptions<Index>,
  request: ScreeningRequest,
): Promise<string> {
  const { engine, clock, random } = options;
  const { settings } = request;
  const state = options.lists.current();
  const lists = selectLists(state, request.lists, {
    pointer: request.pointers.lists,
    sandbox: request.sandbox,
  });
  const query = engine.normalize(request.query);
  requireName(query, request.pointers.name);
  const answer = await engine
    .screen({
      deadlineMs: options.deadlineMs,
      indexes: lists.map((list) => list.index),
      query,
      settings: {
        ...settings,
        // Both follow from what the event holds, so a replay has them too.
        answerScoreMin: candidateScoreMin(settings.thresholds),
        directScoreMin: Math.min(...Object.values(settings.thresholds)),
        version: settings.rerankerVersion,
      },
    })
    .catch(rethrowOverload);
  const record = recordScreening({
    candidates: answer.candidates,
    indexes: lists.map((list) => list.index),
    lists: listSetOf(lists),
    requestedBy: request.requestedBy,
    resolved: state.clusters && {
      clusters: state.clusters,
      sources: lists.map((list) => list.version.sourceId),
    },
    screeningId: uuidV7(clock.now(), random),
    settings,
    truncated: answer.truncated,
  });
  return writeEvidence(options, request, { query, record });
}

/** The engine's two refusals are the caller's to act on; anything else is a fault of ours. */
function rethrowOverload(error: unknown): never {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'engine-queue-full' || code === 'deadline-exceeded') {
    throw new DomainError(code, { cause: error, retryAfterS: 1 });
  }
  throw error;
}

/** A name of punctuation alone would match nothing and look CLEAR. */
function requireName(query: NormalizedQuery, pointer: string): void {
  if (query.names.some((name) => name.length > 0)) return;
  const detail = 'expected a name with at least one letter or digit';
  throw new DomainError('name-empty', {
    detail,
    violations: [{ code: 'format', detail, pointer }],
  });
}

async function writeEvidence<Index extends object>(
  options: ScreeningOptions<Index>,
  request: ScreeningRequest,
  screened: { readonly record: ScreeningRecord; readonly query: NormalizedQuery },
): Promise<string> {
  const { clock, random } = options;
  const { members, verdict } = screened.record;
  let tookMs = 0;
  const { idempotency } = request;
  const { events } = await options.audit.commit(chainOf(request.tenantId), {
    bus: [completedEvent(request.tenantId, verdict)],
    changes: [],
    events: [
      {
        decision: verdict.decision,
        eventId: uuidV7(clock.now(), random) as EventId,
        members,
        occurredAt: clock.now(),
        open: screened.query as unknown as JsonObject,
        screeningId: verdict.screeningId as ScreeningId,
        type: 'screening',
      },
    ],
    idempotency: (sealed): IdempotencyRecord | undefined => {
      tookMs = roundMs(clock.monotonicMs() - request.startedAtMs);
      return idempotency && recordKey(idempotency, { at: clock.now(), sealed, tookMs });
    },
  });
  const [event] = events;
  if (event === undefined) throw new DomainError('internal', { detail: 'no event was sealed' });
  return presentScreening(verdict, event, tookMs);
}

function recordKey(
  key: { readonly scope: string; readonly fingerprint: string },
  at: {
    readonly sealed: readonly SealedEvent[];
    readonly at: IdempotencyRecord['createdAt'];
    readonly tookMs: number;
  },
): IdempotencyRecord {
  const [event] = at.sealed;
  return {
    answer: { kind: 'event', seq: event?.seq ?? 0, status: 200, tookMs: at.tookMs },
    createdAt: at.at,
    fingerprint: key.fingerprint,
    scope: key.scope,
  };
}

/** Ids and the verdict, no names (decisions 7.6). */
function completedEvent(tenantId: TenantId, verdict: Verdict) {
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
      verdict: verdict.decision,
    },
    topic: 'sanctions.screening.completed' as const,
  };
}

const roundMs = (ms: number): number => Math.round(roundScore(ms) * 1e3) / 1e3;
