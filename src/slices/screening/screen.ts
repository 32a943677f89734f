/**
 * The main job: a query in, a verdict out, and its evidence durable before the answer leaves.
 *
 * Order is the promise: lists are chosen once (no mix of versions), candidates are scored, the
 * event is sealed and written, and only then is there an answer. A crash before the write gives no
 * answer. After the write, a repeated request is answered from the idempotency record that was
 * written with the event.
 */
import {
  type Asker,
  type AuditLog,
  type IdempotencyRecord,
  overwrite,
  type SealedEvent,
} from '#core/audit';
import { chainOf, DomainError, type TenantId } from '#core/kernel';
import { type MayProcess, requireProcessing } from '#core/privacy';
import type { Clock } from '#platform/clock';
import { roundScore } from '#platform/roundScore';
import type { FactsOf } from '#slices/lists';
import type { ExclusionsInForce, MonitorSubject } from './asks.ts';
import {
  type ExplainCaller,
  type ExplainPorts,
  explainVerdict,
  verdictTokens,
} from './explainHits.ts';
import { factsOfHits } from './hitFacts.ts';
import { listSetOf, selectLists } from './lists.ts';
import { sourceOf } from './mergeHits.ts';
import type { ListsInForce, RawQuery, ScreeningSettings } from './ports.ts';
import { registerChanges, registerRows, subjectKeyOfRef } from './registerRows.ts';
import type { ScreeningFigures } from './screeningFigures.ts';
import { presentScreening, type Verdict } from './screeningRecord.ts';
import {
  completedEvent,
  type QueryPorts,
  type ScreenedQuery,
  screeningDraft,
  screenQuery,
} from './screenQuery.ts';

export interface ScreeningRequest {
  readonly tenantId: TenantId;
  /** The sandbox sees the synthetic list too. */
  readonly sandbox: boolean;
  /** Id of the API key or of the account, for the event. */
  readonly requestedBy: string;
  readonly query: RawQuery;
  /** The tenant's own id of the customer: events and the register have its digest. */
  readonly subjectRef?: string;
  /** The customer is watched from then on; he has a `subjectRef`. */
  readonly monitored?: Asker;
  readonly lists?: readonly string[];
  /** Pointers into the caller's body, for errors. */
  readonly pointers: { readonly name: string; readonly lists: string };
  readonly settings: ScreeningSettings;
  /** Monotonic milliseconds at which the request came in: took_ms counts from there. */
  readonly startedAtMs: number;
  /** Each hit says why it has its score; taken are the tokens that it costs. */
  readonly explained?: Required<Pick<ExplainCaller, 'charge'>>;
  readonly idempotency?: { readonly scope: string; readonly fingerprint: string };
  /** Fires when the client goes away; a query that still waits is then dropped. */
  readonly signal?: AbortSignal;
}

export interface ScreeningOptions<Index extends object> extends QueryPorts<Index> {
  readonly lists: ListsInForce<Index>;
  readonly audit: Pick<AuditLog, 'commit'>;
  readonly clock: Clock;
  readonly exclusions: ExclusionsInForce;
  /** What the lists say of a hit, beside its event. */
  readonly factsOf: FactsOf;
  readonly explain: ExplainPorts;
  readonly figures: ScreeningFigures;
  readonly mayProcess: MayProcess;
  readonly monitorSubject: MonitorSubject;
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
  const state = options.lists.current();
  const lists = selectLists(state, request.lists, {
    off: request.settings.sourcesOff,
    pointer: request.pointers.lists,
    sandbox: request.sandbox,
  });
  const { tenantId } = request;
  await requireProcessing(options.mayProcess, { tenantId }, 'screening');
  const exclusions = await options.exclusions({ tenantId });
  const { figures } = options;
  const screened = await figures.stage('match', () =>
    screenQuery(options, {
      clusters: state.clusters,
      exclusions,
      listSet: listSetOf(lists, state.clusters?.digest),
      lists: lists.map(({ index, version }) => ({ index, source: version.sourceId })),
      namePointer: request.pointers.name,
      query: request.query,
      requestedBy: request.requestedBy,
      settings: request.settings,
      signal: request.signal,
      subjectKey: keyOf(request),
      tenantId,
    }),
  );
  // Before anything is written: who has no tokens left is refused as if he had not asked.
  await request.explained?.charge(verdictTokens(screened.record.verdict, screened.query));
  const beforeMs = options.clock.monotonicMs();
  const answer = await figures.stage('commit', () => writeEvidence(options, request, screened));
  options.usage?.took(tenantId, 'evidence', options.clock.monotonicMs() - beforeMs);
  figures.screened(screened.record.verdict.decision);
  return answer;
}

async function writeEvidence<Index extends object>(
  options: ScreeningOptions<Index>,
  request: ScreeningRequest,
  screened: ScreenedQuery,
): Promise<string> {
  const { clock } = options;
  const { verdict } = screened.record;
  let tookMs = 0;
  const { idempotency } = request;
  const draft = screeningDraft(options, screened);
  const { occurredAt } = draft;
  const { requestedBy, tenantId } = request;
  const subjectKey = keyOf(request);
  const asked = { channel: 'unit', occurredAt, requestedBy, subjectKey, tenantId } as const;
  const own = {
    bus: [completedEvent(request.tenantId, verdict)],
    changes: registerChanges(registerRows(verdict, asked)),
    events: [draft],
    idempotency: (sealed: readonly SealedEvent[]): IdempotencyRecord | undefined => {
      tookMs = roundMs(clock.monotonicMs() - request.startedAtMs);
      return idempotency && recordKey(idempotency, { at: clock.now(), sealed, tookMs });
    },
  };
  const commit = (more: Awaited<ReturnType<MonitorSubject>>) =>
    options.audit.commit(chainOf(request.tenantId), {
      ...own,
      bus: [...own.bus, ...more.bus],
      changes: [...own.changes, ...more.changes],
      events: [...own.events, ...more.events],
    });
  const { monitored, subjectRef } = request;
  const committed =
    monitored === undefined || subjectRef === undefined
      ? commit(NOTHING)
      : overwrite(async () => {
          const { query } = request;
          const { screeningId } = verdict;
          const entries = entriesOf(verdict);
          const ask = { ...monitored, entries, query, screeningId, subjectRef, tenantId };
          return commit(await options.monitorSubject(ask));
        });
  // Beside the commit, which waits for a disk, too.
  const caller = { signal: request.signal, turn: tenantId };
  const [facts, explanations, { events }] = await Promise.all([
    factsOfHits(options.factsOf, verdict, caller),
    request.explained
      ? explainVerdict(options.explain, verdict, screened.query, caller)
      : undefined,
    committed,
  ]);
  const [event] = events;
  if (event === undefined) throw new DomainError('internal', { detail: 'no event was sealed' });
  return presentScreening(verdict, event, { explanations, facts, tookMs });
}

const NOTHING = { bus: [], changes: [], events: [] } as const;

/** The entries behind the hits of a verdict: merged hits stand for several. */
export const entriesOf = ({ hits }: Verdict) =>
  hits.flatMap((hit) => [
    { ftmId: hit.ftm_id, source: sourceOf(hit) },
    ...(hit.merged ?? []).map(({ ftm_id: ftmId, source }) => ({ ftmId, source })),
  ]);

const keyOf = ({ subjectRef, tenantId }: ScreeningRequest): string | undefined =>
  subjectRef === undefined ? undefined : subjectKeyOfRef(tenantId, subjectRef);

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

const roundMs = (ms: number): number => Math.round(roundScore(ms) * 1e3) / 1e3;
