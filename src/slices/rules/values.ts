/** Values that a rule names, compiled to functions of what is evaluated. */

import { isName } from './checkCondition.ts';
import type { Edges } from './edges.ts';
import type { Entry } from './entry.ts';
import { type Exact, type Fraction, fractionOf, isDecimal, narrow } from './exactNumbers.ts';
import type { Operand, Param, Rule, Segment } from './ruleLanguage.ts';
import { type Calendar, spanMs } from './spans.ts';

/** Why something is unknown. */
export type UnknownReason = 'fx:missing' | 'value:missing' | 'budget:exceeded' | 'history:not-held';

/** A value; undefined: unknown. */
export type Value = Exact | string | boolean | readonly string[] | undefined;

/** One transaction as it is evaluated by one rule. */
export interface Evaluation {
  readonly entry: Entry;
  /** Aggregates that were taken, by their place in the rule. */
  readonly taken: Map<string, Exact | undefined>;
  readonly edges: Edges | undefined;
  readonly calendar: Calendar;
  /** Why values are unknown that were asked for. */
  readonly unknown: Set<UnknownReason>;
}

/** A value of an evaluation. */
export type ValueOf = (of: Evaluation) => Value;

/** Parameters of a rule with the values of a segment. */
export type Params = ReadonlyMap<string, Exact | readonly string[]>;

/** Parameters as they are compared: amounts in minor units, spans in milliseconds. */
export function paramsOf(rule: Rule, segment: Segment | undefined, exponent: number): Params {
  const values = new Map<string, Exact | readonly string[]>();
  for (const [name, { type, value }] of Object.entries(rule.params)) {
    values.set(name, paramOf({ type, value: segment?.params[name] ?? value }, exponent));
  }
  return values;
}

function paramOf({ type, value }: Param, exponent: number): Exact | readonly string[] {
  if (typeof value === 'object') return value;
  if (typeof value === 'number') return value;
  if (type === 'amount') return inMinorUnits(fractionOf(value), exponent);
  return type === 'duration' ? (spanMs(value) ?? 0) : fractionOf(value);
}

/** A bound may have more digits than the currency: it is not rounded. */
function inMinorUnits({ d, n }: Fraction, exponent: number): Exact {
  const scaled = n * 10n ** BigInt(exponent);
  return scaled % d === 0n ? narrow(scaled / d) : { d, n: scaled };
}

const TX: Readonly<Record<string, (entry: Entry) => Value>> = {
  account: ({ texts }) => texts.account,
  amount: ({ amount }) => amount,
  channel: ({ texts }) => texts.channel,
  counterparty: ({ texts }) => texts.counterparty,
  counterparty_country: ({ texts }) => texts.counterparty_country,
  countries: ({ countries }) => countries,
  cross_border: ({ crossBorder }) => crossBorder,
  currency: ({ texts }) => texts.currency,
  customer: ({ texts }) => texts.customer,
  customer_type: ({ texts }) => texts.customer_type,
  direction: ({ texts }) => texts.direction,
  info_missing: ({ infoMissing }) => infoMissing,
  product: ({ texts }) => texts.product,
  purpose: ({ texts }) => texts.purpose,
  status: ({ texts }) => texts.status,
  text_terms: ({ terms }) => terms,
  verdicts: ({ verdicts }) => verdicts,
};

const FACTS: Readonly<Record<string, (entry: Entry) => Value>> = {
  age: ({ facts }) => facts.age,
  expected_turnover: ({ facts }) => facts.expectedTurnover,
  residence: ({ facts }) => facts.residence,
  risk_tier: ({ facts }) => facts.riskTier,
};

/** Aggregates by name, compiled. */
export type Lets = ReadonlyMap<string, (of: Evaluation) => Exact | undefined>;

/** The value of an operand, which the check of the rule has let through. */
export function readerOf(operand: Operand, params: Params, lets: Lets): ValueOf {
  if (typeof operand !== 'string') return () => operand;
  if (!isName(operand)) {
    const literal = isDecimal(operand) ? fractionOf(operand) : operand;
    return () => literal;
  }
  const dot = operand.indexOf('.');
  const name = operand.slice(dot + 1);
  const head = operand.slice(0, dot);
  if (head === 'param') {
    const value = params.get(name);
    return () => value;
  }
  if (head === 'let') return lets.get(name) ?? (() => undefined);
  const read = (head === 'tx' ? TX : FACTS)[name] ?? (() => undefined);
  // What was declared in another currency waits for a rate, as an amount does.
  const isRated = head === 'tx' ? name === 'amount' : name === 'expected_turnover';
  return ({ entry, unknown }) => {
    const value = read(entry);
    if (value === undefined) {
      const isWaiting = isRated && (head === 'tx' || entry.unrated?.turnover !== undefined);
      unknown.add(isWaiting ? 'fx:missing' : 'value:missing');
    }
    return value;
  };
}
