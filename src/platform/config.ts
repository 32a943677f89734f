/**
 * The environment, read once, checked with its ranges and passed on as a value (decisions 7.2).
 * Nothing else reads process.env, and this only reads what it is handed.
 *
 * A wrong value stops the start. All of them are named at once, each with the variable, what was
 * expected and what came; a value that may hold a password is not repeated. Empty is as unset,
 * since compose files write `PORT=${PORT:-}`.
 */
import { isIPv4 } from 'node:net';
import { availableParallelism } from 'node:os';
import { LOG_LEVELS, type LogLevel } from './log.ts';

export type HttpAdapter = 'hyper-express' | 'node';
/**
 * `managed`: one installation for many tenants, lists are the operator's. `connected`: on premises,
 * lists come from their publishers. `air-gapped`: on premises, they come as signed bundles and no
 * outbound call is made.
 */
export const DEPLOYMENT_MODES = ['managed', 'connected', 'air-gapped'] as const;
export type DeploymentMode = (typeof DEPLOYMENT_MODES)[number];
export type MongoTransactions = 'auto' | 'require' | 'off';

export interface Config {
  readonly host: string;
  readonly port: number;
  /** Holds everything of an embedded installation; one installation each. */
  readonly dataDir: string;
  readonly deploymentMode: DeploymentMode;
  readonly logLevel: LogLevel;
  readonly engineThreads: number;
  readonly http: {
    readonly adapter: HttpAdapter;
    /** Chosen by us: where its binary does not load, node:http may stand in. */
    readonly isAdapterDefault: boolean;
    readonly tls?: { readonly certFile: string; readonly keyFile: string };
    /** A proxy stands in front: its forwarded headers are read, and only then. */
    readonly trustProxy: boolean;
  };
  /** Public addresses without `/v1` and without a slash at the end. */
  readonly origins: { readonly live?: string; readonly sandbox?: string };
  /** Absent: a redis-server of our own is started. */
  readonly redisUrl?: string;
  /** Absent: the embedded store. */
  readonly mongodb?: { readonly url: string; readonly transactions: MongoTransactions };
  readonly oidc?: {
    readonly issuer: string;
    readonly audience: string;
    /** Absent: found by the issuer's discovery document. */
    readonly jwksUrl?: string;
  };
  /** Absent: a key is made in the data directory at the first start. */
  readonly auditSigningKeyFile?: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export const ENGINE_THREADS_MAX = 64;
const PATH_CHARS_MAX = 4_096;

/** Every variable that is wrong, one line each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/** What came of reading a file that a variable names: `ENOENT`, and never its content. */
export function fileProblem(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'no readable file';
}

export function loadConfig(
  environment: Environment,
  machine: { readonly cores: number } = { cores: availableParallelism() },
): Config {
  const read = new Reader(environment);
  const host = read.text('HOST', { fallback: '127.0.0.1', form: /^[A-Za-z0-9.:_-]{1,253}$/ });
  const config: Config = {
    dataDir: read.path('DATA_DIR') ?? './data',
    deploymentMode: read.choice('DEPLOYMENT_MODE', {
      choices: DEPLOYMENT_MODES,
      fallback: 'connected',
    }),
    engineThreads: read.integer('ENGINE_THREADS', {
      // One core stays for the gateway itself.
      fallback: Math.min(ENGINE_THREADS_MAX, Math.max(1, machine.cores - 1)),
      max: ENGINE_THREADS_MAX,
      min: 1,
    }),
    host,
    http: readHttp(read, host),
    logLevel: read.choice('LOG_LEVEL', { choices: LOG_LEVELS, fallback: 'info' }),
    origins: readOrigins(read),
    port: read.integer('PORT', { fallback: 8080, max: 65_535, min: 0 }),
    ...optional('auditSigningKeyFile', read.path('AUDIT_SIGNING_KEY_FILE')),
    ...optional('mongodb', readMongodb(read)),
    ...optional('oidc', readOidc(read)),
    ...optional('redisUrl', read.secretUrl('REDIS_URL', ['redis:', 'rediss:', 'unix:'])),
  };
  if (read.problems.length > 0) throw new ConfigError(read.problems);
  return config;
}

/** What is safe depends on who can reach us: the rules of decisions 7.2, in one place. */
function readHttp(read: Reader, host: string): Config['http'] {
  const trustProxy = read.flag('TRUST_PROXY');
  const tls = readTls(read);
  const isExposed = !isLoopback(host) && !trustProxy;
  if (isExposed && tls === undefined) {
    read.refuse(
      'HOST',
      'a loopback address, or TLS_CERT_FILE and TLS_KEY_FILE, or TRUST_PROXY=true',
      `'${host}' with plain HTTP`,
    );
  }
  const chosen = read.choice('HTTP_ADAPTER', {
    choices: ['hyper-express', 'node', ''] as const,
    fallback: '',
  });
  if (chosen === 'hyper-express' && isExposed) {
    // Its parser takes ambiguous framing, which a proxy in front straightens out.
    read.refuse('HTTP_ADAPTER', "'node' beyond loopback without TRUST_PROXY", "'hyper-express'");
  }
  const byDefault: HttpAdapter = isExposed ? 'node' : 'hyper-express';
  return {
    adapter: chosen === '' ? byDefault : chosen,
    isAdapterDefault: chosen === '',
    trustProxy,
    ...optional('tls', tls),
  };
}

function readTls(read: Reader): Config['http']['tls'] {
  const certFile = read.path('TLS_CERT_FILE');
  const keyFile = read.path('TLS_KEY_FILE');
  if (certFile !== undefined && keyFile !== undefined) return { certFile, keyFile };
  if (certFile !== undefined)
    read.refuse('TLS_KEY_FILE', 'a path, beside TLS_CERT_FILE', 'nothing');
  if (keyFile !== undefined) read.refuse('TLS_CERT_FILE', 'a path, beside TLS_KEY_FILE', 'nothing');
  return undefined;
}

function readOrigins(read: Reader): Config['origins'] {
  const live = read.baseUrl('BASE_URL');
  const sandbox = read.baseUrl('SANDBOX_BASE_URL');
  if (live !== undefined && live === sandbox) {
    read.refuse('SANDBOX_BASE_URL', 'another address than BASE_URL', `'${sandbox}'`);
  }
  return { ...optional('live', live), ...optional('sandbox', sandbox) };
}

function readMongodb(read: Reader): Config['mongodb'] {
  const url = read.secretUrl('MONGODB_URL', ['mongodb:', 'mongodb+srv:']);
  const transactions = read.choice('MONGODB_TRANSACTIONS', {
    choices: ['auto', 'require', 'off'] as const,
    fallback: 'auto',
  });
  return url === undefined ? undefined : { transactions, url };
}

function readOidc(read: Reader): Config['oidc'] {
  const issuer = read.webUrl('OIDC_ISSUER');
  const jwksUrl = read.webUrl('OIDC_JWKS_URL');
  const audience = read.text('OIDC_AUDIENCE', { fallback: '', form: /^[\x21-\x7e]{1,255}$/ });
  if (issuer !== undefined && audience !== '') {
    return { audience, issuer, ...optional('jwksUrl', jwksUrl) };
  }
  if (issuer !== undefined) read.refuse('OIDC_AUDIENCE', 'a value, beside OIDC_ISSUER', 'nothing');
  if (issuer === undefined && (audience !== '' || jwksUrl !== undefined)) {
    read.refuse('OIDC_ISSUER', 'a URL, beside the other OIDC_ variables', 'nothing');
  }
  return undefined;
}

/** The address itself, never a name that resolves to one, but for `localhost`. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

/** `exactOptionalPropertyTypes`: absent is absent, not undefined. */
function optional<Key extends string, Value>(key: Key, value: Value | undefined) {
  return (value === undefined ? {} : { [key]: value }) as { [K in Key]?: Value };
}

class Reader {
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
    // Keys that come over plain HTTP could be anybody's; loopback is for tests.
    const isSafe = url.protocol === 'https:' || isLoopback(url.hostname.replace(/^\[|\]$/g, ''));
    // As given: an issuer is compared letter by letter, and URL adds a slash.
    if (isWeb(url) && isSafe && url.username === '') return this.#given(name);
    this.refuse(name, 'an https URL (http on loopback only)', quote(url.href));
    return undefined;
  }

  /** Credentials may stand in it: what came is not repeated. */
  secretUrl(name: string, protocols: readonly string[]): string | undefined {
    const text = this.#given(name);
    if (text === undefined) return undefined;
    // Several hosts, as in mongodb://a,b/, are no URL to WHATWG: the driver reads the rest.
    const protocol = /^[a-z+]+:/.exec(text)?.[0] ?? '';
    if (protocols.includes(protocol) && text.length > `${protocol}//`.length) return text;
    const expected = protocols.map((one) => `${one}//…`).join(' or ');
    this.refuse(name, expected, `${text.length} other characters (not shown)`);
    return undefined;
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
