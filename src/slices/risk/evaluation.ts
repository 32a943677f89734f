/** An evaluation as it was signed: its entry is the record, and the id of the event is its id. */
import type { JsonObject, JsonRecord, SealedEvent } from '#core/audit';
import { chainOf, DomainError, type EventId, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { RescreeningSeen, ScreeningSeen } from './clientFacts.ts';
import type { DimensionScore, RiskResult } from './compilePolicy.ts';
import type { Facts } from './facts.ts';
import type { RiskReadPorts } from './ports.ts';
import { clientTarget } from './signedRisk.ts';
import type { Force, Level } from './words.ts';

/** Members of the entry `risk.evaluated`, beside those of every entry. */
export interface EvaluationMembers {
  readonly evaluation_id: string;
  readonly client_id: string;
  readonly case_id: string;
  readonly policy_id: string;
  readonly policy_version: number;
  readonly policy_hash: string;
  readonly evaluator_version: string;
  readonly tables: readonly { readonly name: string; readonly digest: string }[];
  readonly screening: ScreeningSeen | null;
  /** Absent: none counts beside it. */
  readonly rescreenings?: readonly RescreeningSeen[];
  /** S, an integer. */
  readonly score: number;
  /** By the policy. */
  readonly level: Level;
  readonly level_by_score: Level;
  readonly dimensions: readonly DimensionScore[];
  readonly overrides: readonly { readonly id: string; readonly force: Force }[];
  readonly incomplete: boolean;
  readonly missing: readonly string[];
  /** As it counts for the client. */
  readonly client_level: Level;
  /** What a person gave the client and holds; null: the policy alone decides. */
  readonly manual: {
    readonly level: Level;
    readonly until: string;
    readonly by: string;
    readonly confirmed_by: string | null;
  } | null;
  /** Null: the first one. */
  readonly previous_level: Level | null;
  readonly next_review_at: string;
  readonly record_digest: string;
}

/** The part that a replay must give again, byte for byte. */
export const resultMembers = (result: RiskResult): JsonObject =>
  ({
    dimensions: result.dimensions,
    incomplete: result.incomplete,
    level: result.level,
    level_by_score: result.level_by_score,
    missing: result.missing,
    overrides: result.overrides,
    score: result.score,
  }) as unknown as JsonObject;

/** An evaluation with its place in the chain. */
export interface Evaluation {
  readonly members: EvaluationMembers;
  readonly event: Pick<SealedEvent, 'eventId' | 'hash' | 'seq'>;
  readonly at: EpochMs;
  /** Undefined once they were erased. */
  readonly open: EvaluationOpen | undefined;
}

/** What can be erased of it. */
export interface EvaluationOpen {
  readonly facts: Facts;
  /** Those among them that callers gave. */
  readonly given: Facts;
}

/** Where an evaluation is, for a caller of this tenant. */
export interface EvaluationPlace {
  readonly tenantId: TenantId;
  readonly evaluationId: string;
}

/** The action of an evaluation’s entry. */
export const EVALUATED = 'risk.evaluated';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Throws `evaluation-unknown`, `evidence-altered`. */
export async function requireEvaluation(
  ports: Pick<RiskReadPorts, 'audit' | 'events'>,
  { evaluationId, tenantId }: EvaluationPlace,
): Promise<Evaluation> {
  const event = UUID.test(evaluationId)
    ? await ports.audit.findByEventId(chainOf(tenantId), evaluationId as EventId)
    : undefined;
  if (event?.action !== EVALUATED) throw new DomainError('evaluation-unknown');
  return readEvaluation(ports, tenantId, event);
}

/** The evaluation of an event. Throws `evidence-altered`. */
export async function readEvaluation(
  { events }: Pick<RiskReadPorts, 'events'>,
  tenantId: TenantId,
  event: SealedEvent,
): Promise<Evaluation> {
  return evaluationOf(event, await events.read(chainOf(tenantId), event));
}

/** The evaluations of many events, in their order. Throws `evidence-altered`. */
export async function readEvaluations(
  { events }: Pick<RiskReadPorts, 'events'>,
  tenantId: TenantId,
  all: readonly SealedEvent[],
): Promise<readonly Evaluation[]> {
  const read = await events.readAll(chainOf(tenantId), all);
  return all.map((event, place) => evaluationOf(event, read[place]));
}

function evaluationOf(event: SealedEvent, read: JsonRecord | undefined): Evaluation {
  const members = read as never as EvaluationMembers & {
    readonly action: string;
    readonly details?: EvaluationOpen;
  };
  if (members.action !== EVALUATED || members.evaluation_id !== event.eventId) {
    const detail = `evaluation ${event.eventId}: another event stands in its place`;
    throw new DomainError('evidence-altered', { detail });
  }
  const { details } = members;
  const open = details?.facts === undefined ? undefined : details;
  const { eventId, hash, seq } = event;
  return { at: event.occurredAt, event: { eventId, hash, seq }, members, open };
}

/** One page of a client’s evaluations, latest first. */
export async function listEvaluations(
  ports: Pick<RiskReadPorts, 'audit' | 'events'>,
  of: {
    readonly tenantId: TenantId;
    readonly clientId: string;
    /** Continues before this one. */
    readonly beforeSeq?: number;
    readonly limit: number;
  },
): Promise<{ readonly evaluations: readonly Evaluation[]; readonly next?: number }> {
  const { beforeSeq = Number.MAX_SAFE_INTEGER, clientId, limit, tenantId } = of;
  const target = clientTarget({ clientId });
  const evaluations: Evaluation[] = [];
  for (let toSeq = beforeSeq - 1; ; ) {
    const found = await ports.audit.searchEvents({
      actions: [EVALUATED],
      chainId: chainOf(tenantId),
      fromSeq: 1,
      limit: limit + 1,
      order: 'desc',
      target,
      toSeq,
    });
    for (const event of found) {
      if (event.action !== EVALUATED) continue;
      const one = await readEvaluation(ports, tenantId, event);
      if (one.members.client_id !== clientId) continue;
      if (evaluations.length === limit) return { evaluations, next: lastSeq(evaluations) };
      evaluations.push(one);
    }
    const last = found.at(-1);
    if (last === undefined || found.length <= limit) return { evaluations };
    toSeq = last.seq - 1;
  }
}

const lastSeq = (evaluations: readonly Evaluation[]): number => evaluations.at(-1)?.event.seq ?? 1;
