/**
 * An alert of a rule: one subject, one bucket of time, and the transactions that met the rule in
 * it. It is a function of the set of transactions, not of the order in which they came: triggers
 * are in the order of events, and what it says is what its last trigger says.
 *
 * A transaction that comes late may take a trigger away. The alert stays as it was then, and says
 * that it no longer holds: what people have been told is not taken back.
 */
import { canonicalJson } from '#platform/canonicalJson';
import type { RuleMode } from './compileRule.ts';
import { byPosition, type Position } from './entry.ts';
import type { Explanation } from './explainAlert.ts';
import type { Severity, SubjectKind } from './ruleLanguage.ts';

/** Triggers of an alert that are kept: the first ones. */
export const TRIGGERS_MAX = 1_000;
/** Score as it is shown. */
const SCORE_PARTS = 10_000;

/** A transaction that met the rule. */
export interface Trigger extends Position {
  readonly txId: string;
  readonly severity: Severity;
  /** Ten-thousandths. */
  readonly score: number;
  /** The rule's. */
  readonly version: number;
}

/** Whom an alert is about: the digest stands in evidence, the id in the log alone. */
export interface AlertSubjectKey {
  readonly kind: SubjectKind;
  /** Keyed digest, hex. */
  readonly key: string;
}

/** Which alert: its id follows from it. */
export interface AlertIdentity {
  readonly ruleId: string;
  readonly subject: AlertSubjectKey;
  /** floor(occurred_at / suppress). */
  readonly bucket: number;
}

/** An alert as rules know it. */
export interface RuleAlert extends AlertIdentity {
  readonly mode: RuleMode;
  /** In the order of events; the first TRIGGERS_MAX. */
  readonly triggers: readonly Trigger[];
  /** There were more. */
  readonly isFull?: true;
  /** Whether it still has a trigger; else it is as it was when it had the last one. */
  readonly holds: boolean;
  readonly explanation: Explanation;
}

/** The name of an alert within an engine; the same for the same identity. */
export const alertName = ({ bucket, ruleId, subject: { key, kind } }: AlertIdentity): string =>
  `${ruleId}|${kind}|${key}|${bucket}`;

/** The trigger that says what the alert says. */
export const lastTrigger = ({ triggers }: Pick<RuleAlert, 'triggers'>): Trigger | undefined =>
  triggers.at(-1);

/** Triggers with this one among them, in its place and once. */
export function withTrigger(
  triggers: readonly Trigger[],
  trigger: Trigger,
): { readonly triggers: readonly Trigger[]; readonly isFull: boolean } {
  const others = triggers.filter(({ tseq }) => tseq !== trigger.tseq);
  const all = [...others, trigger].sort(byPosition);
  return { isFull: all.length > TRIGGERS_MAX, triggers: all.slice(0, TRIGGERS_MAX) };
}

/** The most severe of its triggers, and the highest score. */
export function gravityOf({ triggers }: Pick<RuleAlert, 'triggers'>): {
  readonly severity: Severity;
  readonly score: number;
} {
  const order = ['Critical', 'High', 'Medium', 'Low'] as const;
  const severity =
    order.find((one) => triggers.some((trigger) => trigger.severity === one)) ?? 'Low';
  return { score: Math.max(0, ...triggers.map(({ score }) => score)) / SCORE_PARTS, severity };
}

/** What two evaluations compare: the same bytes on every machine. */
export const alertBytes = (alert: RuleAlert): string => canonicalJson(alert);
