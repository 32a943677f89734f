/**
 * Conditions by Kleene's strong logic: what is compared with a missing value is unknown, `not`
 * unknown is unknown, and a tree is unknown only where what is missing could decide it.
 */
import { compare, type Exact } from './exactNumbers.ts';
import { COMPARISONS, type Comparison, type Condition, type Operand } from './ruleLanguage.ts';
import {
  type Evaluation,
  type Lets,
  type Params,
  readerOf,
  type Value,
  type ValueOf,
} from './values.ts';

/** True, false, or unknown. */
export type Truth = boolean | undefined;

/** A compiled condition. */
export type Test = (of: Evaluation) => Truth;

/** One comparison of a tree, with the values that it compares: what an explanation lists. */
export interface Leaf {
  readonly operator: string;
  readonly operands: readonly (Operand | readonly string[])[];
  readonly values: readonly ValueOf[];
  readonly test: Test;
}

/** A compiled tree, and its comparisons from left to right. */
export interface CompiledCondition {
  readonly test: Test;
  readonly leaves: readonly Leaf[];
}

/** All true: true; one false: false; else unknown. */
export function allOf(truths: Iterable<Truth>): Truth {
  let truth: Truth = true;
  for (const one of truths) {
    if (one === false) return false;
    if (one === undefined) truth = undefined;
  }
  return truth;
}

/** One true: true; all false: false; else unknown. */
export function anyOf(truths: Iterable<Truth>): Truth {
  let truth: Truth = false;
  for (const one of truths) {
    if (one === true) return true;
    if (one === undefined) truth = undefined;
  }
  return truth;
}

/** True is false, and the other way round. */
export const notOf = (truth: Truth): Truth => (truth === undefined ? undefined : !truth);

/** Compiles a tree that was checked. */
export function compileCondition(
  condition: Condition,
  params: Params,
  lets: Lets,
): CompiledCondition {
  const { all, any, not } = condition;
  if (all !== undefined || any !== undefined) {
    const children = (all ?? any ?? []).map((child) => compileCondition(child, params, lets));
    const tests = children.map(({ test }) => test);
    const leaves = children.flatMap((child) => child.leaves);
    return { leaves, test: all === undefined ? anyTest(tests) : allTest(tests) };
  }
  if (not !== undefined) {
    const child = compileCondition(not, params, lets);
    return { leaves: child.leaves, test: (of) => notOf(child.test(of)) };
  }
  const leaf = leafOf(condition, params, lets);
  return { leaves: [leaf], test: leaf.test };
}

const allTest =
  (tests: readonly Test[]): Test =>
  (of) => {
    let truth: Truth = true;
    for (const test of tests) {
      const one = test(of);
      if (one === false) return false;
      if (one === undefined) truth = undefined;
    }
    return truth;
  };

const anyTest =
  (tests: readonly Test[]): Test =>
  (of) => {
    let truth: Truth = false;
    for (const test of tests) {
      const one = test(of);
      if (one === true) return true;
      if (one === undefined) truth = undefined;
    }
    return truth;
  };

function leafOf(condition: Condition, params: Params, lets: Lets): Leaf {
  const of = (operand: Operand) => readerOf(operand, params, lets);
  const missing = condition.on_missing === true ? true : undefined;
  if (condition.exists !== undefined) {
    const value = of(condition.exists);
    return {
      operands: [condition.exists],
      operator: 'exists',
      test: (one) => value(one) !== undefined,
      values: [value],
    };
  }
  if (condition.in !== undefined) return inLeaf(condition.in, of, missing);
  if (condition.between !== undefined) return betweenLeaf(condition.between, of, missing);
  const operator = COMPARISONS.find((name) => condition[name] !== undefined) ?? 'eq';
  const operands = condition[operator] ?? [];
  const [left = () => undefined, right = () => undefined] = operands.map(of);
  return {
    operands,
    operator,
    test: (one) => compared(operator, left(one), right(one)) ?? missing,
    values: [left, right],
  };
}

type Of = (operand: Operand) => ValueOf;

function inLeaf(operands: NonNullable<Condition['in']>, of: Of, missing: Truth): Leaf {
  const [left, right] = operands;
  const value = of(left as Operand);
  const set = Array.isArray(right) ? () => right as readonly string[] : of(right as Operand);
  return {
    operands,
    operator: 'in',
    test: (one) => {
      const of = value(one);
      const members = set(one);
      if (of === undefined || !Array.isArray(members)) return missing;
      return typeof of === 'object' && Array.isArray(of)
        ? of.some((each) => members.includes(each))
        : members.includes(of);
    },
    values: [value, set],
  };
}

function betweenLeaf(operands: readonly Operand[], of: Of, missing: Truth): Leaf {
  const values = operands.map(of);
  const [value = () => undefined, low = () => undefined, high = () => undefined] = values;
  return {
    operands,
    operator: 'between',
    test: (one) => {
      const within = value(one);
      const above = compared('gte', within, low(one));
      return allOf([above, compared('lte', within, high(one))]) ?? missing;
    },
    values,
  };
}

function compared(operator: Comparison, left: Value, right: Value): Truth {
  if (left === undefined || right === undefined) return undefined;
  if (typeof left === 'string' || typeof left === 'boolean') return left === right;
  const order = compare(left as Exact, right as Exact);
  if (operator === 'gt') return order > 0;
  if (operator === 'gte') return order >= 0;
  if (operator === 'lt') return order < 0;
  return operator === 'lte' ? order <= 0 : order === 0;
}
