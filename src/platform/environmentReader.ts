/**
 * Reads variables one by one, each with its form and its range. Every problem is kept, so an
 * operator learns of all of them at once. An empty value counts as unset.
 */
import { readFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';

export type Environment = Readonly<Record<string, string | undefined>>;

const PATH_CHARS_MAX = 4_096;

/** Whether the host is a loopback address; of names only `localhost`. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

/** `exactOptionalPropertyTypes`: absent is absent, not undefined. */
export function optional<Key extends string, Value>(key: Key, value: Value | undefined) {
  return (value === undefined ? {} : { [key]: value }) as { [K in Key]?: Value };
}

export class EnvironmentReader {
  readonly problems: string[] = [];
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  refuse(name: string, expected: string, got: string): void {
    this.problems.push(`${name}: expected ${expected}, got ${got}`);
  }

  integer(name: string, of: { fallback: number; min: number; max: number }): number {
    const text = this.#given(name);
    if (text === undefined) return of.fallback;
    const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= of.min && value <= of.max) return value;
    this.refuse(name, `an integer ${of.min}..${of.max}`, quote(text));
    return of.fallback;
  }

  choice<Choice extends string>(
    name: string,
    of: { choices: readonly Choice[]; fallback: Choice },
  ): Choice {
    const text = this.#given(name);
    if (text === undefined) return of.fallback;
    const choice = of.choices.find((one) => one === text);
    if (choice !== undefined) return choice;
    const expected = of.choices.filter((one) => one !== '').map((one) => `'${one}'`);
    this.refuse(name, expected.join(' or '), quote(text));
    return of.fallback;
  }

  flag(name: string): boolean {
    const choice = this.choice(name, {
      choices: ['true', 'false', '1', '0'] as const,
      fallback: 'false',
    });
    return choice === 'true' || choice === '1';
  }

  text(name: string, of: { fallback: string; form: RegExp }): string {
    const text = this.#given(name);
    if (text === undefined) return of.fallback;
    if (of.form.test(text)) return text;
    this.refuse(name, `a value like ${String(of.form)}`, quote(text));
    return of.fallback;
  }

  path(name: string): string | undefined {
    const text = this.#given(name);
    if (text === undefined) return undefined;
    if (text.length <= PATH_CHARS_MAX && !text.includes('\0')) return text;
    this.refuse(
      name,
      `a path of at most ${PATH_CHARS_MAX} characters`,
      `${text.length} characters`,
    );
    return undefined;
  }

  /** An origin, with or without `/v1` behind it. */
  baseUrl(name: string): string | undefined {
    const url = this.#url(name);
    if (url === undefined) return undefined;
    const isPlain = url.search === '' && url.hash === '' && url.username === '';
    if (isPlain && isWeb(url) && /^\/(v1\/?)?$/.test(url.pathname)) return url.origin;
    this.refuse(name, "an http or https URL that ends in '/v1'", quote(url.href));
    return undefined;
  }

  webUrl(name: string): string | undefined {
    const url = this.#url(name);
    if (url === undefined) return undefined;
    // Keys that come over plain HTTP could be forged; loopback is for tests.
    const isSafe = url.protocol === 'https:' || isLoopback(url.hostname.replace(/^\[|\]$/g, ''));
    // As given: an issuer is compared letter by letter, and URL adds a slash.
    if (isWeb(url) && isSafe && url.username === '') return this.#given(name);
    this.refuse(name, 'an https URL (http on loopback only)', quote(url.href));
    return undefined;
  }

  /**
   * A URL that may contain credentials, so a wrong value is not repeated. `<name>_FILE` names a
   * file with it instead, as container engines hand out secrets.
   */
  secretUrl(name: string, protocols: readonly string[]): string | undefined {
    const text = this.#given(name) ?? this.#fromFile(`${name}_FILE`);
    if (text === undefined) return undefined;
    // Several hosts, as in mongodb://a,b/, are no URL to WHATWG: the driver parses the rest.
    const protocol = /^[a-z+]+:/.exec(text)?.[0] ?? '';
    if (protocols.includes(protocol) && text.length > `${protocol}//`.length) return text;
    const expected = protocols.map((one) => `${one}//…`).join(' or ');
    this.refuse(name, expected, `${text.length} other characters (not shown)`);
    return undefined;
  }

  /** Over http or https, wherever it is: for what the operator runs beside us. */
  anyWebUrl(name: string): string | undefined {
    const url = this.#url(name);
    if (url === undefined) return undefined;
    if (isWeb(url) && url.username === '' && url.hash === '') return this.#given(name);
    this.refuse(name, 'an http or https URL without credentials', 'another (not shown)');
    return undefined;
  }

  /** A wrong value is never repeated. */
  secretText(name: string, form: RegExp): string | undefined {
    const text = this.#given(name);
    if (text === undefined || form.test(text)) return text;
    this.refuse(name, `a value like ${String(form)}`, `${text.length} characters (not shown)`);
    return undefined;
  }

  /** A wrong value is never repeated. */
  secret(name: string): string | undefined {
    const text = this.#given(name);
    if (text === undefined || /^[\x21-\x7e]{1,1024}$/.test(text)) return text;
    this.refuse(name, '1..1024 printable characters', `${text.length} others (not shown)`);
    return undefined;
  }

  isSet(name: string): boolean {
    return this.#given(name) !== undefined;
  }

  #fromFile(name: string): string | undefined {
    const path = this.path(name);
    if (path === undefined) return undefined;
    try {
      return readFileSync(path, 'utf8').trim();
    } catch (error) {
      const got = error instanceof Error && 'code' in error ? String(error.code) : 'no file';
      this.refuse(name, 'a readable file', got);
      return undefined;
    }
  }

  #url(name: string): URL | undefined {
    const text = this.#given(name);
    if (text === undefined) return undefined;
    if (URL.canParse(text)) return new URL(text);
    this.refuse(name, 'an absolute URL', quote(text));
    return undefined;
  }

  #given(name: string): string | undefined {
    const text = this.#environment[name]?.trim();
    return text === '' ? undefined : text;
  }
}

function isWeb(url: URL): boolean {
  return url.protocol === 'https:' || url.protocol === 'http:';
}

function quote(text: string): string {
  return `'${text.slice(0, 100)}'`;
}
