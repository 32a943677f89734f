/**
 * Registries that the operator has calls to (`REGISTRIES_FILE`): where each is asked, with which
 * header, and where in its answer each member of a company stands (RFC 6901).
 */
import { DomainError } from '#core/kernel';
import { REGISTRIES, type RegistryName } from './identifiers.ts';

/** How a token is got: the file's JSON is posted, and the answer has the token at the pointer. */
export interface RegistryLogin {
  readonly url: string;
  /** JSON, as the registry wants it: a name and a password. */
  readonly file: string;
  readonly token: string;
}

/** A registry behind HTTP. */
export interface HttpRegistryConfig {
  /** `{identifier}` stands for what is looked for. */
  readonly url: string;
  /** `{name}` stands for what is looked for; absent: it finds none by name. */
  readonly searchUrl?: string;
  /** Where in the answer of a search the companies stand, and their identifiers in each. */
  readonly list: string;
  readonly header?: { readonly name: string; readonly file: string };
  /** Where a token is asked for, as the register of INPI wants: absent where no call needs one. */
  readonly login?: RegistryLogin;
  /** Members of a company by their pointers. */
  readonly map: Readonly<Record<string, string>>;
  /** Words of the registry by ours: `{"active": ["A", "ACTIF"]}`. */
  readonly statuses: Readonly<Record<string, readonly string[]>>;
}

const POINTER = /^(?:\/(?:[^~/]|~0|~1)*)*$/;
const HEADER = /^[A-Za-z][A-Za-z0-9-]{0,63}$/;

/** Throws `registry-not-configured` with the place that is wrong. */
export function readRegistryConfig(
  text: string,
): Readonly<Partial<Record<RegistryName, HttpRegistryConfig>>> {
  const raw = objectAt(parsed(text), '');
  const entries = Object.entries(raw).map(([name, value]) => {
    if (!REGISTRIES.some((one) => one === name)) {
      throw wrong(`/${name}`, `expected one of ${REGISTRIES.join(', ')}`);
    }
    return [name, readOne(objectAt(value, `/${name}`), `/${name}`)] as const;
  });
  return Object.fromEntries(entries);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new DomainError('registry-not-configured', {
      cause,
      detail: 'REGISTRIES_FILE: expected JSON',
    });
  }
}

function readOne(raw: Raw, at: string): HttpRegistryConfig {
  const map = textsAt(raw.map, `${at}/map`);
  for (const [name, pointer] of Object.entries(map)) {
    if (!POINTER.test(pointer)) throw wrong(`${at}/map/${name}`, 'expected a JSON pointer');
  }
  for (const name of ['identifier', 'legal_name']) {
    if (map[name] === undefined) throw wrong(`${at}/map/${name}`, 'expected a JSON pointer');
  }
  const { header, list = '', login, search_url: searchUrl, statuses = {} } = raw;
  if (header !== undefined && login !== undefined) {
    throw wrong(`${at}/login`, 'expected either `header` or `login`');
  }
  return {
    list: textAt(list, `${at}/list`),
    map,
    statuses: listsAt(statuses, `${at}/statuses`),
    url: addressAt(raw.url, `${at}/url`, '{identifier}'),
    ...(header !== undefined && { header: headerAt(header, `${at}/header`) }),
    ...(login !== undefined && { login: loginAt(login, `${at}/login`) }),
    ...(searchUrl !== undefined && {
      searchUrl: addressAt(searchUrl, `${at}/search_url`, '{name}'),
    }),
  };
}

type Raw = Readonly<Record<string, unknown>>;

const wrong = (at: string, expected: string): DomainError =>
  new DomainError('registry-not-configured', { detail: `REGISTRIES_FILE: ${at}: ${expected}` });

function objectAt(value: unknown, at: string): Raw {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Raw;
  throw wrong(at, 'expected an object');
}

function textAt(value: unknown, at: string): string {
  if (typeof value === 'string') return value;
  throw wrong(at, 'expected a text');
}

const textsAt = (value: unknown, at: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(objectAt(value, at)).map(([name, one]) => [name, textAt(one, `${at}/${name}`)]),
  );

const listsAt = (value: unknown, at: string): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    Object.entries(objectAt(value, at)).map(([name, list]) => {
      if (!Array.isArray(list)) throw wrong(`${at}/${name}`, 'expected a list of texts');
      return [name, list.map((one) => textAt(one, `${at}/${name}`))];
    }),
  );

function headerAt(value: unknown, at: string): { readonly name: string; readonly file: string } {
  const { file, name } = textsAt(value, at);
  if (name === undefined || !HEADER.test(name)) throw wrong(`${at}/name`, 'expected a header');
  if (file === undefined) throw wrong(`${at}/file`, 'expected the path of a file');
  return { file, name };
}

function loginAt(value: unknown, at: string): RegistryLogin {
  const { file, token, url } = textsAt(value, at);
  if (file === undefined) throw wrong(`${at}/file`, 'expected the path of a file');
  if (token === undefined || !POINTER.test(token)) {
    throw wrong(`${at}/token`, 'expected a JSON pointer');
  }
  if (url === undefined || !URL.canParse(url) || new URL(url).protocol !== 'https:') {
    throw wrong(`${at}/url`, 'expected an https URL');
  }
  return { file, token, url };
}

/** Over TLS, and with its place for what is looked for behind the host. */
function addressAt(value: unknown, at: string, place: string): string {
  const text = textAt(value, at);
  const isUrl = URL.canParse(text.replaceAll(place, 'x'));
  const url = isUrl ? new URL(text.replaceAll(place, 'x')) : undefined;
  const isBehindHost = text.indexOf(place) > text.indexOf('/', 'https://'.length);
  if (url?.protocol === 'https:' && text.includes(place) && isBehindHost) return text;
  throw wrong(at, `expected an https URL with ${place} behind its host`);
}
