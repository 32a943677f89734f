/**
 * Rules compiled to functions, once for a set of rules: what several of them filter alike shares a
 * track, and each segment of customers has a variant with its own parameters.
 */

import { compileAggregate, type Figure, windowOf } from './aggregates.ts';
import { spanOf } from './checkRule.ts';
import { type CompiledCondition, compileCondition, type Truth } from './conditions.ts';
import type { Entry } from './entry.ts';
import { asFraction, type Exact, type Fraction, fractionOf, halfEven } from './exactNumbers.ts';
import {
  type Aggregate,
  type Condition,
  type Rule,
  type Scope,
  SEVERITIES,
  type Segment,
  type Severity,
  SUBJECTS,
  type SubjectKind,
} from './ruleLanguage.ts';
import type { Filter, TrackPlan } from './series.ts';
import { DAY_MS, spanMs } from './spans.ts';
import { type Evaluation, type Lets, type Params, paramsOf, type UnknownReason } from './values.ts';

/** How a rule takes part: its alerts are raised, or only counted. */
export type RuleMode = 'live' | 'shadow';

/** A version of a rule that is evaluated. */
export interface RuleInUse {
  readonly rule: Rule;
  readonly version: number;
  readonly mode: RuleMode;
  /** The numbers of the log that it is in force for, both included; absent: without an end. */
  readonly fromTseq?: number;
  readonly toTseq?: number;
}

/** The name under which its alerts are: of one in shadow another than of the one in force. */
export const ruleKey = ({ mode, rule, version }: RuleInUse): string =>
  mode === 'live' ? rule.rule_id : shadowKey(rule.rule_id, version);

/** The name under which alerts of a version in shadow are. */
export const shadowKey = (ruleId: string, version: number): string => `${ruleId}@${version}`;

/** What a rule says of one transaction. */
export interface Verdict {
  readonly truth: Truth;
  readonly severity: Severity;
  /** Ten-thousandths, 0 to 10,000. */
  readonly score: number;
  /** Why it is unknown. */
  readonly unknown: readonly UnknownReason[];
}

/** A rule with the parameters of one segment. */
export interface Variant {
  /** Digits of the base currency. */
  readonly exponent: number;
  readonly fits: (entry: Entry) => boolean;
  readonly params: Params;
  readonly figures: ReadonlyMap<string, Figure>;
  readonly when: CompiledCondition;
  readonly extras: readonly {
    readonly when: CompiledCondition;
    readonly weight: Fraction;
    readonly severity?: Severity;
  }[];
}

/** A rule as it is evaluated. */
export interface CompiledRule extends RuleInUse {
  readonly inScope: (entry: Entry) => boolean;
  /** The last one fits every transaction. */
  readonly variants: readonly Variant[];
  /** How far back any of its windows reaches: how long a late transaction matters. */
  readonly reachMs: number;
  readonly suppressMs: number;
}

/** A set of rules, compiled. */
export interface RulePlan {
  readonly rules: readonly CompiledRule[];
  /** Per kind of subject; the first track of each holds all. Kinds that no rule uses have none. */
  readonly tracks: Readonly<Record<SubjectKind, readonly TrackPlan[]>>;
  /** Whether any rule follows money over several accounts. */
  readonly hasEdges: boolean;
  readonly hopsMax: number;
  readonly reachMs: number;
  /** The longest bucket of an alert. */
  readonly suppressMs: number;
  /** Digits of the base currency. */
  readonly exponent: number;
}

const EVERYTHING: Filter = () => true;
/** A month and its longest daylight: how far back the calendar reaches. */
const CALENDAR_MS = 32 * DAY_MS;
const SCORE_MAX = 10_000;

/** Compiles rules that were checked, for a base currency with so many digits. */
export function planRules(rules: readonly RuleInUse[], exponent: number): RulePlan {
  const tracks = new TrackList();
  const compiled = rules.map((one) => compileRule(one, exponent, tracks));
  const hops = rules.flatMap(({ rule }) =>
    Object.values(rule.let).map(({ agg, hops: most = 2 }) =>
      agg === 'cycle' ? most : agg === 'gather' ? 2 : 0,
    ),
  );
  return {
    exponent,
    hasEdges: hops.some((count) => count > 0),
    hopsMax: Math.max(0, ...hops),
    reachMs: Math.max(0, ...compiled.map(({ reachMs }) => reachMs)),
    rules: compiled,
    suppressMs: Math.max(0, ...compiled.map(({ suppressMs }) => suppressMs)),
    tracks: tracks.byKind(),
  };
}

/** Tracks by what they filter. */
class TrackList {
  readonly #byKind = new Map<SubjectKind, Map<string, Filter>>();

  /** The number of the track with this filter. */
  of(kind: SubjectKind, key: string, filter: () => Filter): number {
    const known = this.#byKind.get(kind) ?? new Map<string, Filter>([['', EVERYTHING]]);
    this.#byKind.set(kind, known);
    if (!known.has(key)) known.set(key, filter());
    return [...known.keys()].indexOf(key);
  }

  byKind(): RulePlan['tracks'] {
    const plans = SUBJECTS.map((kind) => {
      const filters = [...(this.#byKind.get(kind)?.values() ?? [])];
      return [kind, filters.map((filter) => ({ filter }))] as const;
    });
    return Object.fromEntries(plans) as Record<SubjectKind, TrackPlan[]>;
  }
}

function compileRule(inUse: RuleInUse, exponent: number, tracks: TrackList): CompiledRule {
  const { rule } = inUse;
  // The subject of the alert needs its series too.
  tracks.of(rule.subject, '', () => EVERYTHING);
  const segments = [...(rule.segments ?? []), undefined];
  const variants = segments.map((segment) => variantOf(rule, segment, { exponent, tracks }));
  const reach = segments.flatMap((segment) =>
    Object.values(rule.let).map((spec) => reachOf(rule, spec, segment)),
  );
  const isInScope = scopeTest(rule.scope ?? {});
  const { fromTseq = 0, toTseq = Number.POSITIVE_INFINITY } = inUse;
  return {
    ...inUse,
    inScope: (entry) => entry.tseq >= fromTseq && entry.tseq <= toTseq && isInScope(entry),
    reachMs: Math.max(0, ...reach),
    suppressMs: spanMs(rule.suppress) ?? DAY_MS,
    variants,
  };
}

function reachOf(rule: Rule, spec: Aggregate, segment: Segment | undefined): number {
  const { calendar, sliding, until } = windowOf(spec);
  const of = (span: string | undefined) =>
    span === undefined ? 0 : spanOf(rule, span, segment?.params);
  const window = calendar === undefined ? of(sliding) + of(until) : CALENDAR_MS;
  return Math.max(window, of(spec.history));
}

function variantOf(
  rule: Rule,
  segment: Segment | undefined,
  { exponent, tracks }: { readonly exponent: number; readonly tracks: TrackList },
): Variant {
  const params = paramsOf(rule, segment, exponent);
  const figures = new Map<string, Figure>();
  const lets = new Map<string, (of: Evaluation) => Exact | undefined>();
  for (const [name, spec] of Object.entries(rule.let)) {
    const by = spec.by ?? rule.subject;
    const track = trackOf(tracks, by, { params, spec });
    const figure = compileAggregate(name, spec, {
      by,
      lets: new Map(lets),
      params,
      span: (text) => spanOf(rule, text, segment?.params),
      track,
    });
    figures.set(name, figure);
    lets.set(name, takenOnce(figure));
  }
  return {
    exponent,
    extras: (rule.extras ?? []).map(({ severity, weight, when }) => ({
      weight: fractionOf(weight),
      when: compileCondition(when, params, lets),
      ...(severity !== undefined && { severity }),
    })),
    figures,
    fits: segment === undefined ? () => true : scopeTest(segment),
    params,
    when: compileCondition(rule.when, params, lets),
  };
}

/** Each figure is taken once an evaluation, however often it is named. */
const takenOnce =
  ({ name, value }: Figure) =>
  (of: Evaluation): Exact | undefined => {
    if (of.taken.has(name)) return of.taken.get(name);
    const taken = value(of);
    of.taken.set(name, taken);
    return taken;
  };

/** The track of those that an aggregate takes; alike filters share one. */
function trackOf(
  tracks: TrackList,
  by: SubjectKind,
  { params, spec }: { readonly params: Params; readonly spec: Aggregate },
): number {
  const wanted = filterOf(spec);
  if (wanted === undefined) return tracks.of(by, '', () => EVERYTHING);
  const bounds = new Map(params);
  const where = withProducts(wanted, bounds);
  // By the values of parameters, since another rule may have others under the same names.
  const key = JSON.stringify(where, (_, value: unknown) =>
    typeof value === 'string' && value.startsWith('param.')
      ? { is: named(bounds.get(value.slice('param.'.length))) }
      : value,
  );
  return tracks.of(by, key, () => asFilter(where, bounds));
}

const named = (value: Exact | readonly string[] | undefined): unknown =>
  typeof value === 'object' && value !== null && 'd' in value
    ? `${value.n}/${value.d}`
    : typeof value === 'bigint'
      ? String(value)
      : value;

/** What an aggregate filters by, with what its kind implies. */
function filterOf({ agg, band, of, threshold, where }: Aggregate): Condition | undefined {
  const implied: Condition[] = [];
  if (agg === 'fan') implied.push({ eq: ['tx.direction', of === 'in' ? 'credit' : 'debit'] });
  if (agg === 'near_below' && threshold !== undefined) {
    implied.push(
      { lt: ['tx.amount', threshold] },
      { gte: [`tx.amount`, `${NEAR}${threshold}|${band}`] },
    );
  }
  if (implied.length === 0) return where;
  return { all: where === undefined ? implied : [...implied, where] };
}

/** A bound that is the product of two operands; it stands in no document. */
const NEAR = 'near:';

function asFilter(where: Condition, params: Params): Filter {
  const { test } = compileCondition(where, params, new Map() as Lets);
  const unknown = new Set<UnknownReason>();
  return (entry) =>
    test({ calendar: undefined as never, edges: undefined, entry, taken: new Map(), unknown });
}

/** Puts the products of `near_below` among the parameters, under names of their own. */
function withProducts(
  condition: Condition,
  params: Map<string, Exact | readonly string[]>,
): Condition {
  return JSON.parse(JSON.stringify(condition), (_, value: unknown) => {
    if (typeof value !== 'string' || !value.startsWith(NEAR)) return value;
    const [threshold = '', band = ''] = value.slice(NEAR.length).split('|');
    const [a, b] = [threshold, band].map((operand) =>
      operand.startsWith('param.')
        ? (params.get(operand.slice('param.'.length)) as Exact)
        : fractionOf(operand),
    );
    const [left, right] = [asFraction(a ?? 0), asFraction(b ?? 0)];
    params.set(value, { d: left.d * right.d, n: left.n * right.n });
    return `param.${value}`;
  }) as Condition;
}

/** A cheap test of a scope or a segment. What a transaction does not say is in no list. */
function scopeTest(scope: Scope): (entry: Entry) => boolean {
  const tests: ((entry: Entry) => boolean)[] = [];
  const within = (
    words: readonly string[] | undefined,
    of: (entry: Entry) => string | undefined,
  ) => {
    if (words === undefined) return;
    const set = new Set(words);
    tests.push((entry) => set.has(of(entry) ?? ''));
  };
  within(scope.directions, ({ texts }) => texts.direction);
  within(scope.channels, ({ texts }) => texts.channel);
  within(scope.products, ({ texts }) => texts.product);
  within(scope.currencies, ({ texts }) => texts.currency);
  within(scope.customer_types, ({ texts }) => texts.customer_type);
  within(scope.risk_tiers, ({ facts }) => facts.riskTier);
  return (entry) => tests.every((test) => test(entry));
}

/** The variant for a transaction. */
export function variantFor({ variants }: CompiledRule, entry: Entry): Variant {
  const found = variants.find(({ fits }) => fits(entry)) ?? variants.at(-1);
  if (found === undefined) throw new TypeError('a rule has a variant for every transaction');
  return found;
}

/** What the rule says of a transaction that is in its scope. */
export function judge(rule: CompiledRule, of: Evaluation): Verdict {
  const { extras, when } = variantFor(rule, of.entry);
  const truth = when.test(of);
  const unknown = truth === undefined ? [...of.unknown].sort() : [];
  let { severity } = rule.rule;
  let score = asFraction(fractionOf(rule.rule.score));
  for (const extra of truth === true ? extras : []) {
    if (extra.when.test(of) !== true) continue;
    score = { d: score.d * extra.weight.d, n: score.n * extra.weight.d + extra.weight.n * score.d };
    if (extra.severity !== undefined) severity = worse(severity, extra.severity);
  }
  if (of.entry.facts.riskTier === 'very_high') severity = oneUp(severity);
  const parts = Number(halfEven({ d: score.d, n: score.n * BigInt(SCORE_MAX) }));
  return { score: Math.min(SCORE_MAX, Math.max(0, parts)), severity, truth, unknown };
}

/** The more severe of two. */
export const worse = (one: Severity, other: Severity): Severity =>
  SEVERITIES.indexOf(one) <= SEVERITIES.indexOf(other) ? one : other;

const oneUp = (severity: Severity): Severity =>
  SEVERITIES[Math.max(0, SEVERITIES.indexOf(severity) - 1)] ?? severity;
