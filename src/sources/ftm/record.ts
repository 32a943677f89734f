/**
 * One line of an FtM file: an entity (`id`, `schema`, `properties` of arrays of text) or, in a
 * delta, `{"op": "ADD" | "MOD" | "DEL", "entity": …}`.
 *
 * Most lines are entities that are read later. So `peek` gets id and schema from the first bytes
 * where the line has the publisher's usual order of members; any other line is parsed.
 */
import { isUtf8 } from 'node:buffer';
import { isObject } from '../isObject.ts';

export interface FtmEntity {
  readonly id: string;
  readonly caption?: string;
  readonly schema: string;
  readonly properties: Readonly<Record<string, readonly string[]>>;
  readonly datasets?: readonly string[];
  readonly referents?: readonly string[];
  readonly first_seen?: string;
  readonly last_seen?: string;
  readonly last_change?: string;
}

export type FtmLine =
  | { readonly op: 'ADD' | 'MOD' | 'DEL' | undefined; readonly entity: FtmEntity }
  | { readonly bad: string };

/** Start of a line in the usual order. An id contains no escape. */
const HEAD =
  /^\{"id": ?"([!#-[\]-~]{1,300})", ?"caption": ?"(?:[^"\\]|\\.)*", ?"schema": ?"([A-Za-z]+)"/;
const HEAD_BYTES = 768;
const TEXT_KEYS = ['caption', 'first_seen', 'last_seen', 'last_change'];
const LIST_KEYS = ['datasets', 'referents'];

/** Id and schema of a line, unparsed; undefined where the line must be parsed. */
export function peek(line: Buffer): { readonly id: string; readonly schema: string } | undefined {
  const match = HEAD.exec(line.toString('latin1', 0, HEAD_BYTES));
  const [, id, schema] = match ?? [];
  return id === undefined || schema === undefined ? undefined : { id, schema };
}

export function parseLine(line: Buffer): FtmLine {
  if (!isUtf8(line)) return { bad: 'bytes that are not UTF-8' };
  let value: unknown;
  try {
    value = JSON.parse(line.toString());
  } catch {
    return { bad: 'not JSON' };
  }
  if (!isObject(value)) return { bad: 'expected an object' };
  if (!('op' in value)) return checked(undefined, value);
  const { op, entity } = value;
  if (op !== 'ADD' && op !== 'MOD' && op !== 'DEL') return { bad: 'op: expected ADD, MOD or DEL' };
  if (!isObject(entity)) return { bad: 'entity: expected an object' };
  if (op !== 'DEL') return checked(op, entity);
  if (typeof entity.id !== 'string' || entity.id === '') return { bad: 'id: expected a text' };
  return { op, entity: { id: entity.id, schema: '', properties: {} } };
}

function checked(op: 'ADD' | 'MOD' | undefined, entity: Record<string, unknown>): FtmLine {
  if (typeof entity.id !== 'string' || entity.id === '') return { bad: 'id: expected a text' };
  if (typeof entity.schema !== 'string') return { bad: 'schema: expected a text' };
  if (!isObject(entity.properties)) return { bad: 'properties: expected an object' };
  for (const key in entity.properties) {
    if (!isTexts(entity.properties[key])) return { bad: `${label(key)}: expected texts` };
  }
  const text = TEXT_KEYS.find((key) => entity[key] != null && typeof entity[key] !== 'string');
  if (text) return { bad: `${text}: expected a text` };
  const list = LIST_KEYS.find((key) => entity[key] != null && !isTexts(entity[key]));
  if (list) return { bad: `${list}: expected texts` };
  return { op, entity: entity as unknown as FtmEntity };
}

function isTexts(value: unknown): value is readonly string[] {
  if (!Array.isArray(value)) return false;
  for (const item of value) if (typeof item !== 'string') return false;
  return true;
}

/** A property's name as the log may show it. */
const label = (key: string): string => (/^\w{1,64}$/.test(key) ? key : 'a property');
