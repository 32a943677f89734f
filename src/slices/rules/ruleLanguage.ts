/**
 * The language of rules, tm-rule v1: plain data with closed operators. A rule names amounts of time
 * and money as parameters, figures over windows of a subject's transactions as aggregates, and
 * compares them in a tree of conditions. There is no code in it, no regular expression, and nothing
 * that reads a clock: what a rule says of a transaction follows from transactions, facts and rates.
 */
import { SEVERITIES, type Severity } from '#slices/alerts';
import { CHANNELS, DIRECTIONS, PARTY_TYPES, RISK_TIERS } from '#slices/monitoring';

/** Name and version of the language. */
export const RULE_FORMAT = 'tm-rule-v1';

/** A text in the three languages of the service. */
export interface Words {
  readonly fr: string;
  readonly ar: string;
  readonly en: string;
}

/** Languages that texts have. */
export const LANGUAGES = ['fr', 'ar', 'en'] as const;

/** Whom an alert is about, and by whom aggregates are taken. */
export const SUBJECTS = ['account', 'customer', 'counterparty', 'pair'] as const;
/** One of SUBJECTS. */
export type SubjectKind = (typeof SUBJECTS)[number];

/** Kinds of parameters. */
export const PARAM_TYPES = [
  'amount',
  'count',
  'ratio',
  'duration',
  'country_set',
  'list_ref',
] as const;
/** One of PARAM_TYPES. */
export type ParamType = (typeof PARAM_TYPES)[number];

/** A parameter: a decimal string, a count, a span, or a list of texts. */
export interface Param {
  readonly type: ParamType;
  readonly value: string | number | readonly string[];
}

/** Aggregates that the language has. */
export const AGGREGATES = [
  'count',
  'sum',
  'max',
  'min',
  'avg',
  'stddev',
  'distinct',
  'ratio',
  'first_seen',
  'since_last',
  'near_below',
  'round_share',
  'same_amount',
  'in_out',
  'cycle',
  'fan',
  'gather',
] as const;
/** One of AGGREGATES. */
export type AggregateName = (typeof AGGREGATES)[number];

/** What `distinct` counts. */
export const DISTINCT_FIELDS = [
  'account',
  'channel',
  'counterparty',
  'counterparty_country',
  'currency',
] as const;
/** One of DISTINCT_FIELDS. */
export type DistinctField = (typeof DISTINCT_FIELDS)[number];
/** What may be seen for the first time. */
export const SEEN_FIELDS = ['counterparty', 'counterparty_country'] as const;

/** A window over a subject's transactions; it ends at the one that is looked at. */
export interface RuleWindow {
  /** A span, or `param.x`: left open, right closed. */
  readonly sliding?: string;
  /** A span, or `param.x`: the window ends so long before. */
  readonly until?: string;
  /** From the beginning of the day or month in the tenant's zone. */
  readonly calendar?: 'day' | 'month';
  /** `false` leaves out the transaction that is looked at. */
  readonly self?: boolean;
}

/** A value by name (`tx.`, `fact.`, `param.`, `let.`), or a literal. */
export type Operand = string | number | boolean;

/** A named figure. */
export interface Aggregate {
  readonly agg: AggregateName;
  readonly of?: string | readonly Operand[];
  readonly by?: SubjectKind;
  readonly window?: RuleWindow;
  readonly where?: Condition;
  /** For `first_seen`: how far back is looked. */
  readonly history?: string;
  /** For `in_out`, `cycle`, `fan`, `gather`. */
  readonly lag?: string;
  /** For `cycle` (a ratio), and of `same_amount`. */
  readonly tolerance?: Operand;
  /** For `cycle`. */
  readonly hops?: number;
  /** For `near_below`. */
  readonly threshold?: Operand;
  readonly band?: Operand;
  /** For `round_share`: whole units of the transaction's own currency. */
  readonly unit?: Operand;
  /** For `gather`: the least part that arrives. */
  readonly share?: Operand;
  /** For `ratio`: the quotient is multiplied by this decimal. */
  readonly times?: string;
}

/** Comparisons of two values. */
export const COMPARISONS = ['gt', 'gte', 'lt', 'lte', 'eq'] as const;
/** One of COMPARISONS. */
export type Comparison = (typeof COMPARISONS)[number];

/** One node of the tree; exactly one of its operators. */
export interface Condition {
  readonly all?: readonly Condition[];
  readonly any?: readonly Condition[];
  readonly not?: Condition;
  readonly gt?: readonly Operand[];
  readonly gte?: readonly Operand[];
  readonly lt?: readonly Operand[];
  readonly lte?: readonly Operand[];
  readonly eq?: readonly Operand[];
  /** A value or a set, and the set in which one of it has to be. */
  readonly in?: readonly (Operand | readonly string[])[];
  readonly exists?: string;
  /** Both bounds included. */
  readonly between?: readonly Operand[];
  /** The comparison holds where a value is missing. */
  readonly on_missing?: true;
}

/** A cheap filter before anything else; an absent member lets everything through. */
export interface Scope {
  readonly channels?: readonly string[];
  readonly products?: readonly string[];
  readonly directions?: readonly string[];
  readonly currencies?: readonly string[];
  readonly customer_types?: readonly string[];
  readonly risk_tiers?: readonly string[];
}

/** Words of members of a scope that are closed lists. */
export const SCOPE_WORDS: Readonly<Record<string, readonly string[] | undefined>> = {
  channels: CHANNELS,
  currencies: undefined,
  customer_types: PARTY_TYPES,
  directions: DIRECTIONS,
  products: undefined,
  risk_tiers: RISK_TIERS,
};

/** Other values of parameters for a segment of customers; the first segment that fits counts. */
export interface Segment {
  readonly customer_types?: readonly string[];
  readonly risk_tiers?: readonly string[];
  readonly params: Readonly<Record<string, Param['value']>>;
}

/** What raises score or severity of an alert, beside the rule itself. */
export interface Extra {
  readonly when: Condition;
  /** Decimal string, 0 to 1. */
  readonly weight: string;
  readonly severity?: Severity;
}

/** A rule. */
export interface Rule {
  readonly format: typeof RULE_FORMAT;
  readonly rule_id: string;
  readonly name: Words;
  readonly severity: Severity;
  /** Decimal string, 0 to 1. */
  readonly score: string;
  /** Where the scenario is described. */
  readonly typologies: readonly string[];
  readonly scope?: Scope;
  readonly subject: SubjectKind;
  readonly params: Readonly<Record<string, Param>>;
  readonly segments?: readonly Segment[];
  readonly let: Readonly<Record<string, Aggregate>>;
  readonly when: Condition;
  readonly extras?: readonly Extra[];
  /** A span: triggers of one bucket of this length are one alert. */
  readonly suppress: string;
  /** Templates with `{let.x}`, `{param.x}`, `{tx.x}`. */
  readonly explain: Words;
}

/** What a value is: money is compared with money, and a span with a span. */
export type ValueKind = 'plain' | 'amount' | 'span' | 'text' | 'flag' | 'set';
/** Kinds that have an order. */
export const NUMBER_KINDS: readonly ValueKind[] = ['plain', 'amount', 'span'];

/** What parameters are. */
export const PARAM_KINDS: Readonly<Record<ParamType, ValueKind>> = {
  amount: 'amount',
  count: 'plain',
  country_set: 'set',
  duration: 'span',
  list_ref: 'set',
  ratio: 'plain',
};

/** What aggregates come to; a ratio is plain, whatever it is a ratio of. */
export const AGGREGATE_KINDS: Readonly<Record<AggregateName, ValueKind>> = {
  avg: 'amount',
  count: 'plain',
  cycle: 'plain',
  distinct: 'plain',
  fan: 'plain',
  first_seen: 'plain',
  gather: 'plain',
  in_out: 'plain',
  max: 'amount',
  min: 'amount',
  near_below: 'plain',
  ratio: 'plain',
  round_share: 'plain',
  same_amount: 'plain',
  since_last: 'span',
  stddev: 'amount',
  sum: 'amount',
};

/** Values of the transaction that is looked at, and of each that a `where` filters. */
export const TX_FIELDS: Readonly<Record<string, ValueKind>> = {
  account: 'text',
  amount: 'amount',
  channel: 'text',
  counterparty: 'text',
  counterparty_country: 'text',
  countries: 'set',
  cross_border: 'flag',
  currency: 'text',
  customer: 'text',
  customer_type: 'text',
  direction: 'text',
  info_missing: 'flag',
  product: 'text',
  purpose: 'text',
  status: 'text',
  text_terms: 'set',
  verdicts: 'set',
};

/** Values of the customer at the time of the transaction. */
export const FACT_FIELDS: Readonly<Record<string, ValueKind>> = {
  age: 'span',
  expected_turnover: 'amount',
  residence: 'text',
  risk_tier: 'text',
};

export { SEVERITIES, type Severity };

/** Aggregates of one rule. */
export const AGGREGATES_MAX = 8;
/** Levels of a tree of conditions. */
export const DEPTH_MAX = 8;
/** Nodes of all trees of a rule. */
export const NODES_MAX = 200;
/** Days that a window reaches back. */
export const WINDOW_DAYS_MAX = 400;
/** Payments of a circle. */
export const HOPS_MAX = 6;
/** Payments that are looked at for one circle or gathering; over it the result is unknown. */
export const VISITS_MAX = 2_000;
/** Rules in force of a tenant. */
export const PUBLISHED_MAX = 200;
/** Texts of a list of a rule. */
export const LIST_MAX = 1_000;
/** Parameters, segments, extras and typologies of a rule, each. */
export const MEMBERS_MAX = 32;
/** Characters of a text of a rule. */
export const WORDS_MAX = 1_000;
