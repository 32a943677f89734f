/**
 * From what came over the wire to values, strictly: what two readers could understand differently
 * is refused (decisions 1.5). Meaning is checked afterwards, by the operation's schemas.
 */
import assert from 'node:assert/strict';
import type { TSchema } from 'typebox';
import { DomainError, type Violation } from '#core/kernel';
import { JSON_DEPTH_MAX, QUERY_CHARS_MAX, QUERY_PARAMETERS_MAX } from '#platform/limits';
import { parseStrictJson, StrictJsonError } from '#platform/strictJson';
import type { HttpRequest } from './http/port.ts';
import { compileSchema, escapePointer, type Validate } from './validate.ts';

export function parseJsonBody(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) throw new DomainError('body-missing');
  try {
    return parseStrictJson(bytes, { depthMax: JSON_DEPTH_MAX });
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    if (error.reason === 'empty') throw new DomainError('body-missing', { cause: error });
    throw new DomainError('json-malformed', { cause: error, detail: error.message });
  }
}

/** Refuses what is not JSON in UTF-8, and a compressed body: its size could not be bounded. */
export function requireJsonMediaType(request: HttpRequest): void {
  refuseEncoding(request);
  const contentType = request.header('content-type');
  if (contentType === 'application/json') return;
  if (contentType === undefined) {
    if (!hasBody(request)) throw new DomainError('body-missing');
    throw unsupported('Content-Type: expected application/json, got none');
  }
  if (!isJsonMediaType(contentType)) throw unsupported('Content-Type: expected application/json');
}

/** A form may hold a file that is compressed; it is not compressed itself. */
export function refuseEncoding(request: HttpRequest): void {
  const encoding = request.header('content-encoding');
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw unsupported('Content-Encoding: expected none');
  }
}

/** True where a body was declared, of any length but 0. */
export function hasBody(request: HttpRequest): boolean {
  if (request.header('transfer-encoding') !== undefined) return true;
  const length = request.header('content-length');
  return length !== undefined && length !== '0';
}

function isJsonMediaType(contentType: string): boolean {
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim());
  return type.toLowerCase() === 'application/json' && parameters.every(isUtf8Charset);
}

function isUtf8Charset(parameter: string): boolean {
  return /^charset="?utf-?8"?$/i.test(parameter);
}

function unsupported(detail: string): DomainError {
  return new DomainError('media-type-unsupported', { detail });
}

/** The parameters of an operation, checked; values come out in their schema's type. */
export type ParseQuery = (query: string) => Readonly<Record<string, string>>;

/** Without a schema an operation takes no parameter at all. */
export function compileQuery(schema: TSchema | undefined): ParseQuery {
  if (schema === undefined) {
    return (query) => {
      const { parameters, repeated } = splitQuery(query);
      if (parameters.size === 0) return {};
      throw queryInvalid([...[...parameters.keys()].map(unknownParameter), ...repeated]);
    };
  }
  const validate = compileSchema(schema);
  const types = propertyTypes(schema);
  return (query) => checkQuery(splitQuery(query), { types, validate });
}

function checkQuery(
  { parameters, repeated }: SplitQuery,
  compiled: { readonly types: ReadonlyMap<string, string>; readonly validate: Validate },
): Readonly<Record<string, string>> {
  const values: Record<string, unknown> = Object.create(null);
  for (const [name, text] of parameters) {
    values[name] = toType(text, compiled.types.get(name));
  }
  const violations = [...compiled.validate(values).map(toQueryPointer), ...repeated];
  if (violations.length === 0) return values as Record<string, string>;
  const isOfLimit = violations.every((one) => one.pointer === '?limit' && one.code === 'range');
  throw isOfLimit
    ? new DomainError('limit-out-of-range', { violations })
    : queryInvalid(violations);
}

function toQueryPointer(violation: Violation): Violation {
  return { ...violation, pointer: `?${violation.pointer.slice(1)}` };
}

/** Text of a number stays text where it is none, for the schema to refuse. */
function toType(text: string, type: string | undefined): unknown {
  if (type === 'integer' || type === 'number') {
    return /^-?[0-9]{1,15}(\.[0-9]{1,15})?$/.test(text) ? Number(text) : text;
  }
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

function propertyTypes(schema: TSchema): Map<string, string> {
  const types = new Map<string, string>();
  assert('properties' in schema, 'a query schema is an object with properties');
  for (const [name, property] of Object.entries(schema.properties as object)) {
    if (typeof property.type === 'string') types.set(name, property.type);
  }
  return types;
}

export interface SplitQuery {
  readonly parameters: ReadonlyMap<string, string>;
  /** To be refused together with all other violations. */
  readonly repeated: readonly Violation[];
}

/** Each name once (a repeated one is read differently by every library), strictly decoded. */
export function splitQuery(query: string): SplitQuery {
  const parameters = new Map<string, string>();
  const repeated = new Map<string, Violation>();
  if (query === '') return { parameters, repeated: [] };
  if (query.length > QUERY_CHARS_MAX) {
    throw queryInvalid([], `query: expected at most ${QUERY_CHARS_MAX} characters`);
  }
  const pairs = query.split('&');
  if (pairs.length > QUERY_PARAMETERS_MAX) {
    throw queryInvalid([], `query: expected at most ${QUERY_PARAMETERS_MAX} parameters`);
  }
  for (const pair of pairs) {
    if (pair === '') continue;
    const equalsAt = pair.indexOf('=');
    const name = decodeQuery(equalsAt < 0 ? pair : pair.slice(0, equalsAt));
    const value = decodeQuery(equalsAt < 0 ? '' : pair.slice(equalsAt + 1));
    if (parameters.has(name)) repeated.set(name, repeatedParameter(name));
    else parameters.set(name, value);
  }
  return { parameters, repeated: [...repeated.values()] };
}

function repeatedParameter(name: string): Violation {
  return { code: 'repeated', detail: 'expected once', pointer: queryPointer(name) };
}

function decodeQuery(text: string): string {
  const decoded = decodeStrictly(text.replaceAll('+', ' '));
  if (decoded !== undefined) return decoded;
  throw queryInvalid([], `query: expected ${PERCENT_ENCODED}`);
}

const PERCENT_ENCODED = 'percent-encoded UTF-8 without NUL';

/** Undefined for a broken escape, invalid UTF-8 or NUL. */
export function decodeStrictly(text: string): string | undefined {
  if (!text.includes('%')) return text.includes('\0') ? undefined : text;
  try {
    const decoded = decodeURIComponent(text);
    return decoded.includes('\0') ? undefined : decoded;
  } catch (error) {
    assert(error instanceof URIError);
    return undefined;
  }
}

function queryPointer(name: string): string {
  return `?${escapePointer(name).slice(0, 100)}`;
}

function unknownParameter(name: string): Violation {
  return {
    code: 'unknown-member',
    detail: 'not a parameter of this operation',
    pointer: queryPointer(name),
  };
}

function queryInvalid(violations: readonly Violation[], detail?: string): DomainError {
  return new DomainError('query-invalid', {
    violations,
    ...(detail !== undefined && { detail }),
  });
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Source ids, versions, slugs: nothing that could mean something to a store or a file system. */
const TOKEN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const TOKEN_FORM = '1 to 64 letters, digits, dots, hyphens or underscores';
/** Ids that publishers give are any text. */
const PUBLISHED_ID_CHARS_MAX = 256;
const GIVEN_BY_OTHERS: ReadonlySet<string> = new Set([
  'customer_id',
  'external_ref',
  'ftm_id',
  'tx_id',
]);

/** Ids that people choose, as words in capitals or with digits: no UUIDs. */
const CHOSEN: ReadonlySet<string> = new Set(['profile_id', 'rule_id', 'sourceId']);

interface ParameterForm {
  /** What it must be, in words. */
  readonly words: string;
  readonly schema: Readonly<Record<string, string | number>>;
  /** The value; undefined where it has another form. */
  read(raw: string): string | undefined;
}

const UUID_FORM: ParameterForm = {
  read: (raw) => (UUID.test(raw.toLowerCase()) ? raw.toLowerCase() : undefined),
  schema: { format: 'uuid', type: 'string' },
  words: 'a UUID',
};
const TOKENS: ParameterForm = {
  read: (raw) => (TOKEN.test(raw) ? raw : undefined),
  schema: { maxLength: 64, minLength: 1, pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$', type: 'string' },
  words: TOKEN_FORM,
};
const PUBLISHED_ID: ParameterForm = {
  read: (raw) => {
    const id = decodeStrictly(raw);
    return id !== undefined && id !== '' && id.length <= PUBLISHED_ID_CHARS_MAX ? id : undefined;
  },
  schema: { maxLength: PUBLISHED_ID_CHARS_MAX, minLength: 1, type: 'string' },
  words: `a text of at most ${PUBLISHED_ID_CHARS_MAX} characters`,
};

/**
 * `id`, `case_id` and `runId` are UUIDs in lower case; `ftm_id` is the publisher's, `tx_id`,
 * `customer_id` and `external_ref` are the sender's; ids of sources, rules and profiles, and the
 * rest, are tokens.
 */
export function parameterForm(name: string): ParameterForm {
  if (GIVEN_BY_OTHERS.has(name)) return PUBLISHED_ID;
  const isUuid = name === 'id' || name.endsWith('_id') || name.endsWith('Id');
  return isUuid && !CHOSEN.has(name) ? UUID_FORM : TOKENS;
}

/** Values by name; throws `path-invalid` with every violation. */
export function parsePathParameters(
  names: readonly string[],
  values: readonly string[],
): Record<string, string> {
  const params: Record<string, string> = {};
  const violations: Violation[] = [];
  for (const [index, name] of names.entries()) {
    const raw = values[index] ?? '';
    const value = parameterForm(name).read(raw);
    if (value !== undefined) params[name] = value;
    else violations.push(parameterFault(name, raw));
  }
  if (violations.length === 0) return params;
  const detail = violations
    .map((one) => `{${one.pointer.slice(PATH_POINTER.length)}}: ${one.detail}`)
    .join('; ');
  throw new DomainError('path-invalid', { detail, violations });
}

/** As `header:If-Match`: no body has such a pointer. */
const PATH_POINTER = 'path:';

function parameterFault(name: string, raw: string): Violation {
  const pointer = `${PATH_POINTER}${name}`;
  if (decodeStrictly(raw) === undefined) {
    return { code: 'format', detail: `expected ${PERCENT_ENCODED}`, pointer };
  }
  return { code: 'format', detail: `expected ${parameterForm(name).words}`, pointer };
}

/** The answer to a path that cannot be read, and so leads nowhere. */
export function pathUnreadable(): DomainError {
  const detail = `expected ${PERCENT_ENCODED}`;
  const violations = [{ code: 'format', detail, pointer: PATH_POINTER }];
  return new DomainError('path-invalid', { detail: `path: ${detail}`, violations });
}
