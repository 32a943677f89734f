/** Simple types of a schema: what a value must be, and whether a text is one. */
import type { PatternMatcher } from './patternMatch.ts';

/** Forms of values. */
export type ValueForm = 'boolean' | 'date' | 'dateTime' | 'decimal' | 'string';

/** What a simple type asks of its values. */
export interface ValueRules {
  readonly base: ValueForm;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minInclusive?: string;
  readonly maxInclusive?: string;
  readonly fractionDigits?: number;
  /** In their order; empty: any. */
  readonly codes: readonly string[];
  /** One of each group has to match. */
  readonly patterns: readonly (readonly NamedPattern[])[];
}

/** A pattern with its text, for messages. */
export interface NamedPattern extends PatternMatcher {
  readonly text: string;
}

/** Why a text is no value of a type. */
export interface ValueFault {
  readonly code: 'too-long' | 'too-short' | 'format' | 'range' | 'code-unknown';
  readonly detail: string;
}

const SHOWN_CODES = 20;
const whole = (minInclusive?: string, maxInclusive?: string): ValueRules => ({
  base: 'decimal',
  codes: [],
  fractionDigits: 0,
  patterns: [],
  ...(minInclusive !== undefined && { minInclusive }),
  ...(maxInclusive !== undefined && { maxInclusive }),
});
const plain = (base: ValueForm): ValueRules => ({ base, codes: [], patterns: [] });

/** Types of the schema language itself. */
export const BUILT_INS: Readonly<Record<string, ValueRules>> = {
  anyURI: plain('string'),
  boolean: plain('boolean'),
  date: plain('date'),
  dateTime: plain('dateTime'),
  decimal: plain('decimal'),
  int: whole('-2147483648', '2147483647'),
  integer: whole(),
  long: whole('-9223372036854775808', '9223372036854775807'),
  nonNegativeInteger: whole('0'),
  normalizedString: plain('string'),
  positiveInteger: whole('1'),
  short: whole('-32768', '32767'),
  string: plain('string'),
  token: plain('string'),
};

const DECIMAL = /^[+-]?[0-9]{1,40}(?:[.][0-9]{1,40})?$/;
const DATE = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;
const EXPECTED: Readonly<Record<ValueForm, string>> = {
  boolean: 'true or false',
  date: 'a date, as 2026-01-31',
  dateTime: 'a date and time, as 2026-01-31T00:00:00',
  decimal: 'a decimal number',
  string: 'a text',
};
const DATE_TIME = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}$/;

/** Undefined where it is one. Nothing of the value stands in what is said of it. */
export function valueFault(rules: ValueRules, text: string): ValueFault | undefined {
  if (!isOfBase(rules.base, text)) {
    return { code: 'format', detail: `expected ${EXPECTED[rules.base]}` };
  }
  return lengthFault(rules, text) ?? rangeFault(rules, text) ?? spellingFault(rules, text);
}

function isOfBase(base: ValueForm, text: string): boolean {
  switch (base) {
    case 'boolean':
      return ['true', 'false', '1', '0'].includes(text);
    case 'date':
      return DATE.test(text) && isDay(text);
    case 'dateTime':
      return DATE_TIME.test(text) && isDay(text) && !Number.isNaN(Date.parse(`${text}Z`));
    case 'decimal':
      return DECIMAL.test(text);
    default:
      return true;
  }
}

/** The 30th of February is read as the 2nd of March. */
const isDay = (text: string): boolean => {
  const at = Date.parse(`${text.slice(0, 10)}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text.slice(0, 10));
};

function lengthFault({ maxLength, minLength }: ValueRules, text: string): ValueFault | undefined {
  const length = [...text].length;
  if (maxLength !== undefined && length > maxLength) {
    return { code: 'too-long', detail: `expected at most ${maxLength} characters, got ${length}` };
  }
  if (minLength === undefined || length >= minLength) return undefined;
  return { code: 'too-short', detail: `expected at least ${minLength} characters, got ${length}` };
}

function rangeFault(rules: ValueRules, text: string): ValueFault | undefined {
  const { base, fractionDigits, maxInclusive, minInclusive } = rules;
  const isLess = base === 'decimal' ? isLessDecimal : (a: string, b: string) => a < b;
  if (minInclusive !== undefined && isLess(text, minInclusive)) {
    return { code: 'range', detail: `expected ${minInclusive} or more` };
  }
  if (maxInclusive !== undefined && isLess(maxInclusive, text)) {
    return { code: 'range', detail: `expected ${maxInclusive} or less` };
  }
  const places = text.split('.')[1]?.length ?? 0;
  if (base !== 'decimal' || fractionDigits === undefined || places <= fractionDigits) return;
  return { code: 'range', detail: `expected at most ${fractionDigits} decimals` };
}

function spellingFault({ codes, patterns }: ValueRules, text: string): ValueFault | undefined {
  if (codes.length > 0 && !codes.includes(text)) {
    const more = codes.length > SHOWN_CODES ? ` and ${codes.length - SHOWN_CODES} more` : '';
    const shown = codes.slice(0, SHOWN_CODES).join(', ');
    return { code: 'code-unknown', detail: `expected one of ${shown}${more}` };
  }
  const broken = patterns.find((group) => !group.some((one) => one.matches(text)));
  if (broken === undefined) return undefined;
  return { code: 'format', detail: `expected ${broken.map((one) => one.text).join(' or ')}` };
}

/** Exact, however many digits there are. */
function isLessDecimal(one: string, other: string): boolean {
  const places = Math.max(...[one, other].map((text) => text.split('.')[1]?.length ?? 0));
  const [left = 0n, right = 0n] = [one, other].map((text) => {
    const [whole = '0', fraction = ''] = text.replace(/^[+-]/, '').split('.');
    const value = BigInt(whole + fraction.padEnd(places, '0'));
    return text.startsWith('-') ? -value : value;
  });
  return left < right;
}
