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
import type { ApprovedBy } from '#core/identity';
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
import {
  countedLevel,
  holdingManual,
  manualMembers,
  requireAboveForced,
  requireNoLower,
  requireNoLowerWithout,
} from './manualLevel.ts';
import { contentText, EVALUATOR_VERSION } from './policyContent.ts';
import type { RiskPorts } from './ports.ts';
import { clientDigest, clientTarget } from './signedRisk.ts';
import { type ManualLevel, type RiskClient, riskClientTable, riskContentTable } from './tables.ts';
import { higher } from './words.ts';

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
  /** Nothing is made where somebody has evaluated the client before. */
  readonly isFirst?: true;
  /** A re-screening of the client that has found something. */
  readonly rescreening?: string;
  /** A person gives the client a level by it, or the level that one gave ends. */
  readonly manual?: GivenLevel | EndedLevel;
  /** Goes into the same commit. */
  readonly approvedBy?: ApprovedBy;
  readonly kept?: (evaluation: Evaluation) => IdempotencyRecord | undefined;
}

/** The level that a person gives. */
export type GivenLevel = Omit<ManualLevel, 'from'>;
/** Why the level of a person ends. */
export interface EndedLevel {
  readonly ended: 'person' | 'time';
  readonly reason?: string;
}

/** An evaluation, and where the client stands now. */
export interface Evaluated {
  readonly evaluation: Evaluation;
  /** By the newest case, whichever the evaluation is of. */
  readonly client: RiskClient;
}

/**
 * Throws `facts-invalid`, `risk-client-unknown`, `subject-erased`, `state-altered`; with a level of
 * a person also `override-forbidden` and `dual-control-header-missing`.
 */
export async function evaluateClient(ports: RiskPorts, ask: EvaluateAsk): Promise<Evaluated> {
  requireGiven(ask.given ?? {});
  const { publishesAll } = await ports.settingsOf(ask.tenantId);
  return overwrite(async () => {
    const known = await findClient(ports.facts, ask);
    const clientId = known.subject.subjectId;
    const before = await ports.signed.findClient({ clientId, tenantId: ask.tenantId });
    const last = before && (await lastOf(ports, before));
    if (ask.isFirst && before && last) return { client: before, evaluation: last };
    const given = { ...last?.open?.given, ...ask.given };
    const now = ports.clock.now();
    const rescreenings = (last?.members.rescreenings ?? []).map((one) => one.screening_id);
    const { rescreening } = ask;
    const found = await readFacts(ports.facts, known, { given, now, rescreening, rescreenings });
    const policy = await ports.inForce.of(ask.tenantId);
    // Another worker may have ended it meanwhile.
    const isEnded = ask.manual !== undefined && 'ended' in ask.manual && !before?.manual;
    const isStill =
      (ask.manual === undefined || isEnded) && (before?.manual?.until ?? now + 1) > now;
    if (!ask.isAsked && isStill && before && last && isSame(last, found, policy)) {
      return { client: before, evaluation: last };
    }
    const result = policy.evaluate(found.facts);
    const step = await stepOf(ports, { ask, before, found, given, known, policy, result });
    return commitStep(ports, { ask, before, isTold: publishesAll || ask.isAsked, policy, step });
  }, repeating(ask));
}

/** The signature is the first change; those of others that come alongside are theirs to repeat. */
function repeating({ approvedBy }: EvaluateAsk): Parameters<typeof overwrite>[1] {
  if (approvedBy === undefined) return {};
  return {
    mayRepeat: ({ changeIndex }) => {
      if (changeIndex === 0) throw new DomainError('dual-control-replayed');
      return approvedBy.alongside === undefined;
    },
  };
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
  { facts, rescreenings, screening }: ClientFacts,
  { contentHash, policyId }: PolicyInUse,
): boolean {
  return (
    members.policy_hash === contentHash &&
    members.policy_id === policyId &&
    open !== undefined &&
    canonicalJson(open.facts as never) === canonicalJson(facts as never) &&
    canonicalJson(members.screening as never) === canonicalJson(screening as never) &&
    canonicalJson((members.rescreenings ?? []) as never) === canonicalJson(rescreenings as never)
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
  /** Entries of the level that a person gave or that ends. */
  readonly others: readonly EventDraft[];
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
  const manual = manualOf(of, now);
  const evaluated: RiskClient = {
    clientId: subject.subjectId,
    contentHash: policy.contentHash,
    evaluatedAt: now,
    evaluatedLevel: level,
    evaluationId: draft.eventId,
    isIncomplete: result.incomplete,
    level: countedLevel(result, manual),
    ...manualMembers(manual),
    nextReviewAt,
    policyVersion: policy.policyVersion,
    score: result.score,
    tenantId: ask.tenantId,
    version,
  };
  // By an older case the client is evaluated, and stands where the newest one has put them.
  const client = known.isNewest || before === undefined ? evaluated : { ...before, version };
  const holds = known.isNewest ? client.manual : undefined;
  const members = {
    ...resultMembers(result),
    case_id: record.caseId,
    client_id: subject.subjectId,
    client_level: client.level,
    evaluation_id: draft.eventId,
    evaluator_version: EVALUATOR_VERSION,
    manual: holds === undefined ? null : presentManual(holds),
    next_review_at: toTimestamp(client.nextReviewAt),
    policy_hash: policy.contentHash,
    policy_id: policy.policyId,
    policy_version: policy.policyVersion,
    previous_level: before?.level ?? null,
    record_digest: clientDigest(client),
    ...(found.rescreenings.length > 0 && { rescreenings: found.rescreenings }),
    screening: found.screening,
    tables: policy.content.tables,
  } as unknown as EvaluationMembers;
  const event = { ...draft, members: { ...draft.members, ...(members as never as JsonObject) } };
  const others = manualEvents(ports, of, { client, now });
  return { at: now, client, event, members, open, others };
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
  const { at, client, event, members, open, others } = step;
  const { alongside, approval } = ask.approvedBy ?? {};
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
    bus: [...(isTold || isNews ? [toldEvent(client, members)] : []), ...(alongside?.bus ?? [])],
    changes: [
      ...(approval === undefined ? [] : [approval.consume]),
      ...content,
      before === undefined
        ? riskClientTable.insert(client)
        : riskClientTable.put(client, before.version),
      ...(alongside?.changes ?? []),
    ],
    // The evaluation is the last one of the client: what holds them is looked for in it.
    events: [...others, event, ...(alongside?.events ?? [])],
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

/**
 * Which level of a person holds from now on. What lowers is asked of the result that is signed:
 * where the client stood may be of facts or of a policy of long ago. Throws `override-forbidden`,
 * `dual-control-header-missing`.
 */
function manualOf({ ask, before, result }: StepOf, now: EpochMs): ManualLevel | undefined {
  const { approvedBy, manual } = ask;
  const holding = holdingManual(before?.manual, result, now);
  if (manual === undefined) return holding;
  if ('ended' in manual) {
    if (manual.ended === 'person') requireNoLowerWithout(holding, result);
    return undefined;
  }
  requireAboveForced(manual.level, result);
  const standing = before?.level ?? result.level;
  if (approvedBy === undefined) requireNoLower(manual.level, higher(standing, result.level));
  return { ...manual, from: result.level };
}

const presentManual = ({ by, confirmedBy, level, until }: ManualLevel) => ({
  by,
  confirmed_by: confirmedBy ?? null,
  level,
  until: toTimestamp(until),
});

function manualEvents(
  ports: RiskPorts,
  { ask, before }: StepOf,
  { client, now }: { readonly client: RiskClient; readonly now: EpochMs },
): readonly EventDraft[] {
  const { actor, approvedBy, ip, manual } = ask;
  const common = {
    actor,
    at: now,
    target: clientTarget(client),
    ...(ip !== undefined && { ip }),
  };
  const members = { client_id: client.clientId, record_digest: clientDigest(client) };
  if (manual !== undefined && !('ended' in manual) && client.manual !== undefined) {
    const { approval } = approvedBy ?? {};
    return [
      entry(ports, {
        ...common,
        action: 'risk.client.overridden',
        members: {
          ...members,
          ...presentManual(client.manual),
          ...(approval && { approval_digest: approval.digest, approval_key_id: approval.keyId }),
          from: client.manual.from,
        },
        open: { reason: client.manual.reason },
        severity: 'NOTICE',
      }),
    ];
  }
  if (before?.manual === undefined || client.manual !== undefined) return [];
  const because = manual !== undefined && 'ended' in manual ? manual.ended : 'outrun';
  const isTime = before.manual.until <= now;
  const reason = manual !== undefined && 'ended' in manual ? manual.reason : undefined;
  return [
    entry(ports, {
      ...common,
      action: 'risk.client.override_ended',
      members: {
        ...members,
        because: isTime ? 'time' : because,
        was: presentManual(before.manual),
      },
      ...(reason !== undefined && { open: { reason } }),
    }),
  ];
}

const toldEvent = (
  { clientId, level, tenantId }: RiskClient,
  { evaluation_id }: EvaluationMembers,
): BusEvent => ({
  partition: tenantId,
  payload: { client_id: clientId, evaluation_id, level },
  topic: 'risk.evaluation.published',
});
