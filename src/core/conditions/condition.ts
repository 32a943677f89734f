/**
 * Conditions as they are written: groups of `all`, `any` and `not`, and comparisons of one field
 * with a value. They are JSON, so they are stored, hashed and shown as they stand.
 */

/** What a field may hold. Days are text, YYYY-MM-DD; words are a list, where each stands once. */
export type FieldKind = 'text' | 'number' | 'boolean' | 'date' | 'words';

/** A value that a field is compared with. */
export type ConditionValue = string | number | boolean;

/** Values by field. One that is undefined, null or not there is absent. */
export type FieldValues = Readonly<
  Record<string, ConditionValue | readonly string[] | null | undefined>
>;

/** Operators that compare, and those that ask whether there is a value at all. */
export const OPERATORS = [
  'eq',
  'ne',
  'in',
  'not_in',
  'lt',
  'le',
  'gt',
  'ge',
  'present',
  'absent',
] as const;
/** One of OPERATORS. */
export type Operator = (typeof OPERATORS)[number];

/** A comparison of one field. */
export type Comparison =
  | { readonly field: string; readonly op: 'present' | 'absent' }
  | { readonly field: string; readonly op: 'eq' | 'ne'; readonly value: ConditionValue }
  | {
      readonly field: string;
      readonly op: 'in' | 'not_in';
      readonly value: readonly ConditionValue[];
    }
  | {
      readonly field: string;
      readonly op: 'lt' | 'le' | 'gt' | 'ge';
      readonly value: string | number;
    };

/** A condition. */
export type Condition =
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition }
  | Comparison;

/** Groups within each other. A comparison alone has none. */
export const CONDITION_DEPTH_MAX = 4;
/** Comparisons of one condition. */
export const CONDITION_LEAVES_MAX = 32;
/** Values of one `in`: all countries are. */
export const CONDITION_VALUES_MAX = 300;
/** Characters of a text that is compared. */
export const CONDITION_TEXT_MAX = 200;

/** The fields that a condition names, each once, in its order. */
export function fieldsOf(condition: Condition): readonly string[] {
  const found = new Set<string>();
  const visit = (one: Condition): void => {
    if ('all' in one) one.all.forEach(visit);
    else if ('any' in one) one.any.forEach(visit);
    else if ('not' in one) visit(one.not);
    else found.add(one.field);
  };
  visit(condition);
  return [...found];
}
