/**
 * `webhook listen`: an endpoint on this machine, for as long as the command runs. It verifies what
 * comes as a customer would, prints it, and may hand it on to a program under development.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Actor } from '#core/audit';
import type { Clock } from '#platform/clock';
import { listenForStop } from '#platform/processLife';
import {
  type Registered,
  refusalOf,
  registerEndpoint,
  removeEndpoint,
  sendTest,
} from '#slices/webhooks';
import { EXIT, UsageError } from '../../../cli/command.ts';
import type { Output } from '../../../cli/output.ts';
import type { CliProcess, SliceCommand } from '../../processes.ts';
import { configurePorts } from './parts.ts';

const FORWARD_MS_MAX = 25_000;
const BODY_CHARS_MAX = 64 * 1_024;
const HANDED_ON = /^(?:x-service-|webhook-|content-type$|traceparent$)/;

export const listenCommand: SliceCommand = {
  words: 'webhook listen',
  summary: 'Take the events of a sandbox on this machine: verify them, print them, hand them on',
  options: [
    { name: 'tenant', value: 'ID', help: 'a sandbox; needed where there are several' },
    { name: 'forward', value: 'URL', help: 'where each call is handed on to, as it came' },
    { name: 'event', value: 'NAME', repeatable: true, help: 'an event; without one, all' },
    { name: 'once', help: 'ends after the first event' },
  ],
  example: 'webhook listen --forward http://127.0.0.1:3000/hook',
  async run({ actor, clock, open, output }, given) {
    const stop = listenForStop();
    const process = await open();
    const forward = given.optional('forward');
    if (forward !== undefined && !URL.canParse(forward)) {
      throw new UsageError('--forward: expected a URL');
    }
    const events = given.all('event');
    const tenantId = await sandboxOf(process, given.optional('tenant'));
    const first = Promise.withResolvers<string>();
    const listener = await listen({ clock, forward, output }, () => first.resolve('once'));
    const ends = given.isSet('once') ? [stop.asked, first.promise] : [stop.asked];
    const session = { actor, listener, owner: { sandbox: true, tenantId }, process };
    try {
      const { endpoint, secret } = await register(session, events.length === 0 ? ['*'] : events);
      listener.secret = secret;
      try {
        const names = endpoint.events.join(', ');
        output.note(`listening at ${listener.url} for ${names}; Ctrl-C ends it`);
        output.note(`secret ${secret}`);
        await orderTest(session, endpoint.endpointId);
        await Promise.race(ends);
      } finally {
        await remove(session, endpoint.endpointId);
      }
    } finally {
      await listener.close();
    }
    return EXIT.done;
  },
};

interface Session {
  readonly actor: Actor;
  readonly listener: Listener;
  readonly owner: {
    readonly sandbox: boolean;
    readonly tenantId: Registered['endpoint']['tenantId'];
  };
  readonly process: CliProcess;
}

const register = ({ actor, listener, owner, process }: Session, events: readonly string[]) =>
  registerEndpoint(
    process.once(configurePorts),
    { actor, owner },
    { catalog: 'A', description: 'webhook listen', events, isEnabled: true, url: listener.url },
  );

async function orderTest({ actor, owner, process }: Session, endpointId: string): Promise<void> {
  const { tenantId } = owner;
  const ask = { actor, endpointId, requestedBy: actor, tenantId };
  const { deliveryId } = await sendTest(process.once(configurePorts), ask);
  await process.wake('webhooks', deliveryId);
}

async function remove({ actor, owner, process }: Session, endpointId: string): Promise<void> {
  await removeEndpoint(process.once(configurePorts), { actor, endpointId, owner });
}

async function sandboxOf({ tenants }: CliProcess, id: string | undefined) {
  const sandboxes = (await tenants.list()).filter(({ kind }) => kind === 'sandbox');
  const asked = id === undefined ? sandboxes : sandboxes.filter((tenant) => tenant.id === id);
  const [only, another] = asked;
  if (only !== undefined && another === undefined) return only.id;
  const found = id === undefined ? `there are ${sandboxes.length} sandboxes` : 'it is no sandbox';
  throw new UsageError(`--tenant ID of a sandbox: ${found}`);
}

interface Listener {
  readonly url: string;
  /** Set once the endpoint is registered. */
  secret: string;
  close(): Promise<void>;
}

interface ListenParts {
  readonly clock: Clock;
  readonly forward: string | undefined;
  readonly output: Output;
}

async function listen(parts: ListenParts, onEvent: () => void): Promise<Listener> {
  const listener: Omit<Listener, 'url'> & { url: string } = {
    close: () => closed(server),
    secret: '',
    url: '',
  };
  const server = createServer((call, answer) => {
    void taken(parts, listener.secret, call)
      .then((status) => {
        answer.writeHead(status).end();
        if (status < 300) onEvent();
      })
      .catch(() => answer.writeHead(500).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  listener.url = `http://127.0.0.1:${port}/`;
  return listener;
}

/** The status that the sender gets: what the program answered where the call is handed on. */
async function taken(
  { clock, forward, output }: ListenParts,
  secret: string,
  call: IncomingMessage,
): Promise<number> {
  const body = await bodyOf(call);
  const header = String(call.headers['x-service-signature'] ?? '');
  const refusal = refusalOf({ body, header, nowS: clock.now() / 1_000, secret });
  const type = String(call.headers['x-service-event-type'] ?? '');
  if (refusal !== undefined) {
    output.error(`refused: ${refusal}`);
    return 401;
  }
  const value = JSON.parse(body) as object;
  output.result(
    { event: value, verified: true },
    `verified ${type}\n${JSON.stringify(value, null, 2)}`,
  );
  return forward === undefined ? 204 : handOn(forward, call, body, output);
}

async function handOn(
  url: string,
  call: IncomingMessage,
  body: string,
  output: Output,
): Promise<number> {
  const kept = Object.entries(call.headers).filter(([name]) => HANDED_ON.test(name));
  // The help of the command line loads no client.
  const { request } = await import('undici');
  try {
    const answer = await request(url, {
      body,
      headers: Object.fromEntries(kept) as Record<string, string>,
      headersTimeout: FORWARD_MS_MAX,
      method: 'POST',
    });
    await answer.body.dump();
    output.note(`${url} answered ${answer.statusCode}`);
    return answer.statusCode;
  } catch (error) {
    output.error(`${url} did not answer: ${error instanceof Error ? error.name : 'error'}`);
    return 502;
  }
}

async function bodyOf(call: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of call) {
    bytes += (piece as Buffer).length;
    if (bytes > BODY_CHARS_MAX) throw new RangeError('a body that is too long');
    pieces.push(piece as Buffer);
  }
  return Buffer.concat(pieces).toString('utf8');
}

const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
