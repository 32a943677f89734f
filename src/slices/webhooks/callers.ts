/**
 * Ways to endpoints: connections under the guard of the endpoint's tenant, kept while it stays as
 * it is configured, and closed some time after the last attempt. Through the operator's proxy where
 * there is one, but for this machine: the proxy's own would be another.
 *
 * An endpoint with a client certificate is called with it, or not at all.
 */
import type { Dispatcher } from 'undici';
import type { Clock } from '#platform/clock';
import { callOut } from '#platform/outbound/callOut';
import { guardedConnector } from '#platform/outbound/guardedConnector';
import { peerAgent } from '#platform/outbound/peer';
import { proxiedConnector } from '#platform/outbound/proxiedConnector';
import type { SecretBox } from '#platform/secretBox';
import { certificateInUse } from './clientCertificate.ts';
import type { EndpointCaller } from './dispatch.ts';
import { guardOf, urlFault } from './endpointUrl.ts';
import {
  ATTEMPT_MS_MAX,
  IN_FLIGHT_ENDPOINT_MAX,
  REDIRECTS_MAX,
  RESPONSE_BYTES_KEPT,
} from './limits.ts';
import type { EndpointGuards } from './ports.ts';
import { signersOf } from './secrets.ts';
import type { SecretSigner } from './signing.ts';
import type { WebhookEndpoint } from './tables.ts';

const CONNECT_MS_MAX = 10_000;
const KEEP_ALIVE_MS = 30_000;
/** Milliseconds without an attempt after which the connections of an endpoint are closed. */
const IDLE_MS = 60_000;
/** Milliseconds for which signers are used: a former secret ends at its own time. */
const SIGNERS_MS = 1_000;

interface Way {
  readonly dispatcher: Dispatcher;
  readonly caller: EndpointCaller;
  signers: readonly SecretSigner[];
  signersMs: number;
}

interface Known {
  readonly generation: number;
  /** Shared by all who ask while it is opened. */
  readonly way: Promise<Way>;
  usedMs: number;
}

export interface CallerPorts {
  readonly clock: Clock;
  readonly guards: EndpointGuards;
  readonly secrets: SecretBox;
  readonly isSandbox: (tenantId: WebhookEndpoint['tenantId']) => Promise<boolean>;
  readonly proxyUrl?: string;
  readonly timeoutMs?: number;
}

/** The callers of one process. */
export function createCallers(ports: CallerPorts) {
  const ways = new Map<string, Known>();
  let sweptMs = ports.clock.monotonicMs();

  const sweep = (nowMs: number): void => {
    if (nowMs - sweptMs < IDLE_MS) return;
    sweptMs = nowMs;
    for (const [name, known] of ways) {
      if (nowMs - known.usedMs < IDLE_MS) continue;
      ways.delete(name);
      leave(known);
    }
  };
  const open = (name: string, endpoint: WebhookEndpoint, nowMs: number): Known => {
    const way = openWay(ports, endpoint);
    const known = { generation: endpoint.generation, usedMs: nowMs, way };
    ways.set(name, known);
    // What could not be opened is tried again by the next attempt.
    way.catch(() => ways.get(name) === known && ways.delete(name));
    return known;
  };

  return {
    /** Throws SecretUnreadable. */
    async callerOf(endpoint: WebhookEndpoint): Promise<EndpointCaller> {
      const { endpointId, generation, tenantId } = endpoint;
      const nowMs = ports.clock.monotonicMs();
      sweep(nowMs);
      const name = `${tenantId}/${endpointId}`;
      let known = ways.get(name);
      if (known?.generation !== generation) {
        if (known !== undefined) leave(known);
        known = open(name, endpoint, nowMs);
      }
      known.usedMs = nowMs;
      const way = await known.way;
      if (nowMs - way.signersMs >= SIGNERS_MS) {
        way.signers = signersOf(ports.secrets, endpoint, ports.clock.now());
        way.signersMs = nowMs;
      }
      return way.caller;
    },
    async close(): Promise<void> {
      const opened = await Promise.allSettled([...ways.values()].map(({ way }) => way));
      const all = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      await Promise.all(all.map(({ dispatcher }) => dispatcher.destroy()));
    },
  };
}

/** Attempts under way end on the connections that they have. */
function leave({ way }: Known): void {
  void way.then(
    ({ dispatcher }) => dispatcher.close(),
    () => undefined, // it was never opened
  );
}

async function openWay(ports: CallerPorts, endpoint: WebhookEndpoint): Promise<Way> {
  const { clock, guards, proxyUrl, timeoutMs = ATTEMPT_MS_MAX } = ports;
  const isSandbox = await ports.isSandbox(endpoint.tenantId);
  const url = new URL(endpoint.url);
  const guard = guardOf(guards, url, isSandbox);
  const certificate = certificateInUse(ports.secrets, endpoint);
  const options = { timeoutMs: CONNECT_MS_MAX, tls: certificate.tls };
  const dispatcher = peerAgent({
    connect:
      proxyUrl === undefined || guard === guards.loopback
        ? guardedConnector(guard, options)
        : proxiedConnector(guard, { ...options, proxyUrl, resolvesNames: false }),
    connections: IN_FLIGHT_ENDPOINT_MAX,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: 16_384,
    pipelining: 1,
  });
  const mayFollow = (next: URL): boolean =>
    (url.protocol === 'http:' || next.protocol === 'https:') &&
    urlFault(guards, next, isSandbox) === undefined &&
    guardOf(guards, next, isSandbox) === guard;
  const way: Way = {
    caller: {
      async call({ body, headers }) {
        if (!certificate.isGoodAt(clock.now())) return { fault: 'mtls', redirects: 0 };
        return callOut({
          body,
          bodyBytesMax: RESPONSE_BYTES_KEPT,
          dispatcher,
          hasCertificate: certificate.hasOwn,
          headers,
          mayFollow,
          redirectsMax: REDIRECTS_MAX,
          timeoutMs,
          url,
        });
      },
      get signers() {
        return way.signers;
      },
    },
    dispatcher,
    signers: signersOf(ports.secrets, endpoint, clock.now()),
    signersMs: clock.monotonicMs(),
  };
  return way;
}
