/**
 * Ways to endpoints: connections under the guard of the endpoint's tenant, kept while it stays as
 * it is configured, and closed some time after the last attempt.
 */
import { Agent, type Dispatcher } from 'undici';
import type { Clock } from '#platform/clock';
import { callOut } from '#platform/outbound/callOut';
import { guardedConnector } from '#platform/outbound/guardedConnector';
import type { SecretBox } from '#platform/secretBox';
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
  readonly generation: number;
  readonly dispatcher: Dispatcher;
  readonly caller: EndpointCaller;
  signers: readonly SecretSigner[];
  signersMs: number;
  usedMs: number;
  address: string | undefined;
}

export interface CallerPorts {
  readonly clock: Clock;
  readonly guards: EndpointGuards;
  readonly secrets: SecretBox;
  readonly isSandbox: (tenantId: WebhookEndpoint['tenantId']) => Promise<boolean>;
  readonly timeoutMs?: number;
}

/** The callers of one process. */
export function createCallers(ports: CallerPorts) {
  const ways = new Map<string, Way>();
  let sweptMs = ports.clock.monotonicMs();

  const sweep = (nowMs: number): void => {
    if (nowMs - sweptMs < IDLE_MS) return;
    sweptMs = nowMs;
    for (const [name, way] of ways) {
      if (nowMs - way.usedMs < IDLE_MS) continue;
      ways.delete(name);
      void way.dispatcher.close();
    }
  };

  return {
    async callerOf(endpoint: WebhookEndpoint): Promise<EndpointCaller> {
      const { endpointId, generation, tenantId } = endpoint;
      const nowMs = ports.clock.monotonicMs();
      sweep(nowMs);
      const name = `${tenantId}/${endpointId}`;
      const known = ways.get(name);
      const way = known?.generation === generation ? known : await openWay(ports, endpoint);
      if (way !== known) {
        // Attempts under way end on the connections that they have.
        void known?.dispatcher.close();
        ways.set(name, way);
      }
      way.usedMs = nowMs;
      if (nowMs - way.signersMs >= SIGNERS_MS) {
        way.signers = signersOf(ports.secrets, endpoint, ports.clock.now());
        way.signersMs = nowMs;
      }
      return way.caller;
    },
    async close(): Promise<void> {
      await Promise.all([...ways.values()].map(({ dispatcher }) => dispatcher.destroy()));
    },
  };
}

async function openWay(ports: CallerPorts, endpoint: WebhookEndpoint): Promise<Way> {
  const { clock, guards, timeoutMs = ATTEMPT_MS_MAX } = ports;
  const isSandbox = await ports.isSandbox(endpoint.tenantId);
  const url = new URL(endpoint.url);
  const guard = guardOf(guards, url, isSandbox);
  const connect = guardedConnector(guard, { timeoutMs: CONNECT_MS_MAX });
  const dispatcher = new Agent({
    connect: (to, done) =>
      connect(to, (error, socket) => {
        if (error !== null) return done(error, null);
        way.address = socket.remoteAddress;
        done(null, socket);
      }),
    connections: IN_FLIGHT_ENDPOINT_MAX,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: 16_384,
    pipelining: 1,
  });
  const mayFollow = (next: URL): boolean =>
    urlFault(guards, next, isSandbox) === undefined && guardOf(guards, next, isSandbox) === guard;
  const way: Way = {
    address: undefined,
    caller: {
      async call({ body, headers }) {
        const result = await callOut({
          body,
          bodyBytesMax: RESPONSE_BYTES_KEPT,
          dispatcher,
          headers,
          mayFollow,
          redirectsMax: REDIRECTS_MAX,
          timeoutMs,
          url,
        });
        return { ...result, address: way.address };
      },
      get signers() {
        return way.signers;
      },
    },
    dispatcher,
    generation: endpoint.generation,
    signers: signersOf(ports.secrets, endpoint, clock.now()),
    signersMs: clock.monotonicMs(),
    usedMs: clock.monotonicMs(),
  };
  return way;
}
