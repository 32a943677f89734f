/**
 * An example of an answer that has none of its own: a value that its schema takes, made of values
 * that a reader knows. It is made for the description alone, and a test validates all of them.
 */
import { Type } from 'typebox';
import { isObject, type Json, type JsonObject } from './openapiComponents.ts';
import { compileSchema, type Validate } from './validate.ts';

/** Below this, members that an answer may lack are left out: a page shows, and does not tire. */
const OPTIONAL_DEPTH_MAX = 2;
const UUID = '0198f3c2-7a51-7c3e-9d10-4f6b2a8e5c31';
const INSTANT = '2026-05-04T09:30:00.000Z';

/** By the name of the member, where it says more than the type. */
const BY_NAME: Readonly<Record<string, string>> = {
  assignee: UUID,
  comment: 'Another date of birth',
  currency: 'EUR',
  detail: 'Another date of birth',
  email: 'amina@bank.example',
  external_id: 'C-1017',
  file_name: 'customers.csv',
  full_name: 'Tarek Velmorani',
  full_name_ar: 'طارق فلموراني',
  list: 'OFAC_SDN',
  list_source: 'OFAC_SDN',
  list_version: 'v2026-05-04.a',
  name: 'Example',
  next_cursor: 'eyJrIjoxfQ',
  primary_name: 'Tarek Velmorani',
  record_id: 'OFAC-36',
  source: 'OFAC_SDN',
  subject_ref: 'C-1017',
  url: 'https://hooks.bank.example/compliance',
};

const BY_FORMAT: Readonly<Record<string, string>> = {
  'date-time': INSTANT,
  date: '2026-05-04',
  uri: 'https://hooks.bank.example/compliance',
  uuid: UUID,
};

/** For patterns: the first that fits. */
const TEXTS: readonly string[] = [
  'text',
  'TN',
  'EUR',
  '2026-05-04',
  INSTANT,
  '2026',
  '1000.00',
  '17',
  'fr-TN',
  'amina@bank.example',
  '+21671000000',
  '98Q96B.00000.LE.250',
  'https://hooks.bank.example/compliance',
  'a1'.repeat(32),
  `00-${'a1'.repeat(16)}-${'b2'.repeat(8)}-01`,
  `${UUID}:${UUID}`,
  `t=1777887000,v1=${'a1'.repeat(32)}`,
  `v1,${'A'.repeat(43)}=`,
  '-----BEGIN CERTIFICATE-----',
];

/** Undefined where no value is known that the schema takes. */
export function exampleOf(schema: JsonObject, name = '', depth = 0): Json | undefined {
  const { anyOf, const: only, default: usual, enum: words, examples, type } = schema;
  if (Array.isArray(examples)) return examples[0];
  if (Array.isArray(words)) return words[0];
  if (only !== undefined) return only;
  if (usual !== undefined) return usual;
  if (Array.isArray(anyOf)) return firstOf(anyOf, name, depth);
  const kind = Array.isArray(type) ? type.find((one) => one !== 'null') : type;
  if (kind === 'object' || isObject(schema.properties)) return objectOf(schema, depth);
  if (kind === 'array') return arrayOf(schema, name, depth);
  if (kind === 'string') return textOf(schema, name);
  if (kind === 'boolean') return true;
  if (kind === 'number' || kind === 'integer') return numberOf(schema);
  return kind === 'null' ? null : {};
}

function firstOf(schemas: readonly Json[], name: string, depth: number): Json | undefined {
  for (const one of schemas) {
    if (!isObject(one) || one.type === 'null') continue;
    const found = exampleOf(one, name, depth);
    if (found !== undefined) return found;
  }
  return null;
}

function objectOf(schema: JsonObject, depth: number): JsonObject | undefined {
  const { properties = {}, required } = schema;
  const needed = new Set(Array.isArray(required) ? required : []);
  const members: Record<string, Json> = {};
  for (const [name, member] of Object.entries(isObject(properties) ? properties : {})) {
    if (!needed.has(name) && depth >= OPTIONAL_DEPTH_MAX) continue;
    const found = isObject(member) ? exampleOf(member, name, depth + 1) : undefined;
    if (found !== undefined) members[name] = found;
    else if (needed.has(name)) return undefined;
  }
  if (Object.keys(members).length >= Number(schema.minProperties ?? 0)) return members;
  return freeMember(schema, depth);
}

/** A member of a map, whose names are the caller's own. */
function freeMember({ patternProperties }: JsonObject, depth: number): JsonObject | undefined {
  const [form] = Object.values(isObject(patternProperties) ? patternProperties : {});
  const value = isObject(form) ? exampleOf(form, '', depth + 1) : undefined;
  return value === undefined ? undefined : { text: value };
}

function arrayOf(schema: JsonObject, name: string, depth: number): Json | undefined {
  const { items, maxItems, minItems } = schema;
  if (maxItems === 0 || !isObject(items)) return [];
  const one = exampleOf(items, name, depth);
  if (one === undefined) return undefined;
  return Array.from({ length: Math.max(1, Number(minItems ?? 1)) }, () => one);
}

function textOf(schema: JsonObject, name: string): string | undefined {
  const { format, maxLength, minLength, pattern } = schema;
  const fits = (text: string): boolean =>
    text.length >= Number(minLength ?? 0) &&
    text.length <= Number(maxLength ?? Number.POSITIVE_INFINITY) &&
    (typeof pattern !== 'string' || matches(pattern, text));
  const named = [BY_FORMAT[String(format)], BY_NAME[name]].filter((text) => text !== undefined);
  return [...named, ...TEXTS, 't'.repeat(Number(minLength ?? 1))].find(fits);
}

/** By pattern: there are some dozens, for thousands of texts. */
const validators = new Map<string, Validate>();

function matches(pattern: string, text: string): boolean {
  const known = validators.get(pattern) ?? compileSchema(Type.String({ pattern }));
  validators.set(pattern, known);
  return known(text).length === 0;
}

function numberOf({ maximum, minimum }: JsonObject): number {
  const least = Number(minimum ?? 0);
  return Math.min(Math.max(1, least), Number(maximum ?? Number.POSITIVE_INFINITY));
}
