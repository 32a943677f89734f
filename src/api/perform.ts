/**
 * One request to one operation, step by step, in the order that decides what a caller learns: who
 * it is, whether it may go on now, whether it may do this, and only then what it sent.
 *
 * A limit is taken before the role is looked at, so that refusals cost as much as answers and carry
 * the rate headers too. The key's form is checked before the body is read; the key is reserved once
 * the body is known to be good, so that a mistake never uses it up (decisions 1.2).
 */
import assert from 'node:assert/strict';
import { type IdempotencyRecord, IdempotencyTaken } from '#domain/audit';
import type { Principal } from '#domain/identity';
import { DomainError } from '#domain/kernel';
import type { CompiledOperation } from './compileOperation.ts';
import type { HttpReply, HttpRequest } from './http/port.ts';
import type { IdempotencyClaim, OperationContext, OperationReply } from './operation.ts';
import {
  hasBody,
  parseJsonBody,
  parsePathParameters,
  requireJsonMediaType,
} from './parseRequest.ts';
import type { Authenticator, IdempotencyGate, RateDecision, RateLimiter } from './ports.ts';

export interface PerformOptions {
  readonly authenticator: Authenticator;
  readonly rateLimiter: RateLimiter;
  readonly idempotency: IdempotencyGate;
}

/** What is known of a request so far; a refusal is presented with it. */
export interface Exchange {
  readonly request: HttpRequest;
  readonly requestId: string;
  readonly startedAtMs: number;
  compiled: CompiledOperation | undefined;
  principal: Principal | undefined;
  rateHeaders: RateDecision['headers'] | undefined;
  isReplay: boolean;
}

export async function perform(
  options: PerformOptions,
  exchange: Exchange,
  route: { readonly compiled: CompiledOperation; readonly values: readonly string[] },
): Promise<HttpReply> {
  const { request } = exchange;
  const { compiled } = route;
  const principal = await admit(options, exchange, compiled);
  const params = parsePathParameters(compiled.parameterNames, route.values);
  const query = compiled.parseQuery(request.query);
  if (compiled.validateBody !== undefined) requireJsonMediaType(request);
  const key = keyOf(options.idempotency, request, compiled);
  const body = await readBody(request, compiled);
  const claim =
    key === undefined
      ? undefined
      : options.idempotency.claimOf({
          body,
          contentType: request.header('content-type') ?? '',
          key,
          method: request.method,
          path: request.path,
          principal,
          query: request.query,
          route: compiled.operation.path,
        });
  const context: OperationContext = {
    body,
    idempotency: claim,
    params,
    principal,
    query,
    request,
    requestId: exchange.requestId,
    startedAtMs: exchange.startedAtMs,
    tenantId: principal.tenantId,
  };
  return execute(options.idempotency, exchange, { compiled, context });
}

/**
 * A refused credential costs its address a token: who guesses is slowed down, and told by 429 to
 * stop. Valid callers pay for nothing here.
 */
async function authenticate(options: PerformOptions, exchange: Exchange): Promise<Principal> {
  const { request } = exchange;
  try {
    return await options.authenticator.authenticate(request);
  } catch (error) {
    if (!(error instanceof DomainError) || !REFUSED_CREDENTIAL.has(error.code)) throw error;
    const decision = await options.rateLimiter.takeAnonymous(request.remoteAddress);
    exchange.rateHeaders = decision.headers;
    if (decision.allowed) throw error;
    throw new DomainError('rate-limited', { retryAfterS: decision.retryAfterS });
  }
}

const REFUSED_CREDENTIAL: ReadonlySet<string> = new Set([
  'credential-missing',
  'credential-invalid',
  'credential-expired',
]);

async function admit(
  options: PerformOptions,
  exchange: Exchange,
  compiled: CompiledOperation,
): Promise<Principal> {
  const principal = await authenticate(options, exchange);
  exchange.principal = principal;
  const decision = await options.rateLimiter.take(principal, compiled.operation.limits);
  exchange.rateHeaders = decision.headers;
  if (!decision.allowed) {
    throw new DomainError('rate-limited', { retryAfterS: decision.retryAfterS });
  }
  if (!principal.roles.some((role) => compiled.roles.has(role))) {
    throw new DomainError('role-insufficient');
  }
  return principal;
}

function keyOf(
  gate: IdempotencyGate,
  request: HttpRequest,
  compiled: CompiledOperation,
): string | undefined {
  if (compiled.key === 'none') return undefined;
  const header = request.header('idempotency-key');
  if (header === undefined && compiled.key === 'accepted') return undefined;
  return gate.parseKey(header);
}

/** Where no JSON is described, a handler reads the body itself, or there must be none. */
async function readBody(request: HttpRequest, compiled: CompiledOperation): Promise<unknown> {
  const { bodyBytesMax } = compiled.operation;
  if (compiled.validateBody === undefined) {
    if (bodyBytesMax === 0 && hasBody(request)) await refuseContent(request);
    return undefined;
  }
  const body = parseJsonBody(await request.body(bodyBytesMax));
  const violations = compiled.validateBody(body);
  if (violations.length > 0) throw new DomainError('body-invalid', { violations });
  return body;
}

/** Many clients send `{}` with a POST that takes nothing. */
async function refuseContent(request: HttpRequest): Promise<void> {
  const body = await request.body(request.method === 'POST' ? EMPTY_OBJECT.length : 0);
  if (body.length === 0 || Buffer.from(body).toString() === EMPTY_OBJECT) return;
  throw new DomainError('body-too-large', { detail: `expected no body, or ${EMPTY_OBJECT}` });
}

const EMPTY_OBJECT = '{}';

interface Call {
  readonly compiled: CompiledOperation;
  readonly context: OperationContext;
}

async function execute(gate: IdempotencyGate, exchange: Exchange, call: Call): Promise<HttpReply> {
  const claim = call.context.idempotency;
  if (claim === undefined) return handle(call);
  gate.reserve(claim);
  try {
    if (!hasNoEffectBeforeCommit(call)) {
      const record = await gate.find(claim);
      if (record !== undefined) return await replayOf(record, exchange, call);
    }
    return await handleOrFind(gate, exchange, { call, claim });
  } finally {
    gate.end(claim);
  }
}

/**
 * A screening only computes until its evidence is written, and the write refuses a scope that is
 * taken. So its key is not looked up first: a fresh request, which nearly every one is, is spared
 * a read, and a repeated one is recognised by the refusal.
 */
const hasNoEffectBeforeCommit = ({ compiled }: Call): boolean =>
  compiled.operation.idempotency === 'screening';

async function handleOrFind(
  gate: IdempotencyGate,
  exchange: Exchange,
  of: { readonly call: Call; readonly claim: IdempotencyClaim },
): Promise<HttpReply> {
  try {
    return await handle(of.call);
  } catch (error) {
    // Another process may have executed the same request meanwhile; nothing of ours was written.
    const mayBeWritten = error instanceof IdempotencyTaken || hasNoEffectBeforeCommit(of.call);
    const record = mayBeWritten ? await gate.find(of.claim) : undefined;
    // The record that was in the way has passed its 24 hours meanwhile: the key is free.
    if (record === undefined && error instanceof IdempotencyTaken) return handle(of.call);
    if (record === undefined) throw error;
    return replayOf(record, exchange, of.call);
  }
}

function replayOf(record: IdempotencyRecord, exchange: Exchange, call: Call): Promise<HttpReply> {
  exchange.isReplay = true;
  return replay(record, call);
}

async function handle({ compiled, context }: Call): Promise<HttpReply> {
  const reply = await compiled.operation.handle(context);
  const validate = compiled.validateReply.get(reply.status);
  if (validate !== undefined && !isBinary(reply.body)) {
    const value = typeof reply.body === 'string' ? JSON.parse(reply.body) : toWire(reply.body);
    assert.deepEqual(validate(value), [], `${compiled.operation.id}: reply is not as described`);
  }
  return toHttpReply(reply);
}

async function replay(record: IdempotencyRecord, call: Call): Promise<HttpReply> {
  const { answer } = record;
  if (answer.kind === 'body') {
    const headers = [['content-type', answer.contentType] as const, REPLAYED];
    return { body: answer.body, headers, status: answer.status };
  }
  const { rebuild } = call.compiled.operation;
  assert(rebuild !== undefined, 'a record of kind event belongs to a screening operation');
  const body = await rebuild(answer, call.context);
  return { body, headers: [JSON_TYPE, REPLAYED], status: answer.status };
}

const JSON_TYPE = ['content-type', 'application/json'] as const;
const REPLAYED = ['idempotent-replayed', 'true'] as const;

/** A handler gives JSON, as text or as an object, unless it names another type. */
export function toHttpReply(reply: OperationReply | HttpReply): HttpReply {
  const given = reply.headers ?? [];
  const isTyped = given.some(([name]) => name.toLowerCase() === 'content-type');
  const headers = isTyped || reply.status === 204 ? given : [JSON_TYPE, ...given];
  const { body } = reply;
  if (typeof body === 'string' || isBinary(body)) return { body, headers, status: reply.status };
  return { body: JSON.stringify(body), headers, status: reply.status };
}

/** What JSON.stringify makes of it: the schemas describe the wire, where undefined is absent. */
function toWire(body: object): unknown {
  return JSON.parse(JSON.stringify(body));
}

function isBinary(body: string | object): body is Exclude<HttpReply['body'], string> {
  return typeof body === 'object' && (body instanceof Uint8Array || Symbol.asyncIterator in body);
}
