/**
 * A client is evaluated: the policy in force is applied to what is known of them, and the result is
 * a signed entry that anybody can make again. Where they stand changes in the same commit.
 */
import {
  type Actor,
  type EventDraft,
  entry,
  type IdempotencyRecord,
  type JsonObject,
  overwrite,
  type SealedEvent,
} from '#core/audit';
import { type BusEvent, chainOf, DomainError, type TableChange } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { checkFacts } from './checkFacts.ts';
import {
  type ClientFacts,
  type ClientNamed,
  findClient,
  type KnownClient,
  nextReviewOf,
  readFacts,
} from './clientFacts.ts';
import type { RiskResult } from './compilePolicy.ts';
import {
  type Evaluation,
  type EvaluationMembers,
  requireEvaluation,
  resultMembers,
} from './evaluation.ts';
import { FACTS_TEXT, type Facts, factOf } from './facts.ts';
import type { PolicyInUse } from './inForce.ts';
import { contentText, EVALUATOR_VERSION } from './policyContent.ts';
import type { RiskPorts } from './ports.ts';
import { clientDigest, clientTarget } from './signedRisk.ts';
import { type RiskClient, riskClientTable, riskContentTable } from './tables.ts';

/** Who asks for the evaluation of whom. */
export interface EvaluateAsk extends ClientNamed {
  readonly actor: Actor;
  readonly ip?: string;
  /** Facts that only callers know; they hold until others are given. */
  readonly given?: Facts;
  /**
   * A person or a system asked for it: it is told. Else it is made because something happened, and
   * nothing is written where policy and facts are those of the last one.
   */
  readonly isAsked: boolean;
  readonly kept?: (evaluation: Evaluation) => IdempotencyRecord | undefined;
}

/** An evaluation, and where the client stands now. */
export interface Evaluated {
  readonly evaluation: Evaluation;
  /** By the newest case, whichever the evaluation is of. */
  readonly client: RiskClient;
}

/** Throws `facts-invalid`, `risk-client-unknown`, `subject-erased`, `state-altered`. */
export async function evaluateClient(ports: RiskPorts, ask: EvaluateAsk): Promise<Evaluated> {
  requireGiven(ask.given ?? {});
  const { publishesAll } = await ports.settingsOf(ask.tenantId);
  return overwrite(async () => {
    const known = await findClient(ports.facts, ask);
    const clientId = known.subject.subjectId;
    const before = await ports.signed.findClient({ clientId, tenantId: ask.tenantId });
    const last = before && (await lastOf(ports, before));
    const given = { ...last?.open?.given, ...ask.given };
    const now = ports.clock.now();
    const found = await readFacts(ports.facts, known, { given, now });
    const policy = await ports.inForce.of(ask.tenantId);
    if (!ask.isAsked && before && last && isSame(last, found, policy)) {
      return { client: before, evaluation: last };
    }
    const result = policy.evaluate(found.facts);
    const step = await stepOf(ports, { ask, before, found, given, known, policy, result });
    return commitStep(ports, { ask, before, isTold: publishesAll || ask.isAsked, policy, step });
  });
}

function requireGiven(given: Facts): void {
  const violations = [
    ...checkFacts(given),
    ...Object.keys(given)
      .filter((name) => factOf(name)?.source !== 'given' && factOf(name) !== undefined)
      .map((name) => ({
        code: 'not-given',
        detail: 'expected none: the service finds it itself',
        pointer: `/${name}`,
      })),
  ].map((one) => ({ ...one, pointer: `/facts${one.pointer}` }));
  if (violations.length > 0) throw new DomainError('facts-invalid', { violations });
}

const lastOf = (ports: RiskPorts, { evaluationId, tenantId }: RiskClient): Promise<Evaluation> =>
  requireEvaluation(ports, { evaluationId, tenantId });

/** Whether nothing that decides has changed. */
function isSame(
  { members, open }: Evaluation,
  { facts, screening }: ClientFacts,
  { contentHash, policyId }: PolicyInUse,
): boolean {
  return (
    members.policy_hash === contentHash &&
    members.policy_id === policyId &&
    open !== undefined &&
    canonicalJson(open.facts as never) === canonicalJson(facts as never) &&
    canonicalJson(members.screening as never) === canonicalJson(screening as never)
  );
}

interface StepOf {
  readonly ask: EvaluateAsk;
  readonly before: RiskClient | undefined;
  readonly found: ClientFacts;
  readonly given: Facts;
  readonly known: KnownClient;
  readonly policy: PolicyInUse;
  readonly result: RiskResult;
}

interface Step {
  readonly at: EpochMs;
  readonly client: RiskClient;
  readonly event: EventDraft;
  readonly members: EvaluationMembers;
  readonly open: { readonly facts: Facts; readonly given: Facts };
}

async function stepOf(ports: RiskPorts, of: StepOf): Promise<Step> {
  const { ask, before, found, given, known, policy, result } = of;
  const { record, subject } = known;
  const { level } = result;
  const now = ports.clock.now();
  const nextReviewAt = await nextReviewOf(ports.facts, record, { level, now });
  const open = { facts: found.facts, given };
  const draft = entry(ports, {
    action: 'risk.evaluated',
    actor: ask.actor,
    at: now,
    open: open as never as JsonObject,
    target: clientTarget({ clientId: subject.subjectId }),
    ...(ask.ip !== undefined && { ip: ask.ip }),
  });
  const version = (before?.version ?? 0) + 1;
  const evaluated: RiskClient = {
    clientId: subject.subjectId,
    contentHash: policy.contentHash,
    evaluatedAt: now,
    evaluatedLevel: level,
    evaluationId: draft.eventId,
    isIncomplete: result.incomplete,
    level,
    nextReviewAt,
    policyVersion: policy.policyVersion,
    score: result.score,
    tenantId: ask.tenantId,
    version,
  };
  // By an older case the client is evaluated, and stands where the newest one has put them.
  const client = known.isNewest || before === undefined ? evaluated : { ...before, version };
  const members = {
    ...resultMembers(result),
    case_id: record.caseId,
    client_id: subject.subjectId,
    client_level: client.level,
    evaluation_id: draft.eventId,
    evaluator_version: EVALUATOR_VERSION,
    next_review_at: toTimestamp(client.nextReviewAt),
    policy_hash: policy.contentHash,
    policy_id: policy.policyId,
    policy_version: policy.policyVersion,
    previous_level: before?.level ?? null,
    record_digest: clientDigest(client),
    screening: found.screening,
    tables: policy.content.tables,
  } as unknown as EvaluationMembers;
  const event = { ...draft, members: { ...draft.members, ...(members as never as JsonObject) } };
  return { at: now, client, event, members, open };
}

async function commitStep(
  ports: RiskPorts,
  of: {
    readonly ask: EvaluateAsk;
    readonly before: RiskClient | undefined;
    readonly isTold: boolean;
    readonly policy: PolicyInUse;
    readonly step: Step;
  },
): Promise<Evaluated> {
  const { ask, before, isTold, policy, step } = of;
  const { at, client, event, members, open } = step;
  const { tenantId } = ask;
  const isNews = before === undefined || before.level !== client.level;
  let evaluation: Evaluation | undefined;
  const evaluationOf = (sealed: readonly SealedEvent[]): Evaluation => {
    const own = sealed.find(({ eventId }) => eventId === event.eventId);
    if (own === undefined) throw new DomainError('internal', { detail: 'an entry was not sealed' });
    return { at, event: own, members, open };
  };
  const content = await keptContent(ports, tenantId, policy);
  await ports.commit(chainOf(tenantId), {
    bus: isTold || isNews ? [toldEvent(client, members)] : [],
    changes: [
      ...content,
      before === undefined
        ? riskClientTable.insert(client)
        : riskClientTable.put(client, before.version),
    ],
    events: [event],
    idempotency: (sealed) => {
      evaluation = evaluationOf(sealed);
      return ask.kept?.(evaluation);
    },
  });
  if (evaluation === undefined)
    throw new DomainError('internal', { detail: 'a commit not sealed' });
  return { client, evaluation };
}

/** What makes the content readable for as long as an event names it. */
async function keptContent(
  { blobs, tables }: RiskPorts,
  tenantId: RiskClient['tenantId'],
  { content, contentHash }: PolicyInUse,
): Promise<readonly TableChange[]> {
  if (await tables.find(riskContentTable, { contentHash, tenantId })) return [];
  const texts = [contentText(content), FACTS_TEXT];
  const put = await Promise.all(texts.map((text) => blobs.put(Buffer.from(text))));
  const addresses = put.map(({ address }) => address);
  return [riskContentTable.insert({ blobs: addresses, contentHash, tenantId })];
}

const toldEvent = (
  { clientId, level, tenantId }: RiskClient,
  { evaluation_id }: EvaluationMembers,
): BusEvent => ({
  partition: tenantId,
  payload: { client_id: clientId, evaluation_id, level },
  topic: 'risk.evaluation.published',
});
