/**
 * Whether a document is a condition over the fields that may be asked there, with every violation
 * and where it stands. A field that is not known yet cannot be named, so no cycle can be written.
 */
import type { Violation } from '#core/kernel';
import {
  CONDITION_DEPTH_MAX,
  CONDITION_LEAVES_MAX,
  CONDITION_TEXT_MAX,
  CONDITION_VALUES_MAX,
  type FieldKind,
  OPERATORS,
  type Operator,
} from './condition.ts';

/** A field that a condition may ask. */
export interface KnownField {
  readonly kind: FieldKind;
  /** The words that it may hold; absent: any. */
  readonly words?: readonly string[];
}

/** The fields that a condition may ask. */
export type KnownFields = ReadonlyMap<string, KnownField>;

const DAY = /^\d{4}-\d\d-\d\d$/;

/** Empty: the document is a Condition. */
export function checkCondition(
  document: unknown,
  { known, pointer = '' }: { readonly known: KnownFields; readonly pointer?: string },
): readonly Violation[] {
  const check = new Check(known);
  check.condition(document, pointer, 0);
  if (check.leaves > CONDITION_LEAVES_MAX) {
    check.add(pointer, 'range', `expected ${CONDITION_LEAVES_MAX} comparisons at the most`);
  }
  return check.violations;
}

/** Whether there is such a day. */
export function isDay(value: unknown): value is string {
  if (typeof value !== 'string' || !DAY.test(value)) return false;
  const at = new Date(`${value}T00:00:00.000Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(value);
}

type Members = Readonly<Record<string, unknown>>;

class Check {
  readonly violations: Violation[] = [];
  readonly #known: KnownFields;
  leaves = 0;

  constructor(known: KnownFields) {
    this.#known = known;
  }

  add(pointer: string, code: string, detail: string): void {
    this.violations.push({ code, detail, pointer });
  }

  condition(document: unknown, pointer: string, depth: number): void {
    // Once it is too long nothing more of it is looked at.
    if (this.leaves > CONDITION_LEAVES_MAX) return;
    if (typeof document !== 'object' || document === null || Array.isArray(document)) {
      this.add(pointer, 'type', 'expected an object: all, any, not, or field, op and value');
      return;
    }
    const members = document as Members;
    if (Object.hasOwn(members, 'field')) {
      this.#comparison(members, pointer);
      return;
    }
    const [name, ...others] = Object.keys(members);
    if (name === undefined || others.length > 0 || !GROUPS.has(name)) {
      this.add(pointer, 'type', 'expected one of all, any, not, or field, op and value');
      return;
    }
    this.#group(members[name], { depth: depth + 1, name, pointer: `${pointer}/${name}` });
  }

  #group(
    inner: unknown,
    of: { readonly depth: number; readonly name: string; readonly pointer: string },
  ): void {
    const { depth, name, pointer } = of;
    if (depth > CONDITION_DEPTH_MAX) {
      this.add(
        pointer,
        'range',
        `expected at most ${CONDITION_DEPTH_MAX} groups within each other`,
      );
      return;
    }
    if (name === 'not') {
      this.condition(inner, pointer, depth);
      return;
    }
    if (!Array.isArray(inner) || inner.length === 0 || inner.length > CONDITION_LEAVES_MAX) {
      this.add(pointer, 'type', `expected a list of 1 to ${CONDITION_LEAVES_MAX} conditions`);
      return;
    }
    for (const [at, one] of inner.entries()) this.condition(one, `${pointer}/${at}`, depth);
  }

  #comparison(members: Members, pointer: string): void {
    this.leaves++;
    const { field, op, value } = members;
    for (const name of Object.keys(members)) {
      if (!MEMBERS.has(name)) {
        this.add(`${pointer}/${name}`, 'unknown-member', 'expected field, op and value');
      }
    }
    const known = typeof field === 'string' ? this.#known.get(field) : undefined;
    if (known === undefined) {
      this.add(`${pointer}/field`, 'unknown', 'expected a field that is known here');
    }
    if (!OPERATORS.includes(op as Operator)) {
      this.add(`${pointer}/op`, 'unknown', `expected one of ${OPERATORS.join(', ')}`);
      return;
    }
    if (known !== undefined) this.#value(value, { known, op: op as Operator, pointer });
  }

  #value(
    value: unknown,
    of: { readonly known: KnownField; readonly op: Operator; readonly pointer: string },
  ): void {
    const { known, op } = of;
    const pointer = `${of.pointer}/value`;
    if (op === 'present' || op === 'absent') {
      if (value !== undefined) this.add(pointer, 'unknown-member', `expected none for ${op}`);
      return;
    }
    if (op === 'in' || op === 'not_in') {
      if (!Array.isArray(value) || value.length === 0 || value.length > CONDITION_VALUES_MAX) {
        this.add(pointer, 'type', `expected a list of 1 to ${CONDITION_VALUES_MAX} values`);
        return;
      }
      for (const [at, one] of value.entries()) this.#scalar(one, known, `${pointer}/${at}`);
      return;
    }
    if (op !== 'eq' && op !== 'ne' && known.kind !== 'number' && known.kind !== 'date') {
      this.add(`${of.pointer}/op`, 'type', `expected a number or a day for ${op}`);
      return;
    }
    this.#scalar(value, known, pointer);
  }

  #scalar(value: unknown, { kind, words }: KnownField, pointer: string): void {
    if (!IS_OF[kind](value)) {
      const code = value === undefined ? 'missing' : 'type';
      this.add(pointer, code, `expected ${WORDS_OF[kind]}`);
    } else if (words !== undefined && !words.includes(value as string)) {
      this.add(pointer, 'unknown', 'expected a value that the field may have');
    }
  }
}

const GROUPS: ReadonlySet<string> = new Set(['all', 'any', 'not']);
const MEMBERS: ReadonlySet<string> = new Set(['field', 'op', 'value']);

const isText = (value: unknown): boolean =>
  typeof value === 'string' && value.length > 0 && value.length <= CONDITION_TEXT_MAX;
const IS_OF: Readonly<Record<FieldKind, (value: unknown) => boolean>> = {
  boolean: (value) => typeof value === 'boolean',
  date: isDay,
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  text: isText,
  words: isText,
};
const TEXT = `a text of 1 to ${CONDITION_TEXT_MAX} characters`;
const WORDS_OF: Readonly<Record<FieldKind, string>> = {
  boolean: 'true or false',
  date: 'a day, YYYY-MM-DD',
  number: 'a number',
  text: TEXT,
  words: TEXT,
};
