/**
 * A condition as a function. It assumes that checkCondition found nothing wrong. A field that is
 * absent is equal to nothing and neither less nor more: `ne` and `not_in` are the exact opposites
 * of `eq` and `in`, and so hold for it. A list of words is equal to each word that it has.
 */
import type { Comparison, Condition, ConditionValue, FieldValues } from './condition.ts';

/** Whether a condition holds. */
export type Holds = (values: FieldValues) => boolean;

type Value = FieldValues[string];

/** The condition, compiled once for many evaluations. */
export function compileCondition(condition: Condition): Holds {
  if ('all' in condition) {
    const inner = condition.all.map(compileCondition);
    return (values) => inner.every((holds) => holds(values));
  }
  if ('any' in condition) {
    const inner = condition.any.map(compileCondition);
    return (values) => inner.some((holds) => holds(values));
  }
  if ('not' in condition) {
    const holds = compileCondition(condition.not);
    return (values) => !holds(values);
  }
  const { field } = condition;
  const test = testOf(condition);
  return (values) => test(Object.hasOwn(values, field) ? values[field] : undefined);
}

function testOf(of: Comparison): (value: Value) => boolean {
  switch (of.op) {
    case 'present':
      return isPresent;
    case 'absent':
      return (value) => !isPresent(value);
    case 'eq':
      return (value) => isEqual(value, of.value);
    case 'ne':
      return (value) => !isEqual(value, of.value);
    case 'in':
      return isAmong(of.value);
    case 'not_in': {
      const among = isAmong(of.value);
      return (value) => !among(value);
    }
    default:
      return orderOf(of.op, of.value);
  }
}

const isPresent = (value: Value): boolean => value !== undefined && value !== null;

const isEqual = (value: Value, wanted: ConditionValue): boolean =>
  typeof value === 'object' && value !== null ? value.includes(wanted as string) : value === wanted;

function isAmong(wanted: readonly ConditionValue[]): (value: Value) => boolean {
  const all: ReadonlySet<Value> = new Set(wanted);
  return (value) =>
    typeof value === 'object' && value !== null
      ? value.some((one) => all.has(one))
      : all.has(value);
}

function orderOf(
  op: 'lt' | 'le' | 'gt' | 'ge',
  wanted: string | number,
): (value: Value) => boolean {
  // Days compare as their text does.
  const isLike = (value: Value): value is string | number => typeof value === typeof wanted;
  switch (op) {
    case 'lt':
      return (value) => isLike(value) && value < wanted;
    case 'le':
      return (value) => isLike(value) && value <= wanted;
    case 'gt':
      return (value) => isLike(value) && value > wanted;
    case 'ge':
      return (value) => isLike(value) && value >= wanted;
  }
}
