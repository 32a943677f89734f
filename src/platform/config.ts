/**
 * The environment, read once, checked with its ranges and passed on as a value (decisions 7.2). No
 * other code reads process.env, and this code reads only its argument.
 *
 * A wrong value stops the start. All wrong values are reported at once, each with the variable,
 * what was expected and what came; a value that may contain a password is not repeated. An empty
 * value counts as unset, since compose files write `PORT=${PORT:-}`.
 */
import { availableParallelism } from 'node:os';
import { readBlobStore, type S3Config } from './blobConfig.ts';
import { type DocumentConfig, readDocuments } from './documentConfig.ts';
import {
  type Environment,
  isLoopback,
  optional,
  EnvironmentReader as Reader,
} from './environmentReader.ts';
import { type ListConfig, readLists } from './listConfig.ts';
import { LOG_LEVELS, type LogLevel } from './logLevels.ts';
import { type NoticeConfig, readNotices } from './noticeConfig.ts';
import { readTracing, type TracingConfig } from './tracingConfig.ts';
import { readWebhooks, type WebhookConfig } from './webhookConfig.ts';

export type { ObjectLock, S3Config } from './blobConfig.ts';
export type { Environment } from './environmentReader.ts';
export { isLoopback } from './environmentReader.ts';
export type { ListConfig } from './listConfig.ts';
export type { TracingConfig } from './tracingConfig.ts';

export type HttpAdapter = 'hyper-express' | 'node';
/**
 * `managed`: one installation for many tenants, with lists of the operator. `connected`: on
 * premises, lists come from their publishers. `air-gapped`: on premises, lists come as signed
 * bundles and no outbound call is made.
 */
export const DEPLOYMENT_MODES = ['managed', 'connected', 'air-gapped'] as const;
export type DeploymentMode = (typeof DEPLOYMENT_MODES)[number];
export type MongoTransactions = 'auto' | 'require' | 'off';

export interface Config {
  readonly host: string;
  readonly port: number;
  /** Whether the gateway serves the console for people. */
  readonly console: 'off' | 'on';
  /** Where a worker answers probes and scrapes, on HOST. Absent: nowhere. */
  readonly metricsPort?: number;
  /** Directory with everything of an embedded installation; one installation each. */
  readonly dataDir: string;
  readonly deploymentMode: DeploymentMode;
  readonly logLevel: LogLevel;
  readonly batchThreads: number;
  readonly engineThreads: number;
  readonly lists: ListConfig;
  readonly http: {
    readonly adapter: HttpAdapter;
    /** The choice was ours: if its binary does not load, node:http may replace it. */
    readonly isAdapterDefault: boolean;
    readonly tls?: { readonly certFile: string; readonly keyFile: string };
    /** A proxy stands in front. Only then are its forwarded headers read. */
    readonly trustProxy: boolean;
  };
  /** Public addresses without `/v1` and without a slash at the end. */
  readonly origins: { readonly live?: string; readonly sandbox?: string };
  /** Where customers open onboarding links. Absent: at the address of the API. */
  readonly onboardingOrigin?: string;
  /** Absent: a redis-server of our own is started. */
  readonly redisUrl?: string;
  /** Absent: the embedded store. */
  readonly mongodb?: { readonly url: string; readonly transactions: MongoTransactions };
  /** Absent: blobs are in a folder of the data directory. */
  readonly s3?: S3Config;
  readonly oidc?: {
    readonly issuer: string;
    readonly audience: string;
    /** Absent: found by the issuer's discovery document. */
    readonly jwksUrl?: string;
    /** The gateway as a client of the issuer: it signs people in to the console. */
    readonly client?: { readonly id: string; readonly secretFile?: string };
  };
  /** Absent: a key is made in the data directory at the first start. */
  readonly auditSigningKeyFile?: string;
  /** Absent: the key that wraps data keys is made there, likewise. */
  readonly dataKeyFile?: string;
  /** Absent: no traces are recorded. */
  readonly tracing?: TracingConfig;
  /** Absent: a key is made in the data directory at the first start. */
  readonly secretsKeyFile?: string;
  readonly documents: DocumentConfig;
  /** Registries of companies that are asked live. Absent: extracts alone answer. */
  readonly registriesFile?: string;
  readonly notices: NoticeConfig;
  readonly webhooks: WebhookConfig;
}

export const ENGINE_THREADS_MAX = 64;

/** Every variable that is wrong, one line each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/** Why a file that a variable names could not be read: `ENOENT` for one, never its content. */
export function fileProblem(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'no readable file';
}

export function loadConfig(
  environment: Environment,
  machine: { readonly cores: number } = { cores: availableParallelism() },
): Config {
  const read = new Reader(environment);
  const host = read.text('HOST', { fallback: '127.0.0.1', form: /^[A-Za-z0-9.:_-]{1,253}$/ });
  const deploymentMode = read.choice('DEPLOYMENT_MODE', {
    choices: DEPLOYMENT_MODES,
    fallback: 'connected',
  });
  const isAirGapped = deploymentMode === 'air-gapped';
  const config: Config = {
    batchThreads: read.integer('BATCH_THREADS', {
      // At low priority, so that other work on the machine comes first.
      fallback: Math.min(ENGINE_THREADS_MAX, machine.cores),
      max: ENGINE_THREADS_MAX,
      min: 1,
    }),
    console: read.choice('CONSOLE', { choices: ['on', 'off'] as const, fallback: 'on' }),
    dataDir: read.path('DATA_DIR') ?? './data',
    deploymentMode,
    documents: readDocuments(read),
    engineThreads: read.integer('ENGINE_THREADS', {
      // One core stays for the gateway itself.
      fallback: Math.min(ENGINE_THREADS_MAX, Math.max(1, machine.cores - 1)),
      max: ENGINE_THREADS_MAX,
      min: 1,
    }),
    host,
    http: readHttp(read, host),
    lists: readLists(read, { isAirGapped }),
    logLevel: read.choice('LOG_LEVEL', { choices: LOG_LEVELS, fallback: 'info' }),
    notices: readNotices(read, { isAirGapped }),
    origins: readOrigins(read),
    port: read.integer('PORT', { fallback: 8080, max: 65_535, min: 0 }),
    webhooks: readWebhooks(read, { isAirGapped }),
    ...optional('auditSigningKeyFile', read.path('AUDIT_SIGNING_KEY_FILE')),
    ...optional('dataKeyFile', read.path('DATA_KEY_FILE')),
    ...optional('metricsPort', readMetricsPort(read)),
    ...optional('mongodb', readMongodb(read)),
    ...optional('oidc', readOidc(read)),
    ...optional('onboardingOrigin', read.baseUrl('ONBOARDING_BASE_URL')),
    ...optional('registriesFile', read.path('REGISTRIES_FILE')),
    ...optional('s3', readBlobStore(read)),
    ...optional('secretsKeyFile', read.path('SECRETS_KEY_FILE')),
    ...optional('redisUrl', read.secretUrl('REDIS_URL', ['redis:', 'rediss:', 'unix:'])),
    ...optional('tracing', readTracing(read)),
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

function readMetricsPort(read: Reader): number | undefined {
  if (!read.isSet('METRICS_PORT')) return undefined;
  return read.integer('METRICS_PORT', { fallback: 0, max: 65_535, min: 0 });
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
  const id = read.text('OIDC_CLIENT_ID', { fallback: '', form: /^[\x21-\x7e]{1,255}$/ });
  const secretFile = read.path('OIDC_CLIENT_SECRET_FILE');
  if (id === '' && secretFile !== undefined) {
    read.refuse('OIDC_CLIENT_ID', 'a value, beside OIDC_CLIENT_SECRET_FILE', 'nothing');
  }
  if (issuer !== undefined && audience !== '') {
    const client = id === '' ? undefined : { id, ...optional('secretFile', secretFile) };
    return { audience, issuer, ...optional('client', client), ...optional('jwksUrl', jwksUrl) };
  }
  if (issuer !== undefined) read.refuse('OIDC_AUDIENCE', 'a value, beside OIDC_ISSUER', 'nothing');
  if (issuer === undefined && (audience !== '' || id !== '' || jwksUrl !== undefined)) {
    read.refuse('OIDC_ISSUER', 'a URL, beside the other OIDC_ variables', 'nothing');
  }
  return undefined;
}
