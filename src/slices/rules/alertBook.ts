/** Alerts of an engine: a transaction that meets a rule adds to one, or takes itself out of it. */
import { type CompiledRule, judge, ruleKey, type Verdict } from './compileRule.ts';
import type { Noted } from './engineStep.ts';
import type { Entry } from './entry.ts';
import { explain } from './explainAlert.ts';
import {
  type AlertIdentity,
  alertName,
  lastTrigger,
  type RuleAlert,
  type Trigger,
  withTrigger,
} from './ruleAlert.ts';
import type { Series } from './series.ts';
import type { Evaluation } from './values.ts';

/** What alerts are explained with. */
export interface AlertBookOf {
  readonly baseCurrency: string;
  readonly rules: readonly CompiledRule[];
  readonly evaluationOf: (entry: Entry) => Evaluation;
}

/** Alerts of one engine, by name. */
export class AlertBook {
  readonly #all = new Map<string, RuleAlert>();
  readonly #of: AlertBookOf;

  constructor(of: AlertBookOf) {
    this.#of = of;
  }

  get alerts(): ReadonlyMap<string, RuleAlert> {
    return this.#all;
  }

  restore(alerts: Iterable<RuleAlert>): void {
    for (const alert of alerts) this.#all.set(alertName(alert), alert);
  }

  /** Those whose last trigger is before a time leave. */
  forget(before: number): void {
    for (const [name, alert] of this.#all) {
      if ((lastTrigger(alert)?.at ?? 0) < before) this.#all.delete(name);
    }
  }

  /** The transaction meets the rule. */
  raise(
    identity: AlertIdentity,
    {
      isAgain,
      noted,
      of,
      rule,
      verdict,
    }: {
      readonly isAgain: boolean;
      readonly noted: Noted;
      readonly of: Evaluation;
      readonly rule: CompiledRule;
      readonly verdict: Verdict;
    },
  ): void {
    const name = alertName(identity);
    const known = this.#all.get(name);
    const { at, tseq, txId } = of.entry;
    const former = known?.triggers.find((one) => one.tseq === tseq);
    const trigger: Trigger = {
      at,
      score: verdict.score,
      severity: verdict.severity,
      tseq,
      txId,
      version: rule.version,
    };
    const { isFull, triggers } = withTrigger(known?.holds ? known.triggers : [], trigger);
    const triggeredBy = noted.triggered.get(tseq) ?? new Set();
    noted.triggered.set(tseq, triggeredBy.add(name));
    const isSame = former !== undefined && isAgain === false;
    if (isSame) return;
    const isSpeaking = triggers.at(-1)?.tseq === tseq || known === undefined || !known.holds;
    this.#all.set(name, {
      ...identity,
      explanation:
        isSpeaking || known === undefined
          ? explain(rule, of, this.#of.baseCurrency)
          : known.explanation,
      holds: true,
      mode: rule.mode,
      triggers,
      ...((isFull || known?.isFull) && { isFull: true as const }),
    });
    noted.changed.add(name);
    if (isAgain) noted.lateAlerts.add(name);
  }

  /** The transaction does not meet the rule any more. */
  lower(
    name: string,
    { tseq }: Entry,
    { noted, series }: { readonly noted: Noted; readonly series: Series },
  ): void {
    const known = this.#all.get(name);
    if (known === undefined || !known.triggers.some((one) => one.tseq === tseq)) return;
    noted.changed.add(name);
    const triggers = known.triggers.filter((one) => one.tseq !== tseq);
    if (triggers.length === 0) {
      this.#all.set(name, { ...known, holds: false });
      return;
    }
    this.#all.set(name, { ...known, triggers });
    const isSpeaking = known.triggers.at(-1)?.tseq === tseq;
    if (isSpeaking) this.#speakAgain(name, triggers.at(-1), series);
  }

  /** Another trigger is the last now: the alert says what that one says. */
  #speakAgain(name: string, trigger: Trigger | undefined, series: Series): void {
    const alert = this.#all.get(name);
    const rule = this.#of.rules.find(
      (one) => ruleKey(one) === alert?.ruleId && one.version === trigger?.version,
    );
    if (alert === undefined || trigger === undefined || rule === undefined) return;
    const entry = [series.tracks[0], series.uncounted]
      .map((track) => track?.rows[track.slice(trigger.at - 1, trigger).to - 1])
      .find((row) => row?.tseq === trigger.tseq);
    if (entry === undefined) return;
    const of = this.#of.evaluationOf(entry);
    judge(rule, of);
    const explanation = explain(rule, of, this.#of.baseCurrency);
    this.#all.set(name, { ...alert, explanation });
  }
}
