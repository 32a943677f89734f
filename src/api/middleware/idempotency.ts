/**
 * Idempotency keys (decisions 1.2): which requests are the same, and which are answered already.
 *
 * The record is not written here: it goes into the same commit as the effect, so that a crash
 * leaves both or neither. This gate keeps two requests of one process from running at once; between
 * two processes the store does so, where a scope is unique.
 */
import type { AnswerTags, AuditStore, IdempotencyRecord } from '#core/audit';
import { DomainError } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import type { Clock, EpochMs } from '#platform/clock';
import { sha256Hex } from '#platform/crypto';
import { NO_TRACER, type Tracer } from '#platform/tracing/tracer';
import type { IdempotencyClaim } from '../operation.ts';
import type { IdempotencyGate, KeyedRequest } from '../ports.ts';

export const IDEMPOTENCY_MS = 24 * 3_600_000;
const RETRY_AFTER_S = 1;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const UUID_CHARACTERS = 36;

export function createIdempotencyGate(options: {
  readonly store: Pick<AuditStore, 'findIdempotency'>;
  readonly answers: Pick<AnswerTags, 'isOwn'>;
  readonly clock: Clock;
  readonly tracer?: Tracer;
}): IdempotencyGate {
  const { answers, store, clock, tracer = NO_TRACER } = options;
  /**
   * Scope → fingerprint of the request that runs under it, undefined while its body is coming.
   * Bounded by the requests in flight.
   */
  const inFlight = new Map<string, string | undefined>();

  /**
   * An expired record is none; the store replaces it when the key is used again. One that was not
   * written as it is by this installation is repeated to nobody.
   */
  const lookUp = async (scope: string): Promise<IdempotencyRecord | undefined> => {
    const notBefore = (clock.now() - IDEMPOTENCY_MS) as EpochMs;
    const find = () => store.findIdempotency(scope, notBefore);
    const record = await tracer.step('idempotency', {}, find).catch((cause: unknown) => {
      throw new DomainError('store-unavailable', { retryAfterS: RETRY_AFTER_S, cause });
    });
    if (record === undefined || answers.isOwn(record)) return record;
    const detail = 'the answer that is stored under this key was not written by the service';
    throw new DomainError('state-altered', { detail });
  };

  return {
    parseKey: parseIdempotencyKey,
    claimOf,
    reserve({ scope, fingerprint }) {
      if (!inFlight.has(scope)) {
        inFlight.set(scope, fingerprint);
        return;
      }
      const running = inFlight.get(scope);
      const isOther = running !== undefined && fingerprint !== undefined && running !== fingerprint;
      if (isOther) throw new DomainError('idempotency-key-reused');
      throw new DomainError('idempotency-key-in-progress', { retryAfterS: RETRY_AFTER_S });
    },
    isAnswered: async (scope) => (await lookUp(scope)) !== undefined,
    async find({ scope, fingerprint }) {
      const record = await lookUp(scope);
      if (record !== undefined && record.fingerprint !== fingerprint) {
        throw new DomainError('idempotency-key-reused');
      }
      return record;
    },
    end({ scope }) {
      inFlight.delete(scope);
    },
  };
}

/** A UUID, bare or as a quoted string (RFC 8941, 3.3.3), in lower case. */
export function parseIdempotencyKey(header: string | undefined): string {
  if (header === undefined) throw new DomainError('idempotency-key-missing');
  const given = header.trim();
  const isQuoted = given.length === UUID_CHARACTERS + 2 && /^".*"$/.test(given);
  const key = (isQuoted ? given.slice(1, -1) : given).toLowerCase();
  if (key.length !== UUID_CHARACTERS || !UUID.test(key)) {
    throw new DomainError('idempotency-key-invalid', {
      detail: 'Idempotency-Key: expected a UUID, bare or in double quotes',
    });
  }
  return key;
}

/** JSON arrays, so that no two lists of parts have one text. */
export function claimOf(request: KeyedRequest): IdempotencyClaim {
  const { principal, method, route, key } = request;
  const caller = [principal.tenantId, principal.kind, principal.id];
  const body = request.bodyDigest ?? digestOf(request.body);
  const contentType = request.contentType.toLowerCase().replaceAll(/[ \t]/g, '');
  return {
    scope: sha256Hex(JSON.stringify([...caller, method, route, key])),
    fingerprint: sha256Hex(
      JSON.stringify([method, request.path, request.query, contentType, body]),
    ),
  };
}

const digestOf = (body: unknown): string =>
  body === undefined ? '' : sha256Hex(canonicalJson(body));
