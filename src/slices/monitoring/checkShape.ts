/**
 * Whether a value has a shape: every violation with its pointer, never the value. Nothing is
 * changed and nothing guessed: a number is no string.
 */
import type { Violation } from '#core/kernel';
import { isDate, readInstant } from './instants.ts';
import type { ObjectShape, Shape } from './shapes.ts';

/** Violations that are told of one value; more of them say the same. */
const TOLD_MAX = 20;
const COUNTRY = /^[A-Z]{2}$/;
/** Control characters but tab and line ends: no text of a message holds them. */
const CONTROLS = /[^\P{Cc}\t\n\r]/u;
const KEY = /^[a-z0-9_]{1,64}$/;
const RECORD_TEXT_MAX = 256;

/** What is wrong with the value; empty where it has the shape. */
export function violationsOf(value: unknown, shape: Shape): readonly Violation[] {
  const found: Violation[] = [];
  check(value, shape, '', found);
  return found;
}

function check(value: unknown, shape: Shape, pointer: string, found: Violation[]): void {
  if (found.length >= TOLD_MAX) return;
  if (shape.kind === 'object') checkObject(value, shape, pointer, found);
  else if (shape.kind === 'list') checkList(value, shape, pointer, found);
  else if (shape.kind === 'record') checkRecord(value, shape.max, pointer, found);
  else if (shape.kind === 'count') checkCount(value, shape.max, pointer, found);
  else if (shape.kind === 'flag') checkFlag(value, pointer, found);
  else if (typeof value === 'string') checkText(value, shape, pointer, found);
  else tell(found, pointer, 'type', 'expected a string');
}

type TextShape = Exclude<Shape, { readonly kind: 'object' | 'list' | 'record' | 'count' | 'flag' }>;

function checkFlag(value: unknown, pointer: string, found: Violation[]): void {
  if (typeof value !== 'boolean') tell(found, pointer, 'type', 'expected true or false');
}

function checkCount(value: unknown, max: number, pointer: string, found: Violation[]): void {
  if (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= max) return;
  tell(found, pointer, 'range', `expected a whole number from 0 to ${max}`);
}

function checkText(value: string, shape: TextShape, pointer: string, found: Violation[]): void {
  const fault = textFault(value, shape);
  if (fault !== undefined) tell(found, pointer, ...fault);
}

function textFault(value: string, shape: TextShape): [code: string, detail: string] | undefined {
  if (value.trim() === '') return ['missing', 'expected a text, found none'];
  if (CONTROLS.test(value)) return ['format', 'expected no control characters'];
  switch (shape.kind) {
    case 'text':
      if (value.length <= shape.max) return undefined;
      return ['too-long', `expected at most ${shape.max} characters`];
    case 'form':
      return shape.form.test(value) ? undefined : ['format', `expected ${shape.expected}`];
    case 'word':
      if (shape.words.has(value)) return undefined;
      return ['format', `expected one of ${[...shape.words].join(', ')}`];
    case 'country':
      if (COUNTRY.test(value)) return undefined;
      return ['format', 'expected a country of two letters (ISO 3166)'];
    case 'date':
      return isDate(value) ? undefined : ['format', 'expected a date, YYYY-MM-DD'];
    case 'instant':
      if (readInstant(value, 'UTC') !== undefined) return undefined;
      return ['format', 'expected a time of RFC 3339, or a date'];
  }
}

function checkObject(
  value: unknown,
  { members, required }: ObjectShape,
  pointer: string,
  found: Violation[],
): void {
  if (!isRecord(value)) {
    tell(found, pointer, 'type', 'expected an object');
    return;
  }
  for (const name of required) {
    if (Object.hasOwn(value, name)) continue;
    tell(found, `${pointer}/${name}`, 'missing', 'expected this member');
  }
  for (const name of Object.keys(value)) {
    const shape = Object.hasOwn(members, name) ? members[name] : undefined;
    const at = `${pointer}/${escaped(name)}`;
    if (shape === undefined) tell(found, at, 'unknown-member', 'expected no such member');
    else check(value[name], shape, at, found);
  }
}

function checkList(
  value: unknown,
  { max, of }: { readonly max: number; readonly of: Shape },
  pointer: string,
  found: Violation[],
): void {
  if (!Array.isArray(value)) {
    tell(found, pointer, 'type', 'expected an array');
    return;
  }
  if (value.length > max) {
    tell(found, pointer, 'range', `expected at most ${max} elements`);
    return;
  }
  for (let at = 0; at < value.length; at++) check(value[at], of, `${pointer}/${at}`, found);
}

function checkRecord(value: unknown, max: number, pointer: string, found: Violation[]): void {
  if (!isRecord(value)) {
    tell(found, pointer, 'type', 'expected an object');
    return;
  }
  const names = Object.keys(value);
  if (names.length > max) tell(found, pointer, 'range', `expected at most ${max} members`);
  for (const name of names.slice(0, max)) {
    const at = `${pointer}/${escaped(name)}`;
    if (!KEY.test(name)) tell(found, at, 'unknown-member', 'expected a name of a-z, 0-9 and _');
    else check(value[name], { kind: 'text', max: RECORD_TEXT_MAX }, at, found);
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A name as a part of a pointer; a name of a stranger's choice is not told at length. */
const escaped = (name: string): string =>
  name.slice(0, 64).replaceAll('~', '~0').replaceAll('/', '~1');

function tell(found: Violation[], pointer: string, code: string, detail: string): void {
  if (found.length < TOLD_MAX) found.push({ code, detail, pointer });
}
