/**
 * What can be worked out once per operation, so that a request pays for none of it: schemas, role
 * sets, parameter names, headers that never change. Wrong descriptions stop the start.
 */
import assert from 'node:assert/strict';
import type { Role } from '#core/identity';
import { JSON_BODY_BYTES_MAX } from '#platform/limits';
import type { Operation } from './operation.ts';
import { compileQuery, type ParseQuery } from './parseRequest.ts';
import { parameterNames } from './router.ts';
import { compileSchema, type Validate } from './validate.ts';

type Header = readonly [name: string, value: string];

export interface CompiledOperation {
  readonly operation: Operation;
  readonly parameterNames: readonly string[];
  readonly roles: ReadonlySet<Role>;
  readonly parseQuery: ParseQuery;
  readonly validateBody: Validate | undefined;
  /** `accepted`: PUT and PATCH may carry a key and need none (decisions 1.2). */
  readonly key: 'required' | 'accepted' | 'none';
  /** Deprecation, Sunset, Link. */
  readonly headers: readonly Header[];
  /** By status, for described schemas. Filled only where replies are checked. */
  readonly validateReply: ReadonlyMap<number, Validate>;
}

export interface CompileOptions {
  readonly deprecationOf: (operationId: string) => readonly Header[];
  readonly checkReplies: boolean;
}

export function compileOperation(operation: Operation, options: CompileOptions): CompiledOperation {
  assertSound(operation);
  return {
    headers: options.deprecationOf(operation.id),
    key: keyPolicy(operation),
    operation,
    parameterNames: parameterNames(operation.path),
    parseQuery: compileQuery(operation.query),
    roles: new Set(operation.roles),
    validateBody: operation.body && compileSchema(operation.body),
    validateReply: options.checkReplies ? compileReplies(operation) : new Map(),
  };
}

function assertSound(operation: Operation): void {
  const { id } = operation;
  assert(/^[a-z][A-Za-z0-9]{2,63}$/.test(id), `${id}: an operation id is camelCase`);
  assert(operation.path.startsWith('/v1/'), `${id}: the path starts with /v1/`);
  const isCallable = operation.roles.length > 0 || operation.session !== undefined;
  assert(isCallable, `${id}: no role may call it; see roles.ts`);
  assert(operation.bodyBytesMax >= 0 && Number.isSafeInteger(operation.bodyBytesMax), id);
  if (operation.body !== undefined) {
    assert(operation.method !== 'GET', `${id}: a GET has no body`);
    assert(operation.bodyBytesMax > 0, `${id}: a body needs bodyBytesMax`);
    assert(operation.bodyBytesMax <= JSON_BODY_BYTES_MAX, `${id}: bodyBytesMax is over 1 MiB`);
  }
  if (operation.upload !== undefined) {
    assert(operation.body === undefined, `${id}: a body is described once`);
    assert(operation.method === 'POST', `${id}: uploads come by POST, under a key`);
    assert(operation.bodyBytesMax > 0, `${id}: an upload needs bodyBytesMax`);
  }
  if (operation.method === 'POST') {
    assert(operation.idempotency !== 'none', `${id}: a POST needs an Idempotency-Key`);
  }
  assert(
    operation.idempotency !== 'screening' || operation.rebuild !== undefined,
    `${id}: a screening operation rebuilds its answer`,
  );
}

function keyPolicy(operation: Operation): CompiledOperation['key'] {
  if (operation.idempotency === 'none') return 'none';
  if (operation.method === 'POST') return 'required';
  return operation.method === 'PUT' || operation.method === 'PATCH' ? 'accepted' : 'none';
}

function compileReplies(operation: Operation): Map<number, Validate> {
  const validators = new Map<number, Validate>();
  for (const [status, { schema }] of Object.entries(operation.responses)) {
    if (schema !== undefined) validators.set(Number(status), compileSchema(schema));
  }
  return validators;
}
