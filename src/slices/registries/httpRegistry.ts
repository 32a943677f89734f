/**
 * A registry behind HTTP. Little is read of it and less is believed: a status, some bytes of JSON,
 * and members at the places that the operator named. After some failures it is left alone for a
 * while, so that no caller waits for what does not answer.
 */
import { type Dispatcher, request } from 'undici';
import { DomainError } from '#core/kernel';
import type { Clock } from '#platform/clock';
import { type Company, companyOf } from './company.ts';
import { type RegistryName, readIdentifier } from './identifiers.ts';
import {
  ANSWER_BYTES_MAX,
  CALL_MS_MAX,
  CALLS_MAX,
  CANDIDATES_MAX,
  FAILURES_MAX,
  REST_MS,
} from './limits.ts';
import type { CompanyRegistry } from './ports.ts';
import type { HttpRegistryConfig } from './registryConfig.ts';

const NOT_FOUND = 404;
const UNAUTHORIZED = 401;
const PEOPLE = ['beneficial_owners', 'officers'] as const;

/** One for a process: it counts the failures of its registry. */
export function httpRegistry(options: {
  readonly registry: RegistryName;
  readonly config: HttpRegistryConfig;
  /** Its value; read anew for each call, so that it can be rotated. */
  readonly secretOf: (file: string) => Promise<string>;
  readonly dispatcher: Dispatcher;
  readonly clock: Pick<Clock, 'monotonicMs' | 'now'>;
}): CompanyRegistry {
  const { clock, config, registry } = options;
  let failures = 0;
  let restsUntilMs = 0;
  /** Good until the registry refuses it. */
  let token: string | undefined;
  const ask = async (url: string): Promise<unknown> => {
    if (clock.monotonicMs() < restsUntilMs) throw away('it is left alone after failures');
    for (let tries = 1; ; tries++) {
      try {
        if (config.login !== undefined) token ??= await tokenOf(options, config.login);
        const answer = await call(options, url, token);
        failures = 0;
        return answer;
      } catch (error) {
        if (error instanceof TokenRefused) token = undefined;
        if (tries < CALLS_MAX) continue;
        failures++;
        if (failures >= FAILURES_MAX) restsUntilMs = clock.monotonicMs() + REST_MS;
        throw error instanceof DomainError ? error : away('it did not answer', error);
      }
    }
  };
  return {
    async find(query) {
      const companies =
        'identifier' in query
          ? [companyIn(options, await ask(filled(config.url, '{identifier}', query.identifier)))]
          : await search(options, ask, query.name);
      const found = companies.filter((one) => one !== undefined);
      const isOther =
        'identifier' in query && found.some((one) => one.identifier !== query.identifier);
      if (isOther) throw away(`${registry} has answered with another company`);
      return { asOf: clock.now(), companies: found.slice(0, CANDIDATES_MAX), source: 'live' };
    },
  };
}

type Options = Parameters<typeof httpRegistry>[0];

const filled = (template: string, place: string, value: string): string =>
  template.replaceAll(place, encodeURIComponent(value));

const away = (detail: string, cause?: unknown): DomainError =>
  new DomainError('registry-unavailable', { detail, ...(cause !== undefined && { cause }) });

async function search(
  options: Options,
  ask: (url: string) => Promise<unknown>,
  name: string,
): Promise<readonly (Company | undefined)[]> {
  const { list, searchUrl } = options.config;
  if (searchUrl === undefined) throw away('it finds no companies by name');
  const found = at(await ask(filled(searchUrl, '{name}', name)), list);
  if (found === undefined) return [];
  if (!Array.isArray(found)) throw away(`expected a list at ${list === '' ? 'the top' : list}`);
  return found.slice(0, CANDIDATES_MAX).map((one) => companyIn(options, one));
}

/** The registry does not know the token any more: the next try has a new one. */
class TokenRefused extends Error {
  override readonly name = 'TokenRefused';
}

const HEADER_TEXT = /^[\x21-\x7e]{1,4096}$/;

/** Throws `registry-unavailable` where the registry gives none. */
async function tokenOf(
  options: Options,
  { file, token, url }: NonNullable<HttpRegistryConfig['login']>,
): Promise<string> {
  const body = await options.secretOf(file);
  const answer = await exchange(options, url, {
    body,
    headers: { 'content-type': 'application/json' },
    method: 'POST',
  });
  const found = at(jsonOf(answer), token);
  // What is written into a header is no text of whoever answers.
  if (typeof found === 'string' && HEADER_TEXT.test(found)) return found;
  throw away('its login gives no token');
}

/** Undefined where the registry has none. */
async function call(options: Options, url: string, token?: string): Promise<unknown> {
  const { header } = options.config;
  const secret = header && { [header.name]: await options.secretOf(header.file) };
  const headers = { ...secret, ...(token !== undefined && { authorization: `Bearer ${token}` }) };
  const answer = await exchange(options, url, { headers, method: 'GET' });
  if (answer.statusCode === NOT_FOUND) return undefined;
  if (answer.statusCode === UNAUTHORIZED && token !== undefined) {
    throw new TokenRefused('the registry refuses its token');
  }
  return jsonOf(answer);
}

interface Exchanged {
  readonly statusCode: number;
  readonly text: string;
}

async function exchange(
  { dispatcher }: Options,
  url: string,
  of: {
    readonly body?: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly method: 'GET' | 'POST';
  },
): Promise<Exchanged> {
  const answer = await request(url, {
    ...of,
    bodyTimeout: CALL_MS_MAX,
    dispatcher,
    headers: { accept: 'application/json', ...of.headers },
    headersTimeout: CALL_MS_MAX,
    signal: AbortSignal.timeout(CALL_MS_MAX),
  });
  return { statusCode: answer.statusCode, text: await readAll(answer.body) };
}

/** Throws `registry-unavailable` unless it is an answer of JSON. */
function jsonOf(answer: Exchanged): unknown {
  if (answer.statusCode < 200 || answer.statusCode >= 300) {
    throw away(`it has answered ${answer.statusCode}`);
  }
  try {
    return JSON.parse(answer.text);
  } catch (cause) {
    throw away('it has answered with no JSON', cause);
  }
}

async function readAll(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body) {
    length += piece.length;
    if (length > ANSWER_BYTES_MAX) throw away(`it says more than ${ANSWER_BYTES_MAX} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** A company of an answer; undefined where the answer has none. Throws where it is unreadable. */
function companyIn({ config, registry }: Options, answer: unknown): Company | undefined {
  if (answer === undefined) return undefined;
  const said: Record<string, unknown> = {};
  for (const [name, pointer] of Object.entries(config.map)) {
    put(said, name.split('.'), at(answer, pointer));
  }
  for (const name of PEOPLE) {
    if (said[name] !== undefined && !Array.isArray(said[name])) said[name] = undefined;
  }
  const status = Object.entries(config.statuses).find(([, words]) =>
    words.includes(String(said.status)),
  );
  if (status !== undefined) [said.status] = status;
  const { value } = identifierIn(registry, said.identifier);
  return companyOf(value, said);
}

function identifierIn(registry: RegistryName, given: unknown) {
  try {
    return readIdentifier(registry, String(given ?? ''));
  } catch (cause) {
    throw away('it has answered with no identifier', cause);
  }
}

/** The value at a pointer; undefined where there is none. */
function at(value: unknown, pointer: string): unknown {
  if (pointer === '') return value;
  let found = value;
  for (const part of pointer.slice(1).split('/')) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name))
      return undefined;
    found = (found as Readonly<Record<string, unknown>>)[name];
  }
  return found;
}

/** `registered_office.city` is a member of a member. */
function put(
  said: Record<string, unknown>,
  [first = '', ...rest]: readonly string[],
  value: unknown,
) {
  if (rest.length === 0) {
    said[first] = value;
    return;
  }
  const inner = (said[first] ?? {}) as Record<string, unknown>;
  said[first] = inner;
  put(inner, rest, value);
}
