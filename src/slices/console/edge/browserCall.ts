/**
 * What a request of the console must show before its cookie counts: that a page of the console has
 * sent it. A form or an image of another site can send the cookie, and neither the header X-Console
 * nor `Sec-Fetch-Site: same-origin`, which browsers write themselves.
 */
import { DomainError } from '#core/kernel';
import { type ConsolePorts, isLocalCall } from '#slices/console';
import type { HttpRequest } from '../../../api/http/port.ts';

/** What the pages and the door of the console are made of. */
export interface ConsoleCalls {
  /** Persons are signed in by the identity provider, and from anywhere. */
  readonly isByProvider: boolean;
  /** Over TLS a cookie says so, and has the name that browsers bind to the host. */
  readonly isSecure: () => boolean;
  /** The public address that a browser came by. */
  readonly originAt: (host: string | undefined) => string;
  readonly ports: () => ConsolePorts;
  /** Why nobody signs in by a link here; undefined: they may. */
  readonly refusal: string | undefined;
}

/** Throws `credential-invalid`. */
export function requireOwnPage(calls: ConsoleCalls, request: HttpRequest): void {
  const isOwn =
    request.header('x-console') === '1' && request.header('sec-fetch-site') === 'same-origin';
  if (!isOwn) {
    const detail = 'expected X-Console: 1 and Sec-Fetch-Site: same-origin, from the console itself';
    throw new DomainError('credential-invalid', { detail });
  }
  if (!calls.isByProvider) requireLocal(calls, request);
}

/** Throws `credential-invalid`. */
export function requireLocal({ refusal }: ConsoleCalls, request: HttpRequest): void {
  const { remoteAddress } = request;
  if (refusal !== undefined || !isLocalCall({ host: request.header('host'), remoteAddress })) {
    const detail = 'expected a call from this machine, to 127.0.0.1, [::1] or localhost';
    throw new DomainError('credential-invalid', { detail: refusal ?? detail });
  }
}

export const cookieName = ({ isSecure }: Pick<ConsoleCalls, 'isSecure'>): string =>
  isSecure() ? '__Host-session' : 'console-session';

/** Throws `credential-missing` without a cookie, `credential-invalid` with two of them. */
export function requireCookie(calls: ConsoleCalls, request: HttpRequest): string {
  const [cookie, ...others] = cookiesOf(calls, request);
  if (cookie === undefined) throw new DomainError('credential-missing');
  if (others.length > 0) throw new DomainError('credential-invalid');
  return cookie;
}

/** The values of the session's cookie; an attacker beside us may have set a second one. */
export const cookiesOf = (calls: ConsoleCalls, request: HttpRequest): readonly string[] =>
  valuesOf(request, cookieName(calls));

const valuesOf = (request: HttpRequest, name: string): readonly string[] =>
  (request.header('cookie') ?? '')
    .split(/[;,]/)
    .map((one) => one.trim())
    .filter((one) => one.startsWith(`${name}=`))
    .map((one) => one.slice(name.length + 1));

const flowName = ({ isSecure }: Pick<ConsoleCalls, 'isSecure'>): string =>
  isSecure() ? '__Secure-console-flow' : 'console-flow';

/** The sign-in under way in this browser. Throws `credential-invalid` where there is none. */
export function requireFlow(calls: ConsoleCalls, request: HttpRequest): string {
  const [flow, ...others] = valuesOf(request, flowName(calls));
  if (flow === undefined || others.length > 0) throw new DomainError('credential-invalid');
  return flow;
}

/** Sent along when the provider sends the browser back, and to no other page. */
export function setFlow(calls: ConsoleCalls, value: string, maxAgeS: number): string {
  const secure = calls.isSecure() ? 'Secure; ' : '';
  const place = `${secure}Path=/console/auth; Max-Age=${maxAgeS}`;
  return `${flowName(calls)}=${value}; ${place}; HttpOnly; SameSite=Lax`;
}

/** `maxAgeS` 0 takes it away. */
export function setCookie(calls: ConsoleCalls, value: string, maxAgeS: number): string {
  const place = calls.isSecure() ? 'Path=/; Secure' : 'Path=/console';
  return `${cookieName(calls)}=${value}; ${place}; Max-Age=${maxAgeS}; HttpOnly; SameSite=Strict`;
}
