/**
 * What is looked at before a case is decided, and what it comes to. Checks of documents, of
 * registries and of biometrics are made where those come in and stand on the case; one that its
 * workflow asks for and nobody has made is `unavailable`, never passed over.
 */
import type { EpochMs } from '#platform/clock';
import type { CaseRisk } from './asks.ts';
import type { CaseContent } from './caseContent.ts';
import { missingOf } from './missing.ts';
import type { CaseScreening } from './screenCase.ts';
import { tierOf } from './states.ts';
import type { CaseRecord, Check } from './tables.ts';
import { type CheckType, RISK_TIERS } from './words.ts';
import type { WorkflowContent } from './workflowContent.ts';

/** A check before it has an id and a time. */
export type MadeCheck = Omit<Check, 'at' | 'checkId'>;

/** What checks are made from. */
export interface CheckedCase {
  readonly record: CaseRecord;
  readonly content: CaseContent;
  readonly workflow: WorkflowContent;
  readonly now: EpochMs;
  /** Undefined: there was nothing to compare. A text: the code of why it could not be done. */
  readonly screening: CaseScreening | string | undefined;
  /** Undefined: there is no policy, and no check of risk. A text: why it could not be done. */
  readonly risk: CaseRisk | string | undefined;
}

const made = (
  type: CheckType,
  status: MadeCheck['status'],
  reasonCodes: readonly string[] = [],
  evidence: MadeCheck['evidence'] = {},
): MadeCheck => ({ evidence, reasonCodes, status, type });

/** All that the workflow asks for, in its order. */
export function checksOf(of: CheckedCase): readonly (Check | MadeCheck)[] {
  return of.workflow.checks.flatMap((type) => checkOf(type, of) ?? []);
}

function checkOf(type: CheckType, of: CheckedCase): Check | MadeCheck | undefined {
  switch (type) {
    case 'consent':
      return missingCheck(type, of, ['consent']);
    case 'required_data':
      return missingCheck(type, of, ['document', 'field']);
    case 'age':
      return ageCheck(of);
    case 'screening':
      return screeningCheck(of.screening);
    case 'risk':
      return of.risk === undefined ? undefined : riskCheck(of.risk);
    default:
      return (
        of.record.checks.find((one) => one.type === type) ??
        made(type, 'unavailable', ['not_checked'])
      );
  }
}

function missingCheck(
  type: CheckType,
  { content, now, record, workflow }: CheckedCase,
  kinds: readonly string[],
): MadeCheck {
  const all = missingOf(record, { now, subject: content.subject, workflow });
  const missing = all.filter(({ kind }) => kinds.includes(kind));
  if (missing.length === 0) return made(type, 'pass');
  const codes = [...new Set(missing.map(({ kind }) => `missing_${kind}`))];
  return made(type, 'fail', codes, { missing: missing.map(({ name }) => name).join(', ') });
}

function ageCheck({ content, now, record, workflow }: CheckedCase): MadeCheck | undefined {
  if (record.subjectType === 'business') return undefined;
  const { dob } = content.subject;
  if (dob === undefined) return made('age', 'review', ['dob_unknown']);
  const evidence = { min_age: workflow.min_age };
  return isOfAge(dob, workflow.min_age, now)
    ? made('age', 'pass', [], evidence)
    : made('age', 'fail', ['under_age'], evidence);
}

/** Whether who was born on a day has lived so many years today (UTC); by text, as both are. */
export function isOfAge(dob: string, years: number, now: EpochMs): boolean {
  const today = new Date(now).toISOString().slice(0, 10);
  const latest = `${String(Number(today.slice(0, 4)) - years).padStart(4, '0')}${today.slice(4)}`;
  return dob <= latest;
}

/** A hit is a person's to judge: names alone prove nothing. */
function screeningCheck(screening: CheckedCase['screening']): MadeCheck {
  if (screening === undefined) return made('screening', 'unavailable', ['no_name']);
  if (typeof screening === 'string') return made('screening', 'unavailable', [wordOf(screening)]);
  const { decision, hits, listVersion, parties, screeningId } = screening;
  const evidence = {
    decision,
    hits,
    list_version: listVersion,
    parties,
    screening_id: screeningId,
  };
  return decision === 'CLEAR'
    ? made('screening', 'pass', [], evidence)
    : made('screening', 'review', [decision.toLowerCase()], evidence);
}

function riskCheck(risk: CaseRisk | string): MadeCheck {
  if (typeof risk === 'string') return made('risk', 'unavailable', [wordOf(risk)]);
  const { evaluationId, isIncomplete, isProhibited, level, policyVersion, score } = risk;
  const evidence = {
    evaluation_id: evaluationId,
    level,
    policy_version: policyVersion,
    score,
  };
  if (isProhibited) return made('risk', 'fail', [RISK_PROHIBITED], evidence);
  if (isIncomplete) return made('risk', 'review', ['risk_incomplete'], evidence);
  return made('risk', 'pass', [], evidence);
}

/** Reason of a check of risk that no decision overcomes. */
export const RISK_PROHIBITED = 'risk_prohibited';

const wordOf = (code: string): string => code.replaceAll('-', '_');

/** What the checks move a case by, and what is proposed to people. */
export interface Outcome {
  readonly trigger: 'checks_doubtful' | 'checks_failed_for_good' | 'checks_passed';
  readonly reasonCode: string;
  readonly proposed?: 'approve' | 'reject';
}

/**
 * By itself nothing is decided but what a workflow allows, and never anew: what a person has
 * decided or looked at before, or two persons have to decide, is theirs.
 */
export function outcomeOf(
  checks: readonly MadeCheck[],
  of: {
    readonly record: Pick<CaseRecord, 'forPeople' | 'riskTier' | 'standing'>;
    readonly workflow: WorkflowContent;
    /** The subject has not restricted it. */
    readonly mayApprove: boolean;
  },
): Outcome {
  const { record, workflow } = of;
  const { auto_approve, auto_reject, four_eyes_tiers } = workflow;
  const tier = tierOf(record);
  const failed = checks.filter(({ status }) => status === 'fail');
  const isPassed = checks.every(({ status }) => status === 'pass');
  const isFirst = record.standing === undefined && record.forPeople === undefined;
  const isLow = RISK_TIERS.indexOf(tier) <= RISK_TIERS.indexOf(auto_approve.max_tier);
  const isOfOne = !four_eyes_tiers.includes(tier);
  if (isPassed && isFirst && isLow && isOfOne && auto_approve.enabled && of.mayApprove) {
    return { reasonCode: 'checks_passed', trigger: 'checks_passed' };
  }
  const reason = failed
    .flatMap(({ reasonCodes }) => reasonCodes)
    .find((code) => auto_reject.reasons.includes(code));
  const isLawful = auto_reject.enabled && auto_reject.legal_basis !== undefined;
  if (reason !== undefined && isFirst && isLawful) {
    return { reasonCode: reason, trigger: 'checks_failed_for_good' };
  }
  if (isPassed) {
    return { proposed: 'approve', reasonCode: 'checks_passed', trigger: 'checks_doubtful' };
  }
  const [first] = [...failed, ...checks.filter(({ status }) => status !== 'pass')];
  return {
    reasonCode: first?.reasonCodes[0] ?? 'checks_doubtful',
    trigger: 'checks_doubtful',
    ...(failed.length > 0 && { proposed: 'reject' }),
  };
}
