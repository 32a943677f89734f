/**
 * Endpoints are compared with the chain (decision 3.1b): each change of one has an entry with its
 * digest. Nothing is sent to an address that no entry made what it is, and no change goes on from
 * one; what waits for such an endpoint waits until it was put right, or registered anew.
 */
import { isDeepStrictEqual } from 'node:util';
import {
  type JsonRecord,
  type KeptRecord,
  type SignedRecordPorts,
  SignedRecords,
} from '#core/audit';
import { allRecords, chainOf, DomainError, type Tables, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import { auditActions } from './auditActions.ts';
import { endpointTable, type WebhookEndpoint } from './tables.ts';

const REMOVED = 'webhook.endpoint.removed';
const CHOICES = ['webhook.endpoint.created', 'webhook.endpoint.changed'];
const TLS_CHANGED = 'webhook.tls.changed';
const ACTIONS = Object.keys(auditActions).filter((action) =>
  /^webhook\.(certificate|endpoint|secret|tls)\./.test(action),
);

type EndpointPlace = Pick<WebhookEndpoint, 'endpointId' | 'tenantId'>;

/** What an entry says of the endpoint that it changes; null: it is there no more. */
export const heldTo = (endpoint: WebhookEndpoint | undefined) => ({
  endpoint_digest: endpoint === undefined ? null : endpointDigest(endpoint),
});

/** Digests of records that workers keep, and compare at each look: a record never changes. */
const digests = new WeakMap<WebhookEndpoint, string>();

/** Digest of all that decides anything: without free text, and counts that are only work. */
function endpointDigest(endpoint: WebhookEndpoint): string {
  const known = digests.get(endpoint);
  if (known !== undefined) return known;
  const {
    consecutiveFailures: _,
    description: __,
    failingSince: ___,
    lastFailureAt: ____,
    lastSuccessAt: _____,
    ...decisive
  } = endpoint;
  const digest = sha256Hex(`webhook-endpoint-v1\0${canonicalJson(decisive)}`);
  digests.set(endpoint, digest);
  return digest;
}

export interface SignedEndpoints {
  /** The endpoint as it is stored, with why it is not what was signed, where it is not. */
  find(place: EndpointPlace): Promise<FoundEndpoint>;
  /** The same of one that was just read, without another look where it is good. */
  judge(endpoint: WebhookEndpoint): Promise<FoundEndpoint>;
  /** The endpoint; rejects with `state-altered` where it is not what was signed. */
  require(endpoint: WebhookEndpoint): Promise<WebhookEndpoint>;
  /** All of a tenant that are not what was signed, in words; how many there are. */
  check(tenantId: TenantId): Promise<{ count: number; refusals: readonly string[] }>;
}

export interface FoundEndpoint {
  readonly found: WebhookEndpoint | undefined;
  readonly refusal: string | undefined;
}

/** One for a process. */
export function signedEndpoints(
  ports: SignedRecordPorts & { readonly tables: Pick<Tables, 'find' | 'page'> },
): SignedEndpoints {
  const records = new SignedRecords(ports, {
    actions: ACTIONS,
    digestIn: ({ action, endpoint_digest }) =>
      action === REMOVED ? null : (endpoint_digest as string | undefined),
    keysOf: ({ target }) => [String(target)],
  });
  const find = ({ endpointId, tenantId }: EndpointPlace): Promise<FoundEndpoint> =>
    records.settled(
      chainOf(tenantId),
      () => ports.tables.find(endpointTable, { endpointId, tenantId }),
      (found) => keptOf(endpointId, found),
    );
  const judge = async (endpoint: WebhookEndpoint): Promise<FoundEndpoint> => {
    const { endpointId, tenantId } = endpoint;
    const refusal = await records.refusal(chainOf(tenantId), keptOf(endpointId, endpoint));
    return refusal === undefined ? { found: endpoint, refusal } : find(endpoint);
  };
  return {
    find,
    judge,
    async require(endpoint) {
      const { refusal } = await judge(endpoint);
      if (refusal === undefined) return endpoint;
      throw new DomainError('state-altered', { detail: named(endpoint.endpointId, refusal) });
    },
    async check(tenantId) {
      const ask = { equal: { tenantId }, index: 'key' };
      const endpoints = await allRecords(ports.tables, endpointTable, ask);
      const refusals: string[] = [];
      for (const endpoint of endpoints) {
        const { refusal } = await judge(endpoint);
        if (refusal !== undefined) refusals.push(named(endpoint.endpointId, refusal));
      }
      const known = new Set(endpoints.map(({ endpointId }) => endpointId));
      for (const endpointId of await records.missing(chainOf(tenantId), known)) {
        const { refusal } = await find({ endpointId, tenantId });
        if (refusal !== undefined) refusals.push(named(endpointId, refusal));
      }
      return { count: endpoints.length, refusals };
    },
  };
}

const named = (endpointId: string, refusal: string): string =>
  `webhook endpoint ${endpointId}: ${refusal}`;

const keptOf = (key: string, endpoint: WebhookEndpoint | undefined): KeptRecord => ({
  digest: heldTo(endpoint).endpoint_digest,
  key,
  ...(endpoint && { isAsFormerly: (entries) => isAsFormerly(endpoint, entries) }),
});

/** Entries of a former release tell the choices of persons, and what connections show. */
function isAsFormerly(endpoint: WebhookEndpoint, entries: readonly JsonRecord[]): boolean {
  const { caPem, catalog, clientCertificate, disabledReason, events, url } = endpoint;
  const choice = entries.findLast(({ action }) => CHOICES.includes(String(action)));
  const tls = entries.findLast(({ action }) => action === TLS_CHANGED);
  const is = {
    ca_sha256: caPem === undefined ? null : sha256Hex(caPem),
    catalog,
    client_certificate_sha256: clientCertificate?.sha256 ?? null,
    disabled_reason: disabledReason ?? null,
    events,
    url,
  };
  const was = {
    ca_sha256: tls?.ca_sha256 ?? null,
    catalog: choice?.catalog ?? null,
    client_certificate_sha256: tls?.client_certificate_sha256 ?? null,
    disabled_reason: choice?.disabled_reason ?? null,
    events: choice?.events ?? null,
    url: choice?.url ?? null,
  };
  return isDeepStrictEqual(is, was);
}
