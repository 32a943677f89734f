/** The console of a real gateway, as a browser on the same machine calls it. */
import { request as httpRequest } from 'node:http';
import type { TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { type ConsolePorts, makeLink, sandboxPersons, signIn } from '#slices/console';
import { consolePartsOf } from '../../../src/slices/console/edge/parts.ts';
import type { RealGateway } from '../../api/realGateway.ts';

export const OWN_PAGE = { 'Sec-Fetch-Site': 'same-origin', 'X-Console': '1' } as const;
const BY = 'cli:test' as const;

export interface Seen {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

/** Any headers at all, Host included, which `fetch` does not let through. */
export function call(
  origin: string,
  path: string,
  of: {
    readonly body?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly method?: string;
  } = {},
): Promise<Seen> {
  const { body, headers = {}, method = 'GET' } = of;
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const asked = httpRequest(
      { agent: false, headers, host: hostname, method, path, port },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (chunk: string) => {
          text += chunk;
        });
        answer.on('end', () =>
          resolve({ headers: answer.headers, status: answer.statusCode ?? 0, text }),
        );
      },
    );
    asked.on('error', reject);
    asked.end(body);
  });
}

/** The same ports at another time. */
export const shifted = (ports: ConsolePorts, byMs: number): ConsolePorts => ({
  ...ports,
  clock: { ...ports.clock, now: () => (ports.clock.now() + byMs) as EpochMs },
});

export function consoleDesk(gateway: RealGateway, tenantId: TenantId) {
  const ports = consolePartsOf(gateway.process);
  /** The address of a link for one of the two invented persons. */
  const link = async (at = 0, byMs = 0): Promise<string> => {
    const person = (await sandboxPersons(ports, { actor: BY, tenantId }))[at];
    if (person === undefined) throw new Error('no such person');
    const { origin } = gateway;
    const ask = { actor: BY, origin, personId: person.id, tenantId };
    return (await makeLink(shifted(ports, byMs), ask)).url;
  };
  const tokenOf = (url: string): string => url.split('#start=')[1] ?? '';
  return {
    /** A cookie of a session that was opened so long ago. */
    cookie: async (at = 0, byMs = 0): Promise<string> => {
      const token = tokenOf(await link(at, byMs));
      return `console-session=${(await signIn(shifted(ports, byMs), { ip: '', token })).cookie}`;
    },
    link,
    ports,
    post: (path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
      call(gateway.origin, path, {
        body: JSON.stringify(body),
        headers: { 'Content-Type': 'application/json', ...OWN_PAGE, ...headers },
        method: 'POST',
      }),
    token: async (at = 0, byMs = 0): Promise<string> => tokenOf(await link(at, byMs)),
  };
}
