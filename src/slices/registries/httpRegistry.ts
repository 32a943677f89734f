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
  const ask = async (url: string): Promise<unknown> => {
    if (clock.monotonicMs() < restsUntilMs) throw away('it is left alone after failures');
    for (let tries = 1; ; tries++) {
      try {
        const answer = await call(options, url);
        failures = 0;
        return answer;
      } catch (error) {
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

/** Undefined where the registry has none. */
async function call({ config, dispatcher, secretOf }: Options, url: string): Promise<unknown> {
  const { header } = config;
  const secret = header && { [header.name]: await secretOf(header.file) };
  const answer = await request(url, {
    bodyTimeout: CALL_MS_MAX,
    dispatcher,
    headers: { accept: 'application/json', ...secret },
    headersTimeout: CALL_MS_MAX,
    signal: AbortSignal.timeout(CALL_MS_MAX),
  });
  const text = await readAll(answer.body);
  if (answer.statusCode === NOT_FOUND) return undefined;
  if (answer.statusCode < 200 || answer.statusCode >= 300) {
    throw away(`it has answered ${answer.statusCode}`);
  }
  try {
    return JSON.parse(text);
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
