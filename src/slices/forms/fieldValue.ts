/**
 * The value of one field, as it was typed or sent: made uniform, and judged. Arabic-Indic digits
 * are taken in numbers, days and phone numbers, and become ASCII. What is empty is absent.
 */
import { isDay } from '#core/conditions';
import { maxLengthOf } from './canonicalFields.ts';
import { isWithin } from './dayBounds.ts';
import type { FieldType, FormField } from './definition.ts';
import { VALUE_CHARS_MAX } from './limits.ts';
import { passesCheck } from './valueChecks.ts';

/** A value as it is kept. */
export type FormValue = string | number | boolean | readonly string[];

/** What is wrong with a value. */
export type ValueFault =
  | 'required'
  | 'type'
  | 'option'
  | 'too-short'
  | 'too-long'
  | 'min'
  | 'max'
  | 'min-date'
  | 'max-date'
  | 'pattern'
  | 'check';

/** Faults that a draft may not have either. */
export const DRAFT_FAULTS: ReadonlySet<ValueFault> = new Set(['option', 'too-long', 'type']);

/** What values are judged with. */
export interface ValueContext {
  /** YYYY-MM-DD, where the form is filled in. */
  readonly today: string;
  /** Whether a whole text matches a pattern: each engine compiles its own. */
  readonly matchesOf: (pattern: string) => (text: string) => boolean;
  readonly isCountry: (code: string) => boolean;
}

/** Undefined: there is no value. */
export type JudgedValue =
  | { readonly value: FormValue | undefined }
  | { readonly fault: ValueFault };

const CONTROL = /\p{Cc}/u;
const CONTROL_BUT_BREAKS = /[^\P{Cc}\n\r\t]/u;
const PARTIAL = /^\d{4}(-\d\d)?$/;
const INTEGER = /^[+-]?\d{1,15}$/;
const DECIMAL = /^[+-]?\d{1,15}([.,]\d{1,6})?$/;
/** Digits that a double keeps, whatever they are. */
const DIGITS_MAX = 15;
const PHONE = /^\+[1-9]\d{6,14}$/;
const EMAIL = /^[^@\p{Cc} ]{1,64}@[A-Za-z0-9.-]{1,189}$/u;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Arabic-Indic and Persian digits as ASCII. */
export const asciiDigits = (text: string): string =>
  text.replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) =>
    String((digit.codePointAt(0) ?? 0) & 0xf),
  );

/** The value as it is kept, or what is wrong with it. */
export function judgeValue(field: FormField, given: unknown, context: ValueContext): JudgedValue {
  const read = READERS[field.type](given, field, context);
  if (read === undefined) return { fault: 'type' };
  if (read === ABSENT) return { value: undefined };
  if (typeof read === 'object' && 'fault' in read) return read;
  const value = read as FormValue;
  const fault = ruleFault(field, value, context);
  return fault === undefined ? { value } : { fault };
}

const ABSENT = Symbol('absent');
/** Undefined: not of this type. */
type Read = FormValue | typeof ABSENT | { readonly fault: ValueFault } | undefined;
type Reader = (given: unknown, field: FormField, context: ValueContext) => Read;

/** A text, trimmed, with its own reading; what is blank is absent. */
const ofText =
  (
    read: (text: string, field: FormField, context: ValueContext) => Read,
    control = CONTROL,
  ): Reader =>
  (given, field, context) => {
    if (typeof given !== 'string') return undefined;
    const text = given.trim();
    if (text === '') return ABSENT;
    if (text.length > 2 * VALUE_CHARS_MAX) return { fault: 'too-long' };
    return control.test(text) ? undefined : read(text, field, context);
  };

const optionOf = (field: FormField, value: string): Read =>
  field.options?.some((one) => one.value === value) ? value : { fault: 'option' };

function number(given: unknown, form: RegExp): Read {
  const text = typeof given === 'number' ? String(given) : given;
  if (typeof text !== 'string') return undefined;
  const plain = asciiDigits(text.trim()).replace('\u066b', '.');
  if (plain === '') return ABSENT;
  if (!form.test(plain)) return undefined;
  if (plain.replace(/^[+-]?0*|[.,]/g, '').length > DIGITS_MAX) return undefined;
  // No negative zero: JSON has none.
  return Number(plain.replace(',', '.')) + 0;
}

const READERS: Readonly<Record<FieldType, Reader>> = {
  boolean: (given) => (typeof given === 'boolean' ? given : undefined),
  choice: ofText((text, field) => optionOf(field, text)),
  // What was not agreed to is not there.
  consent: (given) => (typeof given === 'boolean' ? given || ABSENT : undefined),
  country: ofText((text, _, { isCountry }) => (isCountry(text) ? text : { fault: 'option' })),
  date: ofText((text) => {
    const day = asciiDigits(text);
    return isDay(day) ? day : undefined;
  }),
  decimal: (given) => number(given, DECIMAL),
  document: ofText((text) => (UUID.test(text) ? text : undefined)),
  email: ofText((text) => (EMAIL.test(text) ? text : undefined)),
  info: () => undefined,
  integer: (given) => number(given, INTEGER),
  multi_choice(given, field) {
    if (!Array.isArray(given)) return undefined;
    if (given.length === 0) return ABSENT;
    if (given.some((one) => typeof one !== 'string')) return undefined;
    if (new Set(given).size !== given.length) return { fault: 'option' };
    const known = new Set(field.options?.map(({ value }) => value));
    return given.every((one) => known.has(one)) ? (given as string[]) : { fault: 'option' };
  },
  partial_date: ofText((text) => {
    const day = asciiDigits(text);
    if (!PARTIAL.test(day)) return isDay(day) ? day : undefined;
    return isDay(`${day}${day.length === 4 ? '-01' : ''}-01`) ? day : undefined;
  }),
  phone: ofText((text) => {
    const digits = asciiDigits(text)
      .replace(/[ ().-]/g, '')
      .replace(/^00/, '+');
    return PHONE.test(digits) ? digits : undefined;
  }),
  text: ofText((text) => text),
  textarea: ofText((text) => text, CONTROL_BUT_BREAKS),
};

function ruleFault(
  field: FormField,
  value: FormValue,
  context: ValueContext,
): ValueFault | undefined {
  const { validation = {} } = field;
  if (typeof value === 'number') {
    if (validation.min !== undefined && value < validation.min) return 'min';
    return validation.max !== undefined && value > validation.max ? 'max' : undefined;
  }
  if (typeof value !== 'string') return undefined;
  if (field.type === 'date' || field.type === 'partial_date') {
    const { max_date: max, min_date: min } = validation;
    const { isEarly, isLate } = isWithin(value, { max, min }, context.today);
    if (isEarly) return 'min-date';
    return isLate ? 'max-date' : undefined;
  }
  return textFault(field, value, context);
}

function textFault(
  field: FormField,
  value: string,
  { matchesOf }: ValueContext,
): ValueFault | undefined {
  const { check, min_length: min = 0, pattern } = field.validation ?? {};
  const length = [...value].length;
  if (length < min) return 'too-short';
  if (length > maxLengthOf(field)) return 'too-long';
  if (pattern !== undefined && !matchesOf(pattern)(value)) return 'pattern';
  return check !== undefined && !passesCheck(check, value) ? 'check' : undefined;
}
