/**
 * The gateway above the HTTP port: one handler that finds the route, performs the operation and
 * never rejects. It listens nowhere; main.ts hands it to an adapter, tests call it.
 *
 * Every answer carries X-Request-Id (ours; none is taken from outside, it leads to the log), and
 * every answer under /v1/ the rate headers. Every 4xx and 5xx is a problem document.
 */
import assert from 'node:assert/strict';
import {
  DomainError,
  type ErrorCode,
  type ProblemRow,
  type ProblemTable,
  type TenantId,
} from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Log } from '#platform/log';
import type { Metrics } from '#platform/metrics';
import { type Random, uuidV7 } from '#platform/random';
import { NO_STEP, NO_TRACER, type Tracer } from '#platform/tracing/tracer';
import { callerAddress } from './asker.ts';
import { behindDoor } from './behindDoor.ts';
import { networkOf } from './callerNetwork.ts';
import { type CompiledOperation, compileOperation } from './compileOperation.ts';
import { createDeprecations, type DeprecationTable } from './deprecation.ts';
import { createGatewayFigures, type GatewayFigures } from './gatewayFigures.ts';
import { healthPages } from './health.ts';
import type { HttpHandler, HttpRefusal, HttpReply, HttpRequest } from './http/port.ts';
import { createIdentify, type IdentifyOptions } from './identify.ts';
import type { Operation } from './operation.ts';
import { problemsOf } from './operationProblems.ts';
import { decodeStrictly, pathUnreadable } from './parseRequest.ts';
import { type Exchange, type PerformOptions, perform } from './perform.ts';
import type { Door, PageRequest, PublicPage, Readiness } from './ports.ts';
import { presentError } from './presentError.ts';
import { createRouter, type PathMatch, parameterNames, type Router } from './router.ts';
import { tracedRequest } from './tracedRequest.ts';

export interface GatewayOptions extends Omit<PerformOptions, 'identify'>, IdentifyOptions {
  readonly operations: readonly Operation[];
  /** Beside /healthz, /readyz and /metrics, which the gateway brings itself. */
  readonly pages: readonly PublicPage[];
  /** Ways to the operations beside `/v1`, for what is no credential of the API. */
  readonly doors?: readonly Door[];
  readonly readiness: Readiness;
  /** What works only in part, for `/readyz`: sentences, and nothing of a tenant. */
  readonly notices?: () => readonly string[];
  readonly deprecations: DeprecationTable;
  /** A row for every code that an operation may throw. */
  readonly problems: ProblemTable;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Absent: nothing is recorded. */
  readonly tracer?: Tracer;
  /** Without a slash at the end. A function, since port 0 is known only once it listens. */
  readonly origin: () => string;
  /** Tests and development: a reply that is not as described is an error. */
  readonly checkReplies?: boolean;
  /** Called for each answer to a caller who is known. */
  readonly onAnswered?: (answered: Answered) => void;
}

/** A request for an operation that was answered, by whom it was asked. */
export interface Answered {
  readonly durationMs: number;
  readonly operation: string;
  readonly status: number;
  readonly tenantId: TenantId;
}

export interface Gateway {
  readonly handler: HttpHandler;
  readonly refusal: HttpRefusal;
  /** From now on /readyz says 503; the adapter closes connections when it is stopped. */
  drain(): void;
}

type Header = readonly [name: string, value: string];
type Target =
  | { readonly kind: 'operation'; readonly compiled: CompiledOperation }
  | {
      readonly kind: 'page';
      readonly page: PublicPage;
      readonly parameterNames: readonly string[];
    };

interface EnteredBy {
  readonly prefix: string;
  readonly performing: PerformOptions;
}

interface State {
  readonly options: GatewayOptions;
  readonly performing: PerformOptions;
  /** By the doors, each with its own way of finding out who calls. */
  readonly doors: readonly EnteredBy[];
  readonly router: Router<Target>;
  readonly figures: GatewayFigures;
  isDraining: boolean;
  /** When a refusal of this code was last logged. */
  readonly floodLines: Map<ErrorCode, number>;
}

export function createGateway(options: GatewayOptions): Gateway {
  const state: State = {
    doors: (options.doors ?? []).map((door) => ({
      performing: { ...options, identify: createIdentify(withDoor(options, door)) },
      prefix: door.prefix,
    })),
    performing: { ...options, identify: createIdentify(options) },
    figures: createGatewayFigures(options.metrics),
    floodLines: new Map(),
    isDraining: false,
    options,
    router: compileRoutes(options, () => state.isDraining),
  };
  return {
    drain: () => {
      state.isDraining = true;
    },
    handler: (request) => answer(state, request),
    refusal: (code) => refuse(state, code),
  };
}

const withDoor = (options: IdentifyOptions, door: Door): IdentifyOptions => ({
  ...options,
  authenticator: door,
  credentialOf: (request) => door.credentialOf(request),
});

function compileRoutes(options: GatewayOptions, isDraining: () => boolean): Router<Target> {
  const deprecationOf = createDeprecations(options.deprecations, options.operations);
  const checkReplies = options.checkReplies ?? false;
  const operations = options.operations.map((operation) => ({
    method: operation.method,
    path: operation.path,
    target: {
      compiled: compileOperation(operation, { checkReplies, deprecationOf }),
      kind: 'operation' as const,
    },
  }));
  const ids = new Set(options.operations.map(({ id }) => id));
  assert.equal(ids.size, options.operations.length, 'two operations have one id');
  const { metrics, notices, readiness } = options;
  const health = { isDraining, metrics, readiness, ...(notices !== undefined && { notices }) };
  const pages = [...healthPages(health), ...options.pages];
  const pageEntries = pages.map((page) => ({
    method: page.method ?? 'GET',
    path: page.path,
    target: { kind: 'page' as const, page, parameterNames: parameterNames(page.path) },
  }));
  return createRouter<Target>([...operations, ...pageEntries]);
}

async function answer(state: State, received: HttpRequest): Promise<HttpReply> {
  const { clock, random } = state.options;
  const door = state.doors.find(({ prefix }) => received.path.startsWith(`${prefix}/v1/`));
  const exchange: Exchange = {
    compiled: undefined,
    isReplay: false,
    principal: undefined,
    rateHeaders: undefined,
    request: door === undefined ? received : behindDoor(received, door.prefix),
    requestId: uuidV7(clock.now(), random),
    startedAtMs: clock.monotonicMs(),
    step: NO_STEP,
  };
  state.figures.begin();
  const { tracer = NO_TRACER } = state.options;
  const performing = door?.performing ?? state.performing;
  return tracedRequest(tracer, exchange, () => reply(state, exchange, performing));
}

async function reply(
  state: State,
  exchange: Exchange,
  performing: PerformOptions,
): Promise<HttpReply> {
  let made: HttpReply;
  try {
    made = await dispatch(state, exchange, performing);
  } catch (error) {
    made = fail(state, exchange, error);
  }
  return finish(state, exchange, made);
}

async function dispatch(
  state: State,
  exchange: Exchange,
  performing: PerformOptions,
): Promise<HttpReply> {
  const { request } = exchange;
  const match = state.router.find(request.path);
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const target = match?.methods.get(method);
  if (target?.kind === 'operation') {
    exchange.compiled = target.compiled;
    const route = { compiled: target.compiled, values: match?.values ?? [] };
    return perform(performing, exchange, route);
  }
  if (target?.page.isProbe !== true) admitPublic(state, exchange);
  if (match === undefined) throw unknownRoute(request.path);
  if (target === undefined) return answerWithoutTarget(state, exchange, match);
  return target.page.reply(pageRequest(request, target.parameterNames, match.values));
}

/** What needs no credential is limited by the caller's address, before it is made. */
function admitPublic({ options }: State, exchange: Exchange): void {
  const address = callerAddress(exchange.request, options.trustProxy ?? false);
  const decision = options.rateLimiter.takePublic(networkOf(address));
  if (decision.allowed) return;
  exchange.rateHeaders = decision.headers;
  throw new DomainError('rate-limited', { retryAfterS: decision.retryAfterS });
}

function unknownRoute(path: string): DomainError {
  const isReadable = decodeStrictly(path) !== undefined;
  return isReadable ? new DomainError('route-unknown') : pathUnreadable();
}

/** OPTIONS lists the methods and nothing else: no CORS, the API is for servers, not browsers. */
function answerWithoutTarget(
  state: State,
  exchange: Exchange,
  match: PathMatch<Target>,
): HttpReply {
  const methods = [...match.methods.keys()];
  if (methods.includes('GET')) methods.push('HEAD');
  const allow: Header = ['allow', [...methods, 'OPTIONS'].sort().join(', ')];
  if (exchange.request.method === 'OPTIONS') return { body: '', headers: [allow], status: 204 };
  const reply = present(state, exchange, new DomainError('method-not-allowed'));
  return { ...reply, headers: [...reply.headers, allow] };
}

/** The parts of the path by their names; the page itself decides whether it knows them. */
function pageRequest(
  request: HttpRequest,
  names: readonly string[],
  values: readonly string[],
): PageRequest {
  const params: Record<string, string> = {};
  for (const [index, name] of names.entries()) params[name] = values[index] ?? '';
  return { params, request };
}

/** Whether the operator is to see to it: nothing that the caller sends anew would help. */
const isOperators = ({ isTampering, status }: ProblemRow): boolean =>
  isTampering === true || status >= 500;

/** The operator's may come from anywhere; what else is answered, the description names. */
function assertDescribed(state: State, { compiled }: Exchange, { code }: DomainError): void {
  const { problems } = state.options;
  if (compiled === undefined || isOperators(problems[code])) return;
  const { operation } = compiled;
  const isDescribed = problemsOf(operation, problems).includes(code);
  assert(isDescribed, `${operation.id}: ${code} is none of its problems: name it there`);
}

function present(state: State, exchange: Exchange, error: DomainError): HttpReply {
  if (state.options.checkReplies === true) assertDescribed(state, exchange, error);
  const isTold = exchange.compiled?.operation.isConfidential !== true;
  if (isTold || error.code === 'rate-limited') state.figures.problem(error.code);
  return presentError(error, {
    accept: exchange.compiled?.operation.upload?.mediaType,
    origin: state.options.origin(),
    problems: state.options.problems,
    requestId: exchange.requestId,
  });
}

/** The answer to an error. A client that left is no fault of ours, so its errors are not logged. */
function fail(state: State, exchange: Exchange, error: unknown): HttpReply {
  const known =
    error instanceof DomainError ? error : new DomainError('internal', { cause: error });
  const reply = present(state, exchange, known);
  const row = state.options.problems[known.code];
  if (!isOperators(row) || exchange.request.signal.aborted) return reply;
  const fields = {
    code: known.code,
    error: known.cause ?? known,
    operation: toldOperation(exchange),
    request_id: exchange.requestId,
    tenant_id: exchange.principal?.tenantId,
    // What differs, by ids alone, as the caller is told it.
    ...(row.isTampering && { reason: known.message }),
  };
  if (reply.status !== 503) state.options.log.error(fields, 'request failed');
  else if (isDue(state, known.code)) state.options.log.warn(fields, 'requests are refused');
  return reply;
}

/** 503 comes in floods: one line per code and while is enough, the figures count them all. */
const FLOOD_LINE_EVERY_MS = 10_000;

function isDue(state: State, code: ErrorCode): boolean {
  const nowMs = state.options.clock.monotonicMs();
  const lastMs = state.floodLines.get(code);
  if (lastMs !== undefined && nowMs - lastMs < FLOOD_LINE_EVERY_MS) return false;
  state.floodLines.set(code, nowMs);
  return true;
}

function finish(state: State, exchange: Exchange, reply: HttpReply): HttpReply {
  const { clock, log } = state.options;
  const { request } = exchange;
  const durationMs = clock.monotonicMs() - exchange.startedAtMs;
  tellAnswered(state, exchange, { durationMs, status: reply.status });
  state.figures.end({
    durationMs,
    isReplay: exchange.isReplay,
    operation: toldOperation(exchange),
    status: reply.status,
  });
  if (log.isDebug()) {
    log.debug(
      {
        duration_ms: Math.round(durationMs * 1000) / 1000,
        method: request.method,
        operation: toldOperation(exchange),
        request_id: exchange.requestId,
        status: reply.status,
        tenant_id: exchange.principal?.tenantId,
      },
      'request',
    );
  }
  return { ...reply, headers: headersOf(state, exchange, reply) };
}

function tellAnswered(
  { options }: State,
  { compiled, principal }: Exchange,
  of: Pick<Answered, 'durationMs' | 'status'>,
): void {
  if (compiled === undefined || principal === undefined) return;
  if (compiled.operation.isConfidential) return;
  const { tenantId } = principal;
  options.onAnswered?.({ ...of, operation: compiled.operation.id, tenantId });
}

/** In figures and logs a confidential operation is as a page: it has no name there. */
const toldOperation = ({ compiled }: Exchange): string | undefined =>
  compiled?.operation.isConfidential ? undefined : compiled?.operation.id;

const NO_SNIFFING: Header = ['x-content-type-options', 'nosniff'];
/** Answers are a tenant's own; nothing on the way may keep them. */
const NO_STORE: Header = ['cache-control', 'no-store'];

/** RFC 6797; without subdomains, which may not be ours. */
const HTTPS_ONLY: Header = ['strict-transport-security', 'max-age=31536000'];

function headersOf(state: State, exchange: Exchange, reply: HttpReply): Header[] {
  const headers: Header[] = [...reply.headers, ['x-request-id', exchange.requestId], NO_SNIFFING];
  if (!reply.headers.some(([name]) => name === 'cache-control')) headers.push(NO_STORE);
  if (state.options.origin().startsWith('https:')) headers.push(HTTPS_ONLY);
  if (exchange.compiled !== undefined) headers.push(...exchange.compiled.headers);
  if (exchange.rateHeaders !== undefined) headers.push(...exchange.rateHeaders);
  else if (exchange.request.path.startsWith('/v1/')) {
    headers.push(...state.options.rateLimiter.untaken());
  }
  return headers;
}

/** The adapter has no request that could be routed: the answer stands on its own. */
function refuse(state: State, code: Parameters<HttpRefusal>[0]): HttpReply {
  const { clock, origin, problems, random } = state.options;
  const requestId = uuidV7(clock.now(), random);
  state.figures.problem(code);
  const reply = presentError(new DomainError(code), { origin: origin(), problems, requestId });
  return {
    ...reply,
    headers: [...reply.headers, ['x-request-id', requestId], NO_SNIFFING, NO_STORE],
  };
}
