/**
 * Why a rule was met, for the person who looks at the alert: each comparison with its value, its
 * bound, its window, and the transactions that it was taken of.
 */

import { type Reach, windowOf } from './aggregates.ts';
import { spanOf } from './checkRule.ts';
import type { CompiledRule, Variant } from './compileRule.ts';
import { variantFor } from './compileRule.ts';
import type { Leaf } from './conditions.ts';
import type { Entry } from './entry.ts';
import { asFraction, type Exact, halfEven, shown } from './exactNumbers.ts';
import {
  AGGREGATE_KINDS,
  FACT_FIELDS,
  LANGUAGES,
  PARAM_KINDS,
  type Rule,
  TX_FIELDS,
  type ValueKind,
  type Words,
} from './ruleLanguage.ts';
import type { Evaluation, Value } from './values.ts';

/** Transactions that are named for one comparison, and comparisons of one alert. */
export const CONTRIBUTORS_MAX = 100;
const CONDITIONS_MAX = 32;
const LIST_SHOWN_MAX = 20;

/** A comparison as it stands in an alert. */
export interface ExplainedCondition {
  readonly name: string;
  readonly op: string;
  readonly value: string | null;
  readonly bound: string | null;
  readonly window: string | null;
  readonly met: boolean | null;
  /** Numbers of the transactions that the value was taken of, the latest ones. */
  readonly tseqs: readonly number[];
  readonly tseqs_total: number;
}

/** A figure of the rule against its bound. */
export interface AggregateValue {
  readonly name: string;
  readonly value: string;
  readonly bound: string;
  readonly unit: string;
}

/** What an alert says of the transaction that it was last raised by. */
export interface Explanation {
  readonly conditions: readonly ExplainedCondition[];
  readonly text: Words;
  /** The first comparison with an aggregate that was met; absent where none is of one. */
  readonly aggregate?: AggregateValue;
  /** Where that one was taken of: times in milliseconds, left open, right closed. */
  readonly window?: Reach;
}

/** The explanation of a rule that was met by this evaluation. */
export function explain(rule: CompiledRule, of: Evaluation, currency: string): Explanation {
  const variant = variantFor(rule, of.entry);
  const shows = new Shows(rule.rule, variant, currency);
  const leaves = variant.when.leaves.slice(0, CONDITIONS_MAX);
  const conditions = leaves.map((leaf) => conditionOf(leaf, of, shows));
  const at = leaves.findIndex((leaf, place) => {
    const isAggregate = leaf.operands.some(
      (one) => typeof one === 'string' && one.startsWith('let.'),
    );
    return isAggregate && conditions[place]?.met === true;
  });
  const main = conditions[at];
  const window = main && shows.figureOf(main.name)?.reach(of);
  return {
    ...(main?.value != null && {
      aggregate: {
        bound: main.bound ?? '',
        name: main.name,
        unit: shows.unitOf(main.name),
        value: main.value,
      },
      ...(window !== undefined && { window }),
    }),
    conditions,
    text: Object.fromEntries(
      LANGUAGES.map((language) => [language, filled(rule.rule.explain[language], of, shows)]),
    ) as unknown as Words,
  };
}

function conditionOf(leaf: Leaf, of: Evaluation, shows: Shows): ExplainedCondition {
  const [name = '', ...bounds] = leaf.operands.map((one) =>
    Array.isArray(one) ? one.join(',') : String(one),
  );
  const [value, ...limits] = leaf.values.map((read) => read(of));
  const kind = shows.kindOf(name);
  const figure = name.startsWith('let.') ? shows.figureOf(name) : undefined;
  const entries: Entry[] = figure === undefined ? [] : [...figure.contributors(of)];
  return {
    bound: bounds.length === 0 ? null : limits.map((limit) => shows.text(limit, kind)).join(' … '),
    met: leaf.test(of) ?? null,
    name,
    op: leaf.operator,
    tseqs: entries.slice(-CONTRIBUTORS_MAX).map(({ tseq }) => tseq),
    tseqs_total: entries.length,
    value: value === undefined ? null : shows.text(value, kind),
    window: figure === undefined ? null : shows.windowOf(figure.spec),
  };
}

function filled(template: string, of: Evaluation, shows: Shows): string {
  return template.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    const value = shows.read(name, of);
    return value === undefined ? '—' : shows.text(value, shows.kindOf(name));
  });
}

/** How values of one rule are shown. */
class Shows {
  readonly #rule: Rule;
  readonly #variant: Variant;
  readonly #currency: string;

  constructor(rule: Rule, variant: Variant, currency: string) {
    this.#rule = rule;
    this.#variant = variant;
    this.#currency = currency;
  }

  figureOf(name: string) {
    return this.#variant.figures.get(name.slice('let.'.length));
  }

  kindOf(name: string): ValueKind {
    const [head, rest = ''] = [name.slice(0, name.indexOf('.')), name.slice(name.indexOf('.') + 1)];
    if (head === 'tx') return TX_FIELDS[rest] ?? 'text';
    if (head === 'fact') return FACT_FIELDS[rest] ?? 'text';
    const param = this.#rule.params[rest];
    if (head === 'param' && param !== undefined) return PARAM_KINDS[param.type];
    const spec = this.#rule.let[rest];
    return head === 'let' && spec !== undefined ? AGGREGATE_KINDS[spec.agg] : 'plain';
  }

  unitOf(name: string): string {
    const kind = this.kindOf(name);
    if (kind === 'amount') return this.#currency;
    return kind === 'span' ? 'duration' : 'number';
  }

  read(name: string, of: Evaluation): Value {
    if (name.startsWith('let.')) return of.taken.get(name.slice('let.'.length));
    if (name.startsWith('param.')) return this.#variant.params.get(name.slice('param.'.length));
    return name === 'tx.amount' ? of.entry.amount : of.entry.texts.currency;
  }

  text(value: Value, kind: ValueKind): string {
    if (value === undefined) return '';
    if (typeof value === 'string' || typeof value === 'boolean') return String(value);
    if (Array.isArray(value)) return value.slice(0, LIST_SHOWN_MAX).join(',');
    if (kind === 'amount') return this.#money(value as Exact);
    return kind === 'span' ? spanText(value as Exact) : shown(value as Exact);
  }

  windowOf(spec: Parameters<typeof windowOf>[0]): string | null {
    const { calendar, sliding, until } = windowOf(spec);
    if (calendar !== undefined) return calendar;
    if (sliding === undefined) return null;
    const of = (span: string) => spanText(spanOf(this.#rule, span));
    return until === undefined ? of(sliding) : `${of(sliding)} until ${of(until)} before`;
  }

  /** Minor units of the base currency as a decimal; a mean is rounded half to even. */
  #money(value: Exact): string {
    const units = halfEven(asFraction(value));
    const exponent = this.#exponent;
    const digits = String(units < 0n ? -units : units).padStart(exponent + 1, '0');
    const text =
      exponent === 0 ? digits : `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
    return units < 0n ? `-${text}` : text;
  }

  get #exponent(): number {
    return this.#variant.exponent;
  }
}

const UNITS = [
  ['D', 86_400_000],
  ['H', 3_600_000],
  ['M', 60_000],
  ['S', 1_000],
] as const;

/** A span as ISO 8601, in whole seconds. */
export function spanText(value: Exact): string {
  let left = Number(halfEven(asFraction(value)));
  let text = '';
  let isTime = false;
  for (const [unit, ms] of UNITS) {
    const count = Math.floor(left / ms);
    left -= count * ms;
    if (count === 0) continue;
    if (unit !== 'D' && !isTime) {
      text += 'T';
      isTime = true;
    }
    text += `${count}${unit}`;
  }
  return text === '' ? 'PT0S' : `P${text}`;
}
