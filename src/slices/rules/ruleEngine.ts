/**
 * Rules over a tenant's transactions, in memory: each new one is put at its place in the order of
 * events and evaluated there, and so are the later ones whose windows it is in. No clock, no store:
 * the same transactions under the same rules, rates and facts give the same alerts, in whichever
 * order they come.
 */
import { type CompiledRule, judge, type RulePlan, ruleKey, type Verdict } from './compileRule.ts';
import { Edges } from './edges.ts';
import { count, type EngineStep, type Noted, newNoted, stepOf } from './engineStep.ts';
import { byPosition, type Entry } from './entry.ts';
import { explain } from './explainAlert.ts';
import {
  type AlertIdentity,
  lastTrigger,
  type RuleAlert,
  type Trigger,
  withTrigger,
} from './ruleAlert.ts';
import { SUBJECTS, type SubjectKind, WINDOW_DAYS_MAX } from './ruleLanguage.ts';
import { Series } from './series.ts';
import { Calendar, DAY_MS } from './spans.ts';
import type { Evaluation } from './values.ts';

/** Later transactions that are evaluated again at once where one comes late, and how far on. */
export const LATE_AT_ONCE_MAX = 500;
const LATE_AT_ONCE_MS = 7 * DAY_MS;
/** Older transactions are history: stored, not evaluated. */
export const TOO_LATE_MS = WINDOW_DAYS_MAX * DAY_MS;

/** What an engine is made of. */
export interface EngineOptions {
  readonly plan: RulePlan;
  /** IANA name: days and months begin there. */
  readonly zone: string;
  readonly baseCurrency: string;
  /** A keyed digest of a subject's id. */
  readonly keyOf: (kind: SubjectKind, id: string) => string;
}

/** The name of an alert within an engine; the same for the same identity. */
export const alertName = ({ bucket, ruleId, subject: { key, kind } }: AlertIdentity): string =>
  `${ruleId}|${kind}|${key}|${bucket}`;

/** The state of one tenant. */
export class RuleEngine {
  readonly #options: EngineOptions;
  readonly #calendar: Calendar;
  readonly #series = new Map<string, Series>();
  readonly #byId = new Map<string, Entry>();
  /** Reversals whose transaction is not there, or was replaced since. */
  readonly #reversals = new Map<string, Entry>();
  readonly #alerts = new Map<string, RuleAlert>();
  readonly #edges: Edges | undefined;
  readonly #kinds: readonly SubjectKind[];
  /** Evaluated again later: more than is done at once. */
  readonly #deferred = new Set<Entry>();
  #latest = Number.NEGATIVE_INFINITY;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#calendar = new Calendar(options.zone);
    this.#edges = options.plan.hasEdges ? new Edges() : undefined;
    this.#kinds = SUBJECTS.filter((kind) => options.plan.tracks[kind].length > 0);
  }

  /** Transactions that are held. */
  get size(): number {
    return this.#byId.size;
  }

  get alerts(): ReadonlyMap<string, RuleAlert> {
    return this.#alerts;
  }

  /** Transactions that wait to be evaluated again, in order. */
  get deferred(): readonly Entry[] {
    return [...this.#deferred].sort(byPosition);
  }

  /** Puts what was evaluated before back, without evaluating it: after a restart. */
  restore(entries: Iterable<Entry>, alerts: Iterable<RuleAlert>): void {
    for (const entry of entries) {
      this.#replaceFormer(entry);
      this.#place(entry);
    }
    for (const alert of alerts) this.#alerts.set(alertName(alert), alert);
  }

  /** All that is held, in the order of events: for an engine with other rules. */
  entries(): Entry[] {
    return [...this.#byId.values()].sort(byPosition);
  }

  /** Lets the followers of these late ones wait again: after a restart. */
  deferAfter(tseqs: readonly number[]): void {
    const late = new Set(tseqs);
    for (const entry of this.#byId.values()) {
      if (!late.has(entry.tseq)) continue;
      const touched = new Set<Entry>();
      this.#noteLater(entry, entry, touched);
      for (const one of touched) this.#deferred.add(one);
    }
  }

  /** Takes new transactions, in the order of their numbers. */
  take(entries: readonly Entry[]): EngineStep {
    const noted = newNoted();
    for (const entry of entries) this.#takeOne(entry, noted);
    return stepOf(noted);
  }

  /** Evaluates some of those that wait, the earliest first. */
  catchUp(max: number): EngineStep {
    const noted = newNoted();
    for (const entry of this.deferred.slice(0, max)) {
      this.#deferred.delete(entry);
      this.#evaluate(entry, noted, true);
    }
    return stepOf(noted);
  }

  /** Evaluates one that is held, as it would be now, and changes nothing. */
  dryRun(entry: Entry): readonly {
    readonly rule: CompiledRule;
    readonly verdict: Verdict;
    readonly of: Evaluation;
  }[] {
    return this.#options.plan.rules
      .filter((rule) => rule.inScope(entry))
      .map((rule) => {
        const of = this.#evaluationOf(entry);
        return { of, rule, verdict: judge(rule, of) };
      });
  }

  /** The entry with this id; the latest revision. */
  entryOf(txId: string): Entry | undefined {
    return this.#byId.get(txId);
  }

  /** Forgets what is before a time that no window reaches any more, and alerts of then. */
  prune(horizon: number): void {
    for (const [txId, entry] of this.#byId) {
      if (entry.at >= horizon) continue;
      this.#byId.delete(txId);
      this.#deferred.delete(entry);
      this.#edges?.remove(entry);
    }
    for (const [name, series] of this.#series) {
      if (!series.dropBefore(horizon)) this.#series.delete(name);
    }
    for (const [id, { at }] of this.#reversals) if (at < horizon) this.#reversals.delete(id);
    for (const [name, alert] of this.#alerts) {
      if ((lastTrigger(alert)?.at ?? 0) < horizon) this.#alerts.delete(name);
    }
  }

  #takeOne(entry: Entry, noted: Noted): void {
    const former = this.#replaceFormer(entry);
    if (entry.at < entry.receivedAt - TOO_LATE_MS) {
      noted.tooLate += 1;
      return;
    }
    const touched = new Set<Entry>();
    if (former !== undefined) {
      this.#dropTriggers(former, noted);
      this.#noteLater(former, former, touched);
    }
    const isLast = entry.at > this.#latest;
    this.#place(entry);
    const reversed = entry.reverses === undefined ? undefined : this.#byId.get(entry.reverses);
    if (reversed !== undefined) this.#noteLater(reversed, entry, touched);
    let isLate = false;
    if (!isLast) {
      const before = touched.size;
      this.#noteLater(entry, entry, touched);
      isLate = touched.size > before;
    }
    if (isLate) noted.late += 1;
    this.#evaluate(entry, noted, isLate);
    this.#evaluateAgain(entry, touched, noted);
  }

  /** Up to a limit at once; the others wait, so that one late transaction holds nothing up. */
  #evaluateAgain(entry: Entry, touched: Set<Entry>, noted: Noted): void {
    touched.delete(entry);
    if (touched.size === 0) return;
    const later = [...touched].sort(byPosition);
    for (const [place, one] of later.entries()) {
      if (place < LATE_AT_ONCE_MAX && one.at <= entry.at + LATE_AT_ONCE_MS) {
        this.#evaluate(one, noted, true);
        continue;
      }
      this.#deferred.add(one);
      noted.deferredBy.add(entry.tseq);
    }
  }

  /** Those behind a place whose windows hold the entry. */
  #noteLater(entry: Entry, from: Entry, touched: Set<Entry>): void {
    const { reachMs } = this.#options.plan;
    for (const kind of this.#kinds) {
      const series = entry.series[kind];
      for (const track of series === undefined ? [] : [series.tracks[0], series.uncounted]) {
        const { from: first = 0 } = track?.slice(from.at - 1, from) ?? {};
        for (let place = first; track !== undefined && place < track.rows.length; place += 1) {
          const row = track.rows[place];
          if (row === undefined || row.at > entry.at + reachMs) break;
          if (row !== entry && byPosition(row, from) > 0) touched.add(row);
        }
      }
    }
    const { hopsMax } = this.#options.plan;
    const beyond = this.#edges?.after(entry, { hops: hopsMax, reachMs });
    for (const one of beyond ?? []) if (byPosition(one, from) > 0) touched.add(one);
  }

  /** Takes the former revision of a transaction out. */
  #replaceFormer(entry: Entry): Entry | undefined {
    const former = this.#byId.get(entry.txId);
    if (former === undefined) return undefined;
    this.#unplace(former);
    this.#byId.delete(entry.txId);
    if (former.reversedFrom !== undefined) entry.reversedFrom = former.reversedFrom;
    return former;
  }

  #place(entry: Entry): void {
    this.#byId.set(entry.txId, entry);
    const { tracks } = this.#options.plan;
    const waiting = this.#reversals.get(entry.txId);
    if (waiting !== undefined) entry.reversedFrom ??= waiting;
    for (const kind of this.#kinds) {
      const series = this.#seriesOf(kind, entry);
      if (series === undefined) continue;
      entry.series[kind] = series;
      series.insert(entry, tracks[kind]);
    }
    if (entry.isCounted) this.#edges?.insert(entry);
    if (entry.reverses !== undefined) this.#reverse(entry.reverses, entry);
    if (entry.at > this.#latest) this.#latest = entry.at;
  }

  #reverse(txId: string, reversal: Entry): void {
    this.#reversals.set(txId, reversal);
    const reversed = this.#byId.get(txId);
    if (reversed === undefined) return;
    reversed.reversedFrom = reversal;
    for (const series of Object.values(reversed.series)) series.noteOdd(reversed);
  }

  #unplace(entry: Entry): void {
    for (const series of Object.values(entry.series)) series.remove(entry);
    this.#edges?.remove(entry);
    this.#deferred.delete(entry);
  }

  #seriesOf(kind: SubjectKind, { texts }: Entry): Series | undefined {
    const { account, counterparty, customer } = texts;
    const pair = counterparty === undefined ? undefined : `${account}\0${counterparty}`;
    const id = { account, counterparty, customer, pair }[kind];
    if (id === undefined) return undefined;
    const name = `${kind}\0${id}`;
    const known = this.#series.get(name);
    if (known !== undefined) return known;
    const made = new Series(id, this.#options.plan.tracks[kind]);
    this.#series.set(name, made);
    return made;
  }

  #evaluationOf(entry: Entry): Evaluation {
    const edges = this.#edges;
    return { calendar: this.#calendar, edges, entry, taken: new Map(), unknown: new Set() };
  }

  #evaluate(entry: Entry, noted: Noted, isAgain: boolean): void {
    // A reversal takes something back, and is no payment of its own.
    if (entry.reverses !== undefined) return;
    for (const rule of this.#options.plan.rules) {
      if (!rule.inScope(entry)) continue;
      const of = this.#evaluationOf(entry);
      const verdict = judge(rule, of);
      const series = entry.series[rule.rule.subject];
      if (verdict.truth === undefined) {
        for (const reason of verdict.unknown) count(noted.unknown, `${ruleKey(rule)}|${reason}`);
      }
      if (verdict.truth === true && series === undefined) {
        count(noted.unknown, `${ruleKey(rule)}|value:missing`);
      }
      if (series === undefined || (verdict.truth !== true && !isAgain)) continue;
      const identity = this.#identityOf(rule, series, entry);
      if (verdict.truth === true) this.#raise(identity, { isAgain, noted, of, rule, verdict });
      else this.#lower(alertName(identity), entry, { noted, series });
    }
  }

  #identityOf(rule: CompiledRule, series: Series, entry: Entry): AlertIdentity {
    const kind = rule.rule.subject;
    series.key ??= this.#options.keyOf(kind, series.id);
    return {
      bucket: Math.floor(entry.at / rule.suppressMs),
      ruleId: ruleKey(rule),
      subject: { key: series.key, kind },
    };
  }

  #raise(
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
    const known = this.#alerts.get(name);
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
    this.#alerts.set(name, {
      ...identity,
      explanation:
        isSpeaking || known === undefined
          ? explain(rule, of, this.#options.baseCurrency)
          : known.explanation,
      holds: true,
      mode: rule.mode,
      triggers,
      ...((isFull || known?.isFull) && { isFull: true as const }),
    });
    noted.changed.add(name);
  }

  /** The transaction does not meet the rule any more. */
  #lower(
    name: string,
    { tseq }: Entry,
    { noted, series }: { readonly noted: Noted; readonly series: Series },
  ): void {
    const known = this.#alerts.get(name);
    if (known === undefined || !known.triggers.some((one) => one.tseq === tseq)) return;
    noted.changed.add(name);
    const triggers = known.triggers.filter((one) => one.tseq !== tseq);
    if (triggers.length === 0) {
      this.#alerts.set(name, { ...known, holds: false });
      return;
    }
    this.#alerts.set(name, { ...known, triggers });
    const isSpeaking = known.triggers.at(-1)?.tseq === tseq;
    if (isSpeaking) this.#speakAgain(name, triggers.at(-1), series);
  }

  /** Another trigger is the last now: the alert says what that one says. */
  #speakAgain(name: string, trigger: Trigger | undefined, series: Series): void {
    const alert = this.#alerts.get(name);
    const rule = this.#options.plan.rules.find(
      (one) => ruleKey(one) === alert?.ruleId && one.version === trigger?.version,
    );
    if (alert === undefined || trigger === undefined || rule === undefined) return;
    const entry = [series.tracks[0], series.uncounted]
      .map((track) => track?.rows[track.slice(trigger.at - 1, trigger).to - 1])
      .find((row) => row?.tseq === trigger.tseq);
    if (entry === undefined) return;
    const of = this.#evaluationOf(entry);
    judge(rule, of);
    const explanation = explain(rule, of, this.#options.baseCurrency);
    this.#alerts.set(name, { ...alert, explanation });
  }

  /** A revision replaces a transaction: it triggers nothing any more. */
  #dropTriggers(former: Entry, noted: Noted): void {
    for (const rule of this.#options.plan.rules) {
      const series = former.series[rule.rule.subject];
      if (series === undefined) continue;
      this.#lower(alertName(this.#identityOf(rule, series, former)), former, { noted, series });
    }
  }
}
