/**
 * Whether a document is a rule: every violation at once, each with its pointer and what was
 * expected. What passes is bounded: nothing that it asks for takes more than its limits say.
 */
import { type Violation, Violations } from '#core/kernel';
import { checkAggregate } from './checkAggregate.ts';
import { checkCondition, type Scoped } from './checkCondition.ts';
import { isDecimal } from './exactNumbers.ts';
import {
  AGGREGATE_KINDS,
  AGGREGATES_MAX,
  type AggregateName,
  LANGUAGES,
  LIST_MAX,
  MEMBERS_MAX,
  PARAM_TYPES,
  type Param,
  type ParamType,
  RULE_FORMAT,
  type Rule,
  SCOPE_WORDS,
  SEVERITIES,
  type Segment,
  SUBJECTS,
  type ValueKind,
  WINDOW_DAYS_MAX,
  WORDS_MAX,
} from './ruleLanguage.ts';
import { DAY_MS, spanMs } from './spans.ts';

const RULE_ID = /^[A-Z][A-Z0-9-]{2,39}$/;
const NAME = /^[a-z][a-z0-9_]{0,31}$/;
const COUNTRY = /^[A-Z]{2}$/;
const HOLE = /\{([^{}]*)\}/g;
const REACH_MS_MAX = WINDOW_DAYS_MAX * DAY_MS;
const MEMBERS = [
  'format',
  'rule_id',
  'name',
  'severity',
  'score',
  'typologies',
  'scope',
  'subject',
  'params',
  'segments',
  'let',
  'when',
  'extras',
  'suppress',
  'explain',
];

/** The rule, or all that is wrong with it. */
export type CheckedRule = { readonly rule: Rule } | { readonly violations: readonly Violation[] };

/** Nothing of the document is trusted. */
export function checkRule(document: unknown): CheckedRule {
  const found = new Violations();
  const rule = found.object(document, '', MEMBERS);
  if (rule === undefined) return { violations: found.all };
  found.oneOf(rule.format, '/format', [RULE_FORMAT]);
  found.text(rule.rule_id, '/rule_id', { expected: 'capitals, digits and hyphens', form: RULE_ID });
  found.oneOf(rule.severity, '/severity', SEVERITIES);
  found.oneOf(rule.subject, '/subject', SUBJECTS);
  checkPart(found, rule.score, '/score');
  found.texts(rule.typologies, '/typologies', { max: MEMBERS_MAX, min: 1 });
  checkWords(found, rule.name, '/name');
  if (rule.scope !== undefined) checkScope(found, rule.scope, '/scope');
  checkSuppress(found, rule.suppress);
  const params = checkParams(found, rule.params);
  const nodes = { count: 0 };
  const lets = checkLets({ found, lets: new Map(), nodes, params }, rule.let);
  const scoped: Scoped = { found, lets, nodes, params };
  checkCondition(scoped, rule.when, { depth: 1, pointer: '/when' });
  checkSegments(scoped, rule.segments);
  checkExtras(scoped, rule.extras);
  checkExplain(scoped, rule.explain);
  if (found.all.length > 0) return { violations: found.all };
  checkReach(found, document as Rule);
  return found.all.length > 0 ? { violations: found.all } : { rule: document as Rule };
}

/** Windows whose parts are parameters, with the values of each segment. */
function checkReach(found: Violations, rule: Rule): void {
  const sets = [{}, ...(rule.segments ?? []).map(({ params }) => params)];
  for (const [name, { window }] of Object.entries(rule.let)) {
    for (const params of sets) {
      const of = (span: string | undefined) =>
        span === undefined ? 0 : spanOf(rule, span, params);
      if (of(window?.sliding) + of(window?.until) <= REACH_MS_MAX) continue;
      found.add(`/let/${name}/window`, 'range', `expected ${WINDOW_DAYS_MAX} days at the most`);
    }
  }
}

/** Milliseconds of a span, or of a parameter that is one, with values of a segment. */
export function spanOf(rule: Rule, span: string, params: Segment['params'] = {}): number {
  if (!span.startsWith('param.')) return spanMs(span) ?? 0;
  const name = span.slice('param.'.length);
  return spanMs(String(params[name] ?? rule.params[name]?.value)) ?? 0;
}

/** A decimal from 0 to 1. */
function checkPart(found: Violations, value: unknown, pointer: string): void {
  const isPart =
    typeof value === 'string' && isDecimal(value) && /^(0(\.\d+)?|1(\.0+)?)$/.test(value);
  if (!isPart) found.add(pointer, 'range', 'expected a decimal string from 0 to 1');
}

function checkSuppress(found: Violations, value: unknown): void {
  const ms = typeof value === 'string' ? spanMs(value) : undefined;
  if (ms === undefined || ms <= 0) {
    found.add('/suppress', 'format', 'expected a span of ISO 8601 above zero, as P2D');
  } else if (ms > REACH_MS_MAX) {
    found.add('/suppress', 'range', `expected ${WINDOW_DAYS_MAX} days at the most`);
  }
}

function checkWords(found: Violations, value: unknown, pointer: string): void {
  const words = found.object(value, pointer, [...LANGUAGES]);
  for (const language of words === undefined ? [] : LANGUAGES) {
    found.text(words?.[language], `${pointer}/${language}`, { max: WORDS_MAX });
  }
}

function checkScope(found: Violations, value: unknown, pointer: string): void {
  const scope = found.object(value, pointer, Object.keys(SCOPE_WORDS));
  for (const [name, given] of Object.entries(scope ?? {})) {
    const words = SCOPE_WORDS[name];
    const at = `${pointer}/${name}`;
    found.texts(given, at, { max: MEMBERS_MAX, min: 1, ...(words && { words }) });
  }
}

/** The types of those that are well formed, by name. */
function checkParams(found: Violations, value: unknown): ReadonlyMap<string, ParamType> {
  const types = new Map<string, ParamType>();
  for (const [name, given] of Object.entries(found.record(value, '/params', MEMBERS_MAX) ?? {})) {
    const pointer = `/params/${name}`;
    if (!NAME.test(name)) found.add(pointer, 'format', 'expected small letters, digits and _');
    const param = found.object(given, pointer, ['type', 'value']);
    if (param === undefined) continue;
    if (!found.oneOf(param.type, `${pointer}/type`, PARAM_TYPES)) continue;
    const type = param.type as ParamType;
    types.set(name, type);
    checkValue(found, type, param.value, `${pointer}/value`);
  }
  return types;
}

const EXPECTED: Readonly<Record<ParamType, string>> = {
  amount: 'a decimal string, not negative',
  count: 'an integer from 0 to 1,000,000',
  country_set: `up to ${LIST_MAX} countries of ISO 3166 alpha-2`,
  duration: `a span of ISO 8601 up to ${WINDOW_DAYS_MAX} days, as P30D or PT48H`,
  list_ref: `up to ${LIST_MAX} texts`,
  ratio: 'a decimal string, not negative',
};

function checkValue(found: Violations, type: ParamType, value: unknown, pointer: string): void {
  if (!isValue(type, value as Param['value'])) {
    found.add(pointer, 'format', `expected ${EXPECTED[type]}`);
  }
}

function isValue(type: ParamType, value: Param['value']): boolean {
  if (type === 'count')
    return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 1e6;
  if (type === 'country_set' || type === 'list_ref') {
    if (!Array.isArray(value) || value.length > LIST_MAX) return false;
    const form = type === 'country_set' ? COUNTRY : undefined;
    return value.every(
      (one) => typeof one === 'string' && one.length <= WORDS_MAX && (form?.test(one) ?? true),
    );
  }
  if (typeof value !== 'string') return false;
  if (type === 'duration') return (spanMs(value) ?? Number.POSITIVE_INFINITY) <= REACH_MS_MAX;
  return isDecimal(value) && !value.startsWith('-');
}

/** What they come to, by name. An aggregate may name those above it, so that none names itself. */
function checkLets(scoped: Scoped, value: unknown): ReadonlyMap<string, ValueKind> {
  const known = new Map<string, ValueKind>();
  const given = scoped.found.record(value, '/let', AGGREGATES_MAX) ?? {};
  for (const [name, one] of Object.entries(given)) {
    const pointer = `/let/${name}`;
    if (!NAME.test(name))
      scoped.found.add(pointer, 'format', 'expected small letters, digits and _');
    checkAggregate({ ...scoped, lets: new Map(known) }, one, pointer);
    const agg = typeof one === 'object' && one !== null && 'agg' in one ? String(one.agg) : '';
    known.set(name, AGGREGATE_KINDS[agg as AggregateName] ?? 'plain');
  }
  return known;
}

function checkSegments({ found, params }: Scoped, value: unknown): void {
  if (value === undefined) return;
  for (const [at, given] of (found.list(value, '/segments', MEMBERS_MAX) ?? []).entries()) {
    const pointer = `/segments/${at}`;
    const segment = found.object(given, pointer, ['customer_types', 'risk_tiers', 'params']);
    if (segment === undefined) continue;
    const { params: values, ...scope } = segment;
    checkScope(found, scope, pointer);
    for (const [name, one] of Object.entries(
      found.record(values, `${pointer}/params`, MEMBERS_MAX) ?? {},
    )) {
      const type = params.get(name);
      if (type !== undefined) checkValue(found, type, one, `${pointer}/params/${name}`);
      else
        found.add(
          `${pointer}/params/${name}`,
          'unknown-member',
          'expected a parameter of the rule',
        );
    }
  }
}

function checkExtras(scoped: Scoped, value: unknown): void {
  if (value === undefined) return;
  const { found } = scoped;
  for (const [at, given] of (found.list(value, '/extras', MEMBERS_MAX) ?? []).entries()) {
    const pointer = `/extras/${at}`;
    const extra = found.object(given, pointer, ['when', 'weight', 'severity']);
    if (extra === undefined) continue;
    checkPart(found, extra.weight, `${pointer}/weight`);
    if (extra.severity !== undefined)
      found.oneOf(extra.severity, `${pointer}/severity`, SEVERITIES);
    checkCondition(scoped, extra.when, { depth: 1, pointer: `${pointer}/when` });
  }
}

/** Every hole of a template has a name that the rule knows. */
function checkExplain(scoped: Scoped, value: unknown): void {
  checkWords(scoped.found, value, '/explain');
  const texts = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  for (const [language, text] of texts) {
    for (const [, name = ''] of typeof text === 'string' ? text.matchAll(HOLE) : []) {
      if (isKnownName(scoped, name)) continue;
      const detail = `expected names of the rule in braces, as {let.sum} or {param.threshold}`;
      scoped.found.add(`/explain/${language}`, 'unknown-member', detail);
    }
  }
}

const isKnownName = ({ lets, params }: Scoped, name: string): boolean =>
  (name.startsWith('let.') && lets.has(name.slice(4))) ||
  (name.startsWith('param.') && params.has(name.slice(6))) ||
  name === 'tx.amount' ||
  name === 'tx.currency';
