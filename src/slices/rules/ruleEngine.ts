/**
 * Rules over a tenant's transactions, in memory: each new one is put at its place in the order of
 * events and evaluated there, and so are the later ones whose windows it is in. No clock, no store:
 * the same transactions under the same rules, rates and facts give the same alerts, in whichever
 * order they come.
 */
import { AlertBook } from './alertBook.ts';
import { type CompiledRule, judge, type RulePlan, ruleKey, type Verdict } from './compileRule.ts';
import { Edges } from './edges.ts';
import { count, type EngineStep, type Noted, newNoted, stepOf } from './engineStep.ts';
import { byPosition, type Entry } from './entry.ts';
import { noteFollowers } from './followers.ts';
import { HELD_MAX } from './limits.ts';
import { type Forgetting, Horizon } from './memory.ts';
import { type AlertIdentity, alertName, type RuleAlert } from './ruleAlert.ts';
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
  /** Transactions in memory; HELD_MAX without it. */
  readonly heldMax?: number | undefined;
  /** The cut of the engine before it (memory.ts). */
  readonly cut?: number | undefined;
}

/** The state of one tenant. */
export class RuleEngine {
  readonly #options: EngineOptions;
  readonly #calendar: Calendar;
  readonly #series = new Map<string, Series>();
  readonly #byId = new Map<string, Entry>();
  /** Reversals whose transaction is not there, or was replaced since. */
  readonly #reversals = new Map<string, Entry>();
  readonly #book: AlertBook;
  readonly #edges: Edges | undefined;
  readonly #kinds: readonly SubjectKind[];
  /** Evaluated again later: more than is done at once. */
  readonly #deferred = new Set<Entry>();
  readonly #horizon: Horizon;
  #latest = Number.NEGATIVE_INFINITY;

  constructor(options: EngineOptions) {
    this.#options = options;
    const { cut, heldMax = HELD_MAX, plan } = options;
    this.#horizon = new Horizon(plan, { cut, heldMax, lateMs: TOO_LATE_MS });
    this.#calendar = new Calendar(options.zone);
    this.#book = new AlertBook({
      baseCurrency: options.baseCurrency,
      evaluationOf: (entry) => this.#evaluationOf(entry),
      rules: options.plan.rules,
    });
    this.#edges = options.plan.hasEdges ? new Edges() : undefined;
    this.#kinds = SUBJECTS.filter((kind) => options.plan.tracks[kind].length > 0);
  }

  /** Transactions that are held. */
  get size(): number {
    return this.#byId.size;
  }

  /** Transactions before this time are not all held, though windows reach them. */
  get cut(): number | undefined {
    return this.#horizon.cut;
  }

  /** How far back any window of its rules reaches. */
  get reachMs(): number {
    return this.#options.plan.reachMs;
  }

  get alerts(): ReadonlyMap<string, RuleAlert> {
    return this.#book.alerts;
  }

  /** Transactions that wait to be evaluated again, in order. */
  get deferred(): readonly Entry[] {
    return [...this.#deferred].sort(byPosition);
  }

  /** Puts what was evaluated before back, without evaluating it: after a restart. */
  restore(entries: Iterable<Entry>, alerts: Iterable<RuleAlert>): void {
    for (const entry of entries) {
      this.#horizon.note(entry.receivedAt);
      this.#replaceFormer(entry);
      this.#place(entry);
    }
    this.#book.restore(alerts);
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

  /** Those whose amount, or whose customer's turnover, no rate was known for. */
  unrated(): Entry[] {
    return [...this.#byId.values()].filter(({ unrated }) => unrated !== undefined);
  }

  /** Puts others in the place of what is held; they and what follows them wait. */
  replace(entries: readonly Entry[]): void {
    const touched = new Set<Entry>();
    for (const entry of entries) {
      this.#replaceFormer(entry);
      this.#place(entry);
    }
    for (const entry of entries) this.#noteLater(entry, entry, touched.add(entry));
    for (const one of touched) this.#deferred.add(one);
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

  /** Whether the oldest have to leave though they are reached: first those that wait are done. */
  get isOver(): boolean {
    return this.#horizon.isOver(this.size);
  }

  /**
   * Forgets what is too old for any window, and what is too much. Between two steps, once nothing
   * waits where it `isOver`. Undefined: nothing was looked at.
   */
  prune(): Forgetting | undefined {
    const found = this.#horizon.look(this.size, () =>
      Float64Array.from(this.#byId.values(), ({ at }) => at),
    );
    if (found === undefined) return undefined;
    const { before } = found;
    for (const [txId, { at }] of this.#byId) if (at < before) this.#byId.delete(txId);
    for (const [txId, { at }] of this.#reversals) if (at < before) this.#reversals.delete(txId);
    for (const [name, series] of this.#series) {
      if (series.forget(before)) this.#series.delete(name);
    }
    this.#edges?.forget(before);
    for (const one of this.#deferred) if (one.at < before) this.#deferred.delete(one);
    return found;
  }

  /** Forgets alerts whose last trigger is before a time. */
  forgetAlerts(before: number): void {
    this.#book.forget(before);
  }

  #takeOne(entry: Entry, noted: Noted): void {
    this.#horizon.note(entry.receivedAt);
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
    const { plan } = this.#options;
    noteFollowers({ edges: this.#edges, kinds: this.#kinds, plan }, { entry, from }, touched);
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
      if (!this.#horizon.isHeld(entry.at, rule.reachMs)) {
        count(noted.unknown, `${ruleKey(rule)}|history:not-held`);
        continue;
      }
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
      if (verdict.truth === true) this.#book.raise(identity, { isAgain, noted, of, rule, verdict });
      else this.#book.lower(alertName(identity), entry, { noted, series });
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

  /** A revision replaces a transaction: it triggers nothing any more. */
  #dropTriggers(former: Entry, noted: Noted): void {
    for (const rule of this.#options.plan.rules) {
      const series = former.series[rule.rule.subject];
      if (series === undefined) continue;
      this.#book.lower(alertName(this.#identityOf(rule, series, former)), former, {
        noted,
        series,
      });
    }
  }
}
