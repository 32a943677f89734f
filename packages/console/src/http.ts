/**
 * Calls to the gateway that the page came from, and to no other. The cookie goes with them by
 * itself; the header says that a page of the console has sent it.
 */
import { Problem } from './problem.ts';

const API = '/console/api';
const OWN = { 'X-Console': '1' } as const;

/** Told when a session has ended: the page asks for a new sign-in. */
let onSignedOut = (): void => undefined;
export const whenSignedOut = (listener: () => void): void => {
  onSignedOut = listener;
};

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export function withQuery(path: string, query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? path : `${path}?${text}`;
}

export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...OWN, ...(init.headers as Record<string, string> | undefined) };
  const response = await fetch(path, { ...init, credentials: 'same-origin', headers });
  if (response.ok) return response;
  const problem = await problemOf(response);
  if (problem.status === 401) onSignedOut();
  throw problem;
}

async function problemOf(response: Response): Promise<Problem> {
  const text = await response.text();
  const isProblem = response.headers.get('content-type')?.includes('json') === true;
  return new Problem(response.status, isProblem ? JSON.parse(text) : { detail: text });
}

const read = async <Body>(response: Response): Promise<Body> =>
  response.status === 204 ? (undefined as Body) : ((await response.json()) as Body);

export async function get<Body>(path: string, query?: Query, signal?: AbortSignal): Promise<Body> {
  return read<Body>(
    await send(API + withQuery(path, query), signal === undefined ? {} : { signal }),
  );
}

/** Under a fresh key, so that what is sent again by the browser is done once. */
export async function change<Body>(
  method: 'DELETE' | 'PATCH' | 'POST' | 'PUT',
  path: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Body> {
  const response = await send(API + path, {
    headers: {
      ...headers,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      'Idempotency-Key': crypto.randomUUID(),
    },
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return read<Body>(response);
}

/** A call that is none of the API's: sign-in and sessions. */
export async function ask<Body>(path: string, body?: object): Promise<Body> {
  const init =
    body === undefined
      ? {}
      : {
          body: JSON.stringify(body),
          headers: { 'Content-Type': 'application/json' },
          method: 'POST',
        };
  return read<Body>(await send(`/console/auth/${path}`, init));
}
