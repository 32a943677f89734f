/**
 * A gateway without sockets, and the surroundings it needs, each in its simplest honest form. Time
 * and randomness are fixed, so that answers can be compared whole.
 */
import { Type } from 'typebox';
import type { IdempotencyRecord } from '#core/audit';
import type { Principal } from '#core/identity';
import { DomainError, type TenantId } from '#core/kernel';
import type { Clock, EpochMs } from '#platform/clock';
import { createLog } from '#platform/log';
import { createMetrics } from '#platform/metrics';
import { systemRandom } from '#platform/random';
import type { HttpReply, HttpRequest } from '../../src/api/http/port.ts';
import type { Operation } from '../../src/api/operation.ts';
import type { IdempotencyGate, RateLimiter } from '../../src/api/ports.ts';
import { createGateway, type Gateway, type GatewayOptions } from '../../src/api/server.ts';
import { PROBLEMS } from '../../src/app/sliceRows.ts';

export const TENANT = '018f0000-0000-7000-8000-000000000001' as TenantId;
export const ORIGIN = 'https://api.test';

export const PRINCIPAL: Principal = {
  environment: 'live',
  id: 'key-1',
  kind: 'api-key',
  mfa: false,
  roles: ['agent_l1'],
  tenantId: TENANT,
};

export const fixedClock: Clock = {
  monotonicMs: () => 0,
  now: () => Date.UTC(2026, 0, 2, 3, 4, 5) as EpochMs,
};

interface FakeRequest {
  readonly method?: string;
  readonly path: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
}

/** Declares its Content-Length, as every client does; headers given win. */
export function fakeRequest(options: FakeRequest): HttpRequest {
  const bytes = Buffer.from(options.body ?? '');
  const headers: Record<string, string> = {
    ...(bytes.length > 0 && { 'content-length': String(bytes.length) }),
    ...options.headers,
  };
  return {
    async body(bytesMax) {
      if (bytes.length > bytesMax) throw new DomainError('body-too-large');
      return bytes;
    },
    async *bodyStream() {
      yield bytes;
    },
    header: (name) => headers[name],
    method: options.method ?? 'GET',
    path: options.path,
    query: options.query ?? '',
    remoteAddress: '127.0.0.1',
    signal: options.signal ?? new AbortController().signal,
  };
}

export function operationOf(given: Partial<Operation> = {}): Operation {
  return {
    bodyBytesMax: 0,
    handle: async () => ({ body: { done: true }, status: 200 }),
    id: 'doThing',
    idempotency: 'none',
    limits: 'general',
    method: 'GET',
    path: '/v1/things',
    responses: { 200: { description: 'Done' } },
    roles: ['agent_l1'],
    scope: 'screening:read',
    summary: 'Do a thing',
    tag: 'Operations',
    ...given,
  };
}

const OPEN = { allowed: true, headers: [], retryAfterS: 0 };

export const openLimiter: RateLimiter = {
  returnUnknown: () => undefined,
  takePublic: () => OPEN,
  takeUnknown: () => OPEN,
  take: async () => ({
    allowed: true,
    headers: [
      ['x-ratelimit-limit', '100'],
      ['x-ratelimit-remaining', '99'],
    ],
    retryAfterS: 0,
  }),
  takeAnonymous: async () => ({
    allowed: true,
    headers: [['x-ratelimit-limit', '100']],
    retryAfterS: 0,
  }),
  untaken: () => [['x-ratelimit-limit', '100']],
};

/** A gate that knows the records given and notes what was begun and ended. */
export function fakeGate(records: Record<string, IdempotencyRecord> = {}) {
  const calls: string[] = [];
  const gate: IdempotencyGate = {
    reserve(claim) {
      calls.push(`reserve ${claim.scope}`);
    },
    isAnswered: async (scope) => records[scope] !== undefined,
    async find(claim) {
      calls.push(`find ${claim.scope}`);
      return records[claim.scope];
    },
    claimOf: (keyed) => ({ fingerprint: JSON.stringify(keyed.body), scope: keyed.key }),
    end(claim) {
      calls.push(`end ${claim.scope}`);
    },
    parseKey(header) {
      if (header === undefined) throw new DomainError('idempotency-key-missing');
      return header;
    },
  };
  return { calls, gate };
}

export function gatewayOf(
  operations: readonly Operation[],
  given: Partial<GatewayOptions> = {},
): Gateway & { readonly lines: string[] } {
  const lines: string[] = [];
  const gateway = createGateway({
    authenticator: { authenticate: async () => PRINCIPAL },
    clock: fixedClock,
    deprecations: { deprecations: [] },
    idempotency: fakeGate().gate,
    log: createLog({
      destination: { write: (line) => lines.push(line) },
      level: 'debug',
      process: 'gateway',
    }),
    metrics: createMetrics({ processFigures: false }),
    operations,
    origin: () => ORIGIN,
    pages: [],
    problems: PROBLEMS,
    random: systemRandom,
    rateLimiter: openLimiter,
    readiness: () => undefined,
    ...given,
  });
  return { ...gateway, lines };
}

export function headerOf(reply: HttpReply, name: string): string | undefined {
  const values = reply.headers.filter(([known]) => known === name).map(([, value]) => value);
  return values.length === 0 ? undefined : values.join(', ');
}

export function jsonOf(reply: HttpReply): Record<string, unknown> {
  return JSON.parse(String(reply.body)) as Record<string, unknown>;
}

/** The headers of a POST that lacks nothing. */
export const JSON_HEADERS = { 'content-type': 'application/json', 'idempotency-key': 'k1' };

export function postOf(given: Partial<Operation> = {}): Operation {
  return operationOf({
    body: Type.Object({ name: Type.String({ maxLength: 5 }) }, { additionalProperties: false }),
    bodyBytesMax: 100,
    idempotency: 'required',
    method: 'POST',
    ...given,
  });
}

export async function post(
  gateway: ReturnType<typeof gatewayOf>,
  body: string,
  headers = JSON_HEADERS,
) {
  return gateway.handler(fakeRequest({ body, headers, method: 'POST', path: '/v1/things' }));
}
