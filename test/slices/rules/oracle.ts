/**
 * What rules mean, said a second time and as plainly as can be: every transaction is compared with
 * every other one, sums are made anew each time, and nothing is shared with the engine but the
 * transaction as it was read. Slow on purpose.
 */
import { alertIdOf } from '#slices/alerts';
import type { Entry } from '../../../src/slices/rules/entry.ts';
import { causeOf } from '../../../src/slices/rules/ruleAlertCause.ts';
import type { Aggregate, Condition, Rule } from '../../../src/slices/rules/ruleLanguage.ts';

/** A fraction of whole numbers. */
type Q = readonly [n: bigint, d: bigint];
type Value = Q | string | boolean | readonly string[] | undefined;

const SPAN = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/;
const ms = (text: string): number => {
  const [, days = '0', hours = '0', minutes = '0', seconds = '0'] = SPAN.exec(text) ?? [];
  return (
    ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60_000 + Number(seconds) * 1_000
  );
};

const decimal = (text: string): Q => {
  const [whole = '', digits = ''] = text.split('.');
  return [BigInt(whole + digits), 10n ** BigInt(digits.length)];
};
const order = (a: Q, b: Q): number => {
  const left = a[0] * b[1];
  const right = b[0] * a[1];
  return left < right ? -1 : left > right ? 1 : 0;
};
const q = (value: number | bigint): Q => [BigInt(value), 1n];

const isBefore = (a: Entry, b: Entry): boolean =>
  a.at < b.at || (a.at === b.at && a.tseq <= b.tseq);
const subjectOf = (entry: Entry, kind: string): string | undefined => {
  const { account, counterparty, customer } = entry.texts;
  if (kind === 'pair')
    return counterparty === undefined ? undefined : `${account}\0${counterparty}`;
  return { account, counterparty, customer }[kind as 'account'];
};

/** Base currency with two digits, days of UTC. */
export class Oracle {
  readonly #all: readonly Entry[];
  readonly #rule: Rule;

  /** @param entries the last revision of each, with its reversal noted */
  constructor(rule: Rule, entries: readonly Entry[]) {
    this.#all = entries;
    this.#rule = rule;
  }

  #operand(operand: unknown, entry: Entry): Value {
    if (typeof operand === 'boolean') return operand;
    if (typeof operand === 'number') return q(operand);
    const text = String(operand);
    if (text.startsWith('param.')) {
      const param = this.#rule.params[text.slice(6)];
      if (param === undefined) return undefined;
      if (typeof param.value === 'object') return param.value;
      if (param.type === 'count') return q(Number(param.value));
      if (param.type === 'duration') return q(ms(String(param.value)));
      const [n, d] = decimal(String(param.value));
      return param.type === 'amount' ? [n * 100n, d] : [n, d];
    }
    if (text.startsWith('let.')) {
      const spec = this.#rule.let[text.slice(4)];
      return spec && this.aggregate(spec, entry);
    }
    if (text === 'tx.amount') return entry.amount === undefined ? undefined : q(entry.amount);
    if (text === 'tx.countries') return entry.countries;
    if (text === 'tx.verdicts') return entry.verdicts;
    if (text === 'tx.text_terms') return entry.terms;
    if (text === 'tx.cross_border') return entry.crossBorder;
    if (text === 'tx.info_missing') return entry.infoMissing;
    if (text.startsWith('tx.')) return entry.texts[text.slice(3) as 'account'];
    if (text === 'fact.expected_turnover') {
      return entry.facts.expectedTurnover === undefined
        ? undefined
        : q(entry.facts.expectedTurnover);
    }
    if (text === 'fact.age') return entry.facts.age === undefined ? undefined : q(entry.facts.age);
    if (text === 'fact.risk_tier') return entry.facts.riskTier;
    if (text.startsWith('fact.')) return entry.facts.residence;
    return /^\d+(\.\d+)?$/.test(text) ? decimal(text) : text;
  }

  /** True, false, or undefined: unknown. */
  holds(condition: Condition, entry: Entry): boolean | undefined {
    if (condition.all) {
      const truths = condition.all.map((one) => this.holds(one, entry));
      return truths.includes(false) ? false : truths.includes(undefined) ? undefined : true;
    }
    if (condition.any) {
      const truths = condition.any.map((one) => this.holds(one, entry));
      return truths.includes(true) ? true : truths.includes(undefined) ? undefined : false;
    }
    if (condition.not) {
      const truth = this.holds(condition.not, entry);
      return truth === undefined ? undefined : !truth;
    }
    if (condition.exists) return this.#operand(condition.exists, entry) !== undefined;
    return this.#compared(condition, entry) ?? condition.on_missing;
  }

  #compared(condition: Condition, entry: Entry): boolean | undefined {
    if (condition.in) {
      const [left, right] = condition.in;
      const value = this.#operand(left, entry);
      const set = Array.isArray(right) ? right : this.#operand(right, entry);
      if (value === undefined || set === undefined) return undefined;
      const values = Array.isArray(value) ? value : [value];
      return values.some((one) => (set as readonly unknown[]).includes(one));
    }
    const [name = '', operands = []] =
      Object.entries(condition).find(([key]) => key !== 'on_missing') ?? [];
    const values = (operands as readonly unknown[]).map((one) => this.#operand(one, entry));
    if (name === 'between') {
      const [value, low, high] = values as (Q | undefined)[];
      const above = value && low && order(value, low) >= 0;
      const below = value && high && order(value, high) <= 0;
      if (above === false || below === false) return false;
      return above === undefined || below === undefined ? undefined : true;
    }
    const [a, b] = values;
    if (a === undefined || b === undefined) return undefined;
    if (typeof a !== 'object') return a === b;
    const sign = order(a as Q, b as Q);
    return { eq: sign === 0, gt: sign > 0, gte: sign >= 0, lt: sign < 0, lte: sign <= 0 }[name];
  }

  /** Every transaction of the subject in the window, by comparing it with all. */
  #window(spec: Aggregate, entry: Entry): Entry[] | 'unknown' | undefined {
    const kind = spec.by ?? this.#rule.subject;
    const subject = subjectOf(entry, kind);
    if (subject === undefined) return undefined;
    const span = (text: string): number => Number(this.#spanQ(text)[0]);
    const window = spec.window ?? { sliding: spec.lag ?? 'P0D' };
    const until = window.until === undefined ? 0 : span(window.until);
    const start = new Date(entry.at);
    const first =
      window.calendar === 'month'
        ? Date.UTC(start.getUTCFullYear(), start.getUTCMonth())
        : Date.UTC(start.getUTCFullYear(), start.getUTCMonth(), start.getUTCDate());
    const found: Entry[] = [];
    for (const one of this.#all) {
      if (!one.isCounted || subjectOf(one, kind) !== subject) continue;
      if (one.reversedFrom !== undefined && isBefore(one.reversedFrom as Entry, entry)) continue;
      const isIn = until > 0 ? one.at <= entry.at - until : isBefore(one, entry);
      const isAfter = window.calendar
        ? one.at >= first
        : one.at > entry.at - until - span(window.sliding ?? 'P0D');
      if (!isIn || !isAfter || (window.self === false && one === entry)) continue;
      const passes = spec.where === undefined ? true : this.holds(spec.where, one);
      if (passes === undefined && one.amount === undefined) return 'unknown';
      if (passes === true) found.push(one);
    }
    return found.sort((a, b) => a.at - b.at || a.tseq - b.tseq);
  }

  #spanQ(text: string): Q {
    return text.startsWith('param.') ? (this.#operand(text, undefined as never) as Q) : q(ms(text));
  }

  aggregate(spec: Aggregate, entry: Entry): Q | undefined {
    if (spec.agg === 'ratio') {
      const [a, b] = (spec.of as readonly unknown[]).map((one) => this.#operand(one, entry)) as (
        | Q
        | undefined
      )[];
      if (a === undefined || b === undefined || b[0] === 0n) return undefined;
      const by = decimal(spec.times ?? '1');
      return [a[0] * b[1] * by[0], a[1] * b[0] * by[1]];
    }
    let rows = this.#window(spec, entry);
    if (rows === undefined || rows === 'unknown') return undefined;
    if (spec.agg === 'fan') {
      const wanted = spec.of === 'in' ? 'credit' : 'debit';
      rows = rows.filter(({ texts }) => texts.direction === wanted);
    }
    if (spec.agg === 'near_below') {
      const limit = this.#operand(spec.threshold, entry) as Q;
      const band = this.#operand(spec.band, entry) as Q;
      const low: Q = [limit[0] * band[0], limit[1] * band[1]];
      if (rows.some(({ amount }) => amount === undefined)) return undefined;
      return q(
        rows.filter(({ amount = 0 }) => order(q(amount), limit) < 0 && order(q(amount), low) >= 0)
          .length,
      );
    }
    return this.#taken(spec, rows, entry);
  }

  #taken(spec: Aggregate, rows: readonly Entry[], entry: Entry): Q | undefined {
    const amounts = rows.map(({ amount }) => (amount === undefined ? undefined : BigInt(amount)));
    const known = amounts.filter((one) => one !== undefined);
    const isWhole = known.length === amounts.length;
    const total = known.reduce((sum, one) => sum + one, 0n);
    const field = (of: Entry, name: string) => of.texts[name as 'account'];
    const distinct = (name: string) =>
      new Set(rows.map((one) => field(one, name)).filter((one) => one !== undefined));
    switch (spec.agg) {
      case 'count':
        return q(rows.length);
      case 'sum':
        return isWhole ? q(total) : undefined;
      case 'avg':
        return isWhole && rows.length > 0 ? [total, BigInt(rows.length)] : undefined;
      case 'max':
      case 'min': {
        if (!isWhole || known.length === 0) return undefined;
        const sorted = [...known].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
        return q((spec.agg === 'max' ? sorted.at(-1) : sorted[0]) ?? 0n);
      }
      case 'distinct':
        return q(distinct(String(spec.of)).size);
      case 'fan':
        return q(distinct('counterparty').size);
      case 'since_last': {
        const others = rows.filter((one) => one !== entry);
        const last = others.at(-1);
        return last === undefined ? undefined : q(entry.at - last.at);
      }
      case 'round_share': {
        if (rows.length === 0) return q(0);
        const unit = (this.#operand(spec.unit, entry) as Q)[0];
        const round = rows.filter(
          ({ own, ownUnit }) => own !== 0 && BigInt(own) % (unit * BigInt(ownUnit)) === 0n,
        );
        return [BigInt(round.length), BigInt(rows.length)];
      }
      case 'same_amount': {
        if (entry.amount === undefined) return undefined;
        const own = BigInt(entry.amount);
        const [n, d] = this.#operand(spec.tolerance, entry) as Q;
        const near = known.filter((one) => (one > own ? one - own : own - one) * d <= own * n);
        return q(near.length);
      }
      case 'in_out': {
        if (!isWhole) return undefined;
        let into = 0n;
        let out = 0n;
        for (const { amount = 0, texts } of rows) {
          if (texts.direction === 'credit') into += BigInt(amount);
          if (texts.direction === 'debit' && into > 0n) out += BigInt(amount);
        }
        return into === 0n ? q(0) : [out, into];
      }
      case 'first_seen': {
        const longer = {
          ...spec,
          agg: 'distinct',
          window: { sliding: spec.history ?? 'P0D' },
        } as Aggregate;
        const all = this.#window(longer, entry);
        if (all === undefined || all === 'unknown') return undefined;
        const earlier = new Set(
          all.filter((one) => !rows.includes(one)).map((one) => field(one, String(spec.of))),
        );
        return q([...distinct(String(spec.of))].filter((one) => !earlier.has(one)).length);
      }
      default:
        return undefined;
    }
  }

  /** Alerts: by id the numbers of the transactions that met the rule, in the order of events. */
  alerts(tenantId: string, keyOf: (kind: string, id: string) => string): Map<string, number[]> {
    const found = new Map<string, number[]>();
    const sorted = [...this.#all].sort((a, b) => a.at - b.at || a.tseq - b.tseq);
    for (const entry of sorted) {
      if (entry.reverses !== undefined || !this.#inScope(entry)) continue;
      const subject = subjectOf(entry, this.#rule.subject);
      if (subject === undefined || this.holds(this.#rule.when, entry) !== true) continue;
      const id = alertIdOf(
        tenantId as never,
        causeOf({
          bucket: Math.floor(entry.at / ms(this.#rule.suppress)),
          ruleId: this.#rule.rule_id,
          subject: { key: keyOf(this.#rule.subject, subject), kind: this.#rule.subject },
        }),
      );
      found.set(id, [...(found.get(id) ?? []), entry.tseq]);
    }
    return found;
  }

  #inScope({ texts }: Entry): boolean {
    const { channels, directions } = this.#rule.scope ?? {};
    if (directions && !directions.includes(texts.direction)) return false;
    return channels === undefined || channels.includes(texts.channel ?? '');
  }
}
