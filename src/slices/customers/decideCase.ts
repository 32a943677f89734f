/**
 * What people decide of a case (customers.md 2.3). Who may is a matter of its tier; where the
 * workflow wants four eyes, an approval waits for another registered person. The reason in words is
 * sealed with the case: its code goes out, the words never do.
 */
import type { Role } from '#core/identity';
import { DomainError, type Violation } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { uuidV7 } from '#platform/random';
import type { CaseContent } from './caseContent.ts';
import type { CaseAsk } from './caseRecord.ts';
import { type CaseStep, changeCase, newTask, type SeenCase } from './changeCase.ts';
import { decidedStep } from './decidedStep.ts';
import { REASON_CHARS_MAX, REASON_CHARS_MIN } from './limits.ts';
import type { CasePorts } from './ports.ts';
import { reopenedStep } from './reopenedStep.ts';
import { type RatedNow, rateNow } from './riskNow.ts';
import { moveTo, rolesFor, type Trigger, tierOf } from './states.ts';
import type { CaseRecord, Decision } from './tables.ts';
import type { DecisionWord, DocumentKind } from './words.ts';

/** What a person says. */
export interface GivenDecision {
  readonly decision: DecisionWord;
  readonly reasonCode: string;
  readonly reason: string;
  readonly emailTemplate?: string;
  /** What is asked for again. */
  readonly documents?: readonly DocumentKind[];
}

/** Who decides, with the roles that they have. */
export interface DecideAsk extends CaseAsk {
  readonly roles: readonly Role[];
}

/** A case and what is decided of it. */
interface Deciding {
  readonly seen: SeenCase;
  readonly decision: Decision;
  readonly content: CaseContent;
  /** As the policy sees the customer now, where that decides. */
  readonly rated: RatedNow;
}

const DAY_MS = 24 * 3_600_000;
/** Template of the mail that asks for documents, where none is named. */
const REQUEST_TEMPLATE = 'documents_requested';

/**
 * Throws `reason-required`, `role-insufficient`, `state-conflict`, `email-template-unknown`,
 * `risk-prohibited`, `person-required`, `case-open-exists`.
 */
export async function decideCase(
  ports: CasePorts,
  ask: DecideAsk,
  given: GivenDecision,
): Promise<CaseRecord> {
  requireReason(given);
  return changeCase(ports, ask, async (seen) => {
    const { record } = seen;
    const isRated = given.decision === 'approve' && record.status === 'manual_review';
    const rated = isRated ? await rateNow(ports, record) : unrated(record);
    requireRole(ask, given.decision, rated.record);
    moveTo(record, given.decision);
    requireNotPending(record);
    const decidedAt = ports.clock.now();
    const decision: Decision = {
      decidedAt,
      decidedBy: ask.actor,
      decision: given.decision,
      decisionId: uuidV7(decidedAt, ports.random),
      mode: 'manual',
      reasonCode: given.reasonCode,
      ...templateOf(seen, given),
      ...documentsOf(given),
    };
    const content = withReason(seen.content, decision.decisionId, given.reason);
    return STEPS[given.decision](ports, ask, { content, decision, rated, seen });
  });
}

const unrated = (record: CaseRecord): RatedNow => ({ change: {}, isProhibited: false, record });

type Step = (ports: CasePorts, ask: DecideAsk, of: Deciding) => CaseStep | Promise<CaseStep>;

const STEPS: Readonly<Record<DecisionWord, Step>> = {
  approve: (ports, ask, { content, decision, rated, seen }) => {
    requireAllowed(rated);
    const { change } = rated;
    if (!seen.workflow.content.four_eyes_tiers.includes(tierOf(rated.record))) {
      const { actor } = ask;
      return decidedStep(ports, seen, { actor, change, content, decision, trigger: 'approve' });
    }
    requirePerson(ask);
    const { decisionId: decision_id, reasonCode: reason_code } = decision;
    return {
      change: { ...change, pending: decision },
      content,
      entry: {
        action: 'kyc.case.decision_proposed',
        members: { decision: 'approve', decision_id, reason_code },
      },
    };
  },
  cancel: (_, __, { content, decision, seen }) => {
    const { standing } = seen.record;
    if (standing !== undefined) {
      const detail = `the case was ${standing} before: it is approved or rejected anew`;
      throw new DomainError('state-conflict', { detail });
    }
    return ended(seen, { content, decision, trigger: 'cancel' });
  },
  reject: (ports, ask, { content, decision, seen }) =>
    decidedStep(ports, seen, { actor: ask.actor, content, decision, trigger: 'reject' }),
  reopen: (ports, _, { content, decision, seen }) =>
    reopenedStep(ports, seen, {
      content,
      members: { decision_id: decision.decisionId },
      reasonCode: decision.reasonCode,
      trigger: 'reopen',
    }),
  request_documents: (ports, _, { content, decision, seen }) => {
    const { record, workflow } = seen;
    const { expires_after_days, rounds_max } = workflow.content;
    if (record.rounds >= rounds_max) {
      const detail = `expected less than ${rounds_max} rounds, got ${record.rounds}`;
      throw new DomainError('state-conflict', { detail });
    }
    const { decidedAt, documents = [], emailTemplate: template } = decision;
    return {
      beside: (next) => ({
        changes: template === undefined ? [] : [newTask(ports, next, { kind: 'mail', template })],
      }),
      change: {
        decision,
        expiresAt: (decidedAt + expires_after_days * DAY_MS) as EpochMs,
        proposedDecision: undefined,
        rounds: record.rounds + 1,
        status: moveTo(record, 'request_documents'),
        statusReason: decision.reasonCode,
      },
      content,
      entry: {
        action: 'kyc.case.documents_requested',
        members: {
          decision_id: decision.decisionId,
          documents: [...documents],
          reason_code: decision.reasonCode,
          round: record.rounds + 1,
        },
      },
    };
  },
};

/** A case that ends without a decision about the customer. */
function ended(
  { record }: SeenCase,
  { content, decision, trigger }: Omit<Deciding, 'rated' | 'seen'> & { readonly trigger: 'cancel' },
): CaseStep {
  return {
    change: {
      decision,
      expiresAt: undefined,
      proposedDecision: undefined,
      status: moveTo(record, trigger),
      statusReason: decision.reasonCode,
    },
    content,
    entry: {
      action: 'kyc.case.canceled',
      members: { decision_id: decision.decisionId, reason_code: decision.reasonCode },
    },
  };
}

/** Throws `reason-required` with all that is missing. */
export function requireReason(
  given: Pick<GivenDecision, 'reason'> & Partial<Pick<GivenDecision, 'reasonCode'>>,
): void {
  const violations: Violation[] = [];
  const { length } = [...given.reason.trim()];
  if (given.reasonCode === '') {
    violations.push({ code: 'missing', detail: 'expected a code', pointer: '/reason_code' });
  }
  if (length < REASON_CHARS_MIN || length > REASON_CHARS_MAX) {
    const detail = `expected ${REASON_CHARS_MIN} to ${REASON_CHARS_MAX} characters, got ${length}`;
    violations.push({ code: 'range', detail, pointer: '/reason' });
  }
  if (violations.length === 0) return;
  const detail = violations.map((one) => `${one.pointer}: ${one.detail}`).join('; ');
  throw new DomainError('reason-required', { detail, violations });
}

/** Throws `role-insufficient`. */
export function requireRole({ roles }: DecideAsk, trigger: Trigger, record: CaseRecord): void {
  const allowed = rolesFor(trigger, record);
  if (roles.some((role) => allowed.includes(role))) return;
  const detail = `a case of tier ${tierOf(record)}: expected one of ${allowed.join(', ')}`;
  throw new DomainError('role-insufficient', { detail });
}

/** Throws `person-required`: of two accounts nobody knows whether they are one person's. */
export function requirePerson({ actor }: Pick<CaseAsk, 'actor'>): void {
  if (!actor.startsWith('person:')) throw new DomainError('person-required');
}

function requireNotPending({ pending }: CaseRecord): void {
  if (pending === undefined) return;
  const detail = `decision ${pending.decisionId} waits for a second person`;
  throw new DomainError('state-conflict', { detail });
}

/** Throws `risk-prohibited`. */
export function requireAllowed({ isProhibited }: Pick<RatedNow, 'isProhibited'>): void {
  if (isProhibited) throw new DomainError('risk-prohibited');
}

/** Throws `email-template-unknown`. */
function templateOf({ workflow }: SeenCase, given: GivenDecision): Pick<Decision, 'emailTemplate'> {
  const { decision } = given;
  const template =
    given.emailTemplate ?? (decision === 'request_documents' ? REQUEST_TEMPLATE : undefined);
  if (template === undefined && decision !== 'reject') return {};
  const known = Object.keys(workflow.content.email_templates);
  if (template !== undefined && known.includes(template)) return { emailTemplate: template };
  const detail = `expected one of ${known.join(', ')}`;
  const violations = [{ code: 'unknown', detail, pointer: '/email_template' }];
  throw new DomainError('email-template-unknown', { detail, violations });
}

/** Throws `body-invalid`. */
function documentsOf({ decision, documents = [] }: GivenDecision): Pick<Decision, 'documents'> {
  const isAsked = decision === 'request_documents';
  if (isAsked === documents.length > 0) return isAsked ? { documents } : {};
  const detail = isAsked ? 'expected a kind of document' : `none goes with ${decision}`;
  const code = isAsked ? 'missing' : 'unknown-member';
  throw new DomainError('body-invalid', {
    detail,
    violations: [{ code, detail, pointer: '/documents' }],
  });
}

/** The content with the words of a decision. */
export const withReason = (content: CaseContent, name: string, reason: string): CaseContent => ({
  ...content,
  reasons: { ...content.reasons, [name]: reason },
});
