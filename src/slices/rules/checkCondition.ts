/** Whether a tree of conditions compares what can be compared, within its limits. */

import type { Violations } from '#core/kernel';
import { isDecimal } from './exactNumbers.ts';
import {
  COMPARISONS,
  DEPTH_MAX,
  FACT_FIELDS,
  LIST_MAX,
  NODES_MAX,
  NUMBER_KINDS,
  PARAM_KINDS,
  type ParamType,
  TX_FIELDS,
  type ValueKind,
} from './ruleLanguage.ts';

/** What a check of a part of a rule knows of the rest. */
export interface Scoped {
  readonly found: Violations;
  readonly params: ReadonlyMap<string, ParamType>;
  /** Aggregates that may be used here, and what they come to. */
  readonly lets: ReadonlyMap<string, ValueKind>;
  readonly nodes: { count: number };
  /** Within a `where`: of the transaction itself alone. */
  readonly isFilter?: true;
}

const OPERATORS = ['all', 'any', 'not', ...COMPARISONS, 'in', 'exists', 'between'];

/** A node of the tree and where it stands. */
interface Place {
  readonly pointer: string;
  readonly depth: number;
}

/** Notes what is wrong with the tree. */
export function checkCondition(scoped: Scoped, value: unknown, { depth, pointer }: Place): void {
  const { found, nodes } = scoped;
  if (depth > DEPTH_MAX) {
    found.add(pointer, 'range', `expected a depth of ${DEPTH_MAX}`);
    return;
  }
  nodes.count += 1;
  if (nodes.count > NODES_MAX) {
    if (nodes.count === NODES_MAX + 1) found.add(pointer, 'range', `expected ${NODES_MAX} nodes`);
    return;
  }
  const node = found.object(value, pointer, [...OPERATORS, 'on_missing']);
  if (node === undefined) return;
  const named = OPERATORS.filter((name) => name in node);
  const [operator] = named;
  if (named.length !== 1 || operator === undefined) {
    found.add(pointer, 'missing', `expected exactly one of ${OPERATORS.join(', ')}`);
    return;
  }
  if (node.on_missing !== undefined && node.on_missing !== true) {
    found.add(`${pointer}/on_missing`, 'type', 'expected true, or nothing');
  }
  const at = `${pointer}/${operator}`;
  const given = node[operator];
  if (operator === 'not') {
    checkCondition(scoped, given, { depth: depth + 1, pointer: at });
    return;
  }
  if (operator === 'all' || operator === 'any') {
    for (const [place, child] of (found.list(given, at, NODES_MAX, 1) ?? []).entries()) {
      checkCondition(scoped, child, { depth: depth + 1, pointer: `${at}/${place}` });
    }
    return;
  }
  if (operator === 'exists') {
    checkExists(scoped, given, at);
    return;
  }
  if (operator === 'in') {
    checkIn(scoped, given, at);
    return;
  }
  checkComparison(scoped, operator, given, at);
}

function checkExists(scoped: Scoped, value: unknown, pointer: string): void {
  if (typeof value === 'string' && isName(value)) kindOf(scoped, value, pointer);
  else scoped.found.add(pointer, 'type', 'expected a name, as fact.opened_at or tx.channel');
}

function checkIn(scoped: Scoped, value: unknown, pointer: string): void {
  const [left, right] = scoped.found.list(value, pointer, 2, 2) ?? [];
  if (left === undefined) return;
  const kind = kindOf(scoped, left, `${pointer}/0`);
  if (kind !== undefined && kind !== 'text' && kind !== 'set') {
    scoped.found.add(`${pointer}/0`, 'type', 'expected a text or a set');
  }
  if (Array.isArray(right)) {
    scoped.found.texts(right, `${pointer}/1`, { max: LIST_MAX, min: 1 });
  } else if (kindOf(scoped, right, `${pointer}/1`) !== 'set') {
    scoped.found.add(
      `${pointer}/1`,
      'type',
      'expected a list of texts, or a parameter that is one',
    );
  }
}

function checkComparison(scoped: Scoped, operator: string, value: unknown, pointer: string): void {
  const count = operator === 'between' ? 3 : 2;
  const operands = scoped.found.list(value, pointer, count, count);
  if (operands === undefined) return;
  const kinds = operands.map((one, at) => kindOf(scoped, one, `${pointer}/${at}`));
  if (kinds.includes(undefined)) return;
  const isAlike = kinds.every((kind) => kind === kinds[0]);
  if (operator === 'eq' && isAlike && kinds[0] !== 'set') return;
  if (isAlike && NUMBER_KINDS.includes(kinds[0] ?? 'text')) return;
  const expected =
    operator === 'eq' ? 'values of one kind' : 'numbers, amounts or spans, of one kind';
  scoped.found.add(pointer, 'type', `expected ${expected}, got ${kinds.join(' and ')}`);
}

/** Whether a text names a value instead of being one. */
export const isName = (text: string): boolean => /^(tx|fact|param|let)\./.test(text);

/** The kind of an operand; undefined, with a violation, where there is no such value. */
export function kindOf(scoped: Scoped, operand: unknown, pointer: string): ValueKind | undefined {
  const { found, isFilter, lets, params } = scoped;
  if (typeof operand === 'boolean') return 'flag';
  if (typeof operand === 'number') {
    if (Number.isSafeInteger(operand)) return 'plain';
    found.add(pointer, 'type', 'expected an integer, or a decimal string as a parameter');
    return undefined;
  }
  if (typeof operand !== 'string' || operand.length > 200) {
    found.add(pointer, 'type', 'expected a name, a text, an integer or a flag');
    return undefined;
  }
  if (!isName(operand)) return isDecimal(operand) ? 'plain' : 'text';
  const [head, name = ''] = [
    operand.slice(0, operand.indexOf('.')),
    operand.slice(operand.indexOf('.') + 1),
  ];
  const kind = named({ head, name }, { isFilter, lets, params });
  if (kind === undefined) {
    const detail = isFilter
      ? 'expected a value of the transaction or a parameter: tx.… or param.…'
      : 'expected a name that there is: tx.…, fact.…, param.… or let.…';
    found.add(pointer, 'unknown-member', detail);
  }
  return kind;
}

function named(
  { head, name }: { readonly head: string; readonly name: string },
  {
    isFilter,
    lets,
    params,
  }: { readonly isFilter?: true | undefined } & Pick<Scoped, 'lets' | 'params'>,
): ValueKind | undefined {
  if (head === 'tx') return Object.hasOwn(TX_FIELDS, name) ? TX_FIELDS[name] : undefined;
  if (head === 'param') {
    const type = params.get(name);
    return type && PARAM_KINDS[type];
  }
  if (isFilter) return undefined;
  if (head === 'let') return lets.get(name);
  return Object.hasOwn(FACT_FIELDS, name) ? FACT_FIELDS[name] : undefined;
}
