/**
 * One request to one operation, step by step, in the order that decides what a caller learns: who
 * it is, whether it may go on now, whether it may do this, and only then about its body.
 *
 * A limit is taken before the role is checked, so that refusals cost as much as answers and carry
 * the rate headers too; what a costly body costs more is taken once the body is known to be good.
 * The key's form is checked before the body is read. The key is reserved once the body is known to
 * be good, so a mistake never uses it up (decisions 1.2). For a streamed body it is reserved
 * before, and freed if the body turns out to be wrong.
 */
import assert from 'node:assert/strict';
import type { Principal } from '#core/identity';
import { DomainError } from '#core/kernel';
import type { Step } from '#platform/tracing/tracer';
import { callerAddress } from './asker.ts';
import type { CompiledOperation } from './compileOperation.ts';
import { type Call, executeOnce, handle } from './execute.ts';
import type { HttpReply, HttpRequest } from './http/port.ts';
import type { Identify } from './identify.ts';
import type { Operation, OperationContext, Upload } from './operation.ts';
import {
  hasBody,
  parseJsonBody,
  parsePathParameters,
  refuseEncoding,
  requireJsonMediaType,
} from './parseRequest.ts';
import type { IdempotencyGate, KeyedRequest, RateDecision, RateLimiter } from './ports.ts';

export interface PerformOptions {
  readonly identify: Identify;
  readonly rateLimiter: RateLimiter;
  readonly idempotency: IdempotencyGate;
  /** A proxy stands in front: its forwarded headers are read. */
  readonly trustProxy?: boolean;
}

/** The facts of a request so far; a refusal is presented with them. */
export interface Exchange {
  readonly request: HttpRequest;
  readonly requestId: string;
  readonly startedAtMs: number;
  compiled: CompiledOperation | undefined;
  principal: Principal | undefined;
  rateHeaders: RateDecision['headers'] | undefined;
  isReplay: boolean;
  /** The request in its trace, where one is recorded. */
  step: Step;
}

export async function perform(
  options: PerformOptions,
  exchange: Exchange,
  route: { readonly compiled: CompiledOperation; readonly values: readonly string[] },
): Promise<HttpReply> {
  const { request } = exchange;
  const { compiled } = route;
  const principal = await admit(options, exchange, route);
  const params = parsePathParameters(compiled.parameterNames, route.values);
  const query = compiled.parseQuery(request.query);
  if (takesJsonAlone(compiled)) {
    requireJsonMediaType(request);
  } else if (compiled.operation.upload !== undefined) {
    refuseEncoding(request);
  }
  const key = keyOf(options.idempotency, request, compiled);
  const unread: OperationContext = {
    body: undefined,
    charge: async (further) => {
      if (further > 0) await takeTokens(options, exchange, { compiled, further, principal });
    },
    idempotency: undefined,
    ip: callerAddress(request, options.trustProxy ?? false),
    params,
    principal,
    query,
    request,
    requestId: exchange.requestId,
    startedAtMs: exchange.startedAtMs,
    tenantId: principal.tenantId,
  };
  const onReplay = () => {
    exchange.isReplay = true;
  };
  const call = { compiled, context: unread, onReplay };
  const { upload } = compiled.operation;
  if (upload !== undefined) {
    assert(key !== undefined, 'an upload has an Idempotency-Key');
    return performUpload(options.idempotency, { call, key, upload });
  }
  const body = await readBody(request, compiled);
  const tokens = compiled.operation.tokensOf?.(body) ?? 1;
  if (tokens > 1) await takeTokens(options, exchange, { compiled, further: tokens - 1, principal });
  return performRead(options.idempotency, { ...call, context: { ...unread, body } }, key);
}

async function performRead(
  gate: IdempotencyGate,
  call: Call,
  key: string | undefined,
): Promise<HttpReply> {
  if (key === undefined) return handle(call);
  const claim = gate.claimOf(keyedOf(call, key));
  gate.reserve(claim);
  try {
    const context = { ...call.context, idempotency: claim };
    return await executeOnce(gate, { ...call, context }, claim);
  } finally {
    gate.end(claim);
  }
}

/**
 * The body may take hours to come. Its key is reserved first, under its scope alone; a stored
 * answer under the key is compared once the body's digest is known. In that case the body is not
 * stored and is read only for its digest.
 */
async function performUpload(
  gate: IdempotencyGate,
  of: { readonly call: Call; readonly key: string; readonly upload: Upload },
): Promise<HttpReply> {
  const { call, key, upload } = of;
  requireDeclaredSize(call);
  const keyed = { ...keyedOf(call, key), contentType: upload.mediaType };
  const { scope } = gate.claimOf(keyed);
  gate.reserve({ scope });
  try {
    const isAnswered = await gate.isAnswered(scope);
    const { bodyDigest, value } = await upload.receive(call.context, { isAnswered });
    const claim = gate.claimOf({ ...keyed, bodyDigest });
    const context = { ...call.context, body: value, idempotency: claim };
    return await executeOnce(gate, { ...call, context }, claim);
  } finally {
    gate.end({ scope });
  }
}

const takesJsonAlone = ({ operation: { upload }, validateBody }: CompiledOperation): boolean =>
  validateBody !== undefined ||
  (upload?.mediaType === JSON_TYPE && upload.furtherTypes === undefined);

/** Refused at the headers where the length is declared; otherwise once too much has come. */
function requireDeclaredSize({ compiled, context }: Call): void {
  const { bodyBytesMax } = compiled.operation;
  if (Number(context.request.header('content-length') ?? 0) <= bodyBytesMax) return;
  throw new DomainError('body-too-large', { detail: `expected at most ${bodyBytesMax} bytes` });
}

const keyedOf = ({ compiled, context }: Call, key: string): KeyedRequest => ({
  body: context.body,
  contentType: context.request.header('content-type') ?? '',
  key,
  method: context.request.method,
  path: context.request.path,
  principal: context.principal,
  query: context.request.query,
  route: compiled.operation.path,
});

async function admit(
  options: PerformOptions,
  exchange: Exchange,
  { compiled, values }: Parameters<typeof perform>[2],
): Promise<Principal> {
  const principal = await options.identify(exchange.request, exchange);
  exchange.principal = principal;
  exchange.step.trust();
  await takeTokens(options, exchange, { compiled, principal });
  if (principal.kind === 'session') {
    requireOwn(principal, compiled, values);
    return principal;
  }
  if (!principal.roles.some((role) => compiled.roles.has(role))) {
    throw new DomainError('role-insufficient');
  }
  requireScope(principal, compiled.operation);
  return principal;
}

/** A session names its own case and form in a path, and nothing else. */
function requireOwn(
  { session }: Principal,
  { operation, parameterNames }: CompiledOperation,
  values: readonly string[],
): void {
  const own: Readonly<Record<string, string | undefined>> = {
    case_id: session?.caseId,
    form_id: session?.formId,
  };
  const isOwn = parameterNames.every((name, at) => own[name] === values[at]);
  if (session === undefined || operation.session === undefined || !isOwn) {
    throw new DomainError('session-scope');
  }
  if (session.ended !== undefined && operation.session !== 'any') {
    throw new DomainError(session.ended);
  }
}

function requireScope({ scopes }: Principal, { scope }: Pick<Operation, 'scope'>): void {
  if (scopes === undefined || scopes.includes(scope)) return;
  throw new DomainError('scope-insufficient', { detail: `expected a key with the scope ${scope}` });
}

/** The first token of a call, or the further ones of a costly call. */
async function takeTokens(
  { rateLimiter }: PerformOptions,
  exchange: Exchange,
  of: { compiled: CompiledOperation; principal: Principal; further?: number },
): Promise<void> {
  const { limits } = of.compiled.operation;
  const decision = await rateLimiter.take(of.principal, limits, of.further);
  exchange.rateHeaders = decision.headers;
  if (decision.allowed) return;
  throw new DomainError('rate-limited', { retryAfterS: decision.retryAfterS });
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

/** Many clients send `{}` with a POST that takes nothing. What else they send is not obeyed. */
async function refuseContent(request: HttpRequest): Promise<void> {
  const body = await request.body(request.method === 'POST' ? UNEXPECTED_BODY_BYTES_MAX : 0);
  if (body.length === 0 || Buffer.from(body).toString() === EMPTY_OBJECT) return;
  const detail = `expected no body, or ${EMPTY_OBJECT}`;
  const violations = [{ code: 'format', detail, pointer: '' }];
  throw new DomainError('body-invalid', { detail, violations });
}

const EMPTY_OBJECT = '{}';
/**
 * For a POST without a body: bytes that are read to refuse one; a longer body is refused unread.
 */
const UNEXPECTED_BODY_BYTES_MAX = 4_096;
const JSON_TYPE = 'application/json';
