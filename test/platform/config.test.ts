/** The environment: every variable's range, the rules between them, and messages that help. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ConfigError, type Environment, loadConfig } from '#platform/config';

const MACHINE = { cores: 4 };
const load = (environment: Environment) => loadConfig(environment, MACHINE);

function problemsOf(environment: Environment): readonly string[] {
  try {
    load(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

test('an empty environment is a complete configuration for one machine', () => {
  expect(load({})).toEqual({
    dataDir: './data',
    deploymentMode: 'connected',
    batchThreads: 4,
    console: 'on',
    engineThreads: 3,
    host: '127.0.0.1',
    http: { adapter: 'hyper-express', isAdapterDefault: true, trustProxy: false },
    lists: {
      allowedHosts: [],
      proxyResolvesNames: false,
      userAgent: 'compliance-screening/1.0 (list ingestion)',
    },
    logLevel: 'info',
    notices: { operations: { locale: 'en', mails: [] } },
    origins: {},
    port: 8080,
    documents: { programPath: '' },
    webhooks: { allowedSubnets: [] },
  });
});

test('an empty value is as an unset one', () => {
  expect(load({ HOST: '', PORT: ' ', REDIS_URL: '' })).toEqual(load({}));
});

test('everything that can be set is set', () => {
  const config = load({
    AIR_GAP_DIR: '/media/lists',
    AIR_GAP_KEYS_FILE: '/media/keys.json',
    AUDIT_SIGNING_KEY_FILE: '/run/secrets/audit',
    BASE_URL: 'https://api.example.com/v1',
    COMMERCIAL_CLIENT_ID: 'me',
    COMMERCIAL_CLIENT_SECRET_FILE: '/run/secrets/feed',
    COMMERCIAL_FEED_ORIGIN: 'https://data.example.com/v2/',
    COMMERCIAL_SCOPE: 'lists',
    COMMERCIAL_TOKEN_URL: 'https://feed.example.com/token',
    CONSOLE: 'off',
    DATA_DIR: '/var/lib/x',
    DEPLOYMENT_MODE: 'air-gapped',
    BATCH_THREADS: '5',
    ENGINE_THREADS: '2',
    FETCH_ALLOWED_HOSTS: 'Mirror.bank.example., 10.1.0.0/16,fd00::/8,[::1],192.168.1.2',
    FETCH_USER_AGENT: 'bank/2',
    HOST: '0.0.0.0',
    HTTP_ADAPTER: 'node',
    LOG_LEVEL: 'debug',
    MONGODB_TRANSACTIONS: 'require',
    MONGODB_URL: 'mongodb://a:27017,b:27017/x?replicaSet=r',
    OIDC_AUDIENCE: 'compliance',
    OIDC_CLIENT_ID: 'console',
    OIDC_CLIENT_SECRET_FILE: '/run/secrets/client',
    OIDC_ISSUER: 'https://id.example.com/realms/x',
    OIDC_JWKS_URL: 'https://id.example.com/keys',
    OPERATIONS_LOCALE: 'fr',
    OPERATIONS_MAIL: 'ops@bank.example',
    PORT: '0',
    REDIS_URL: 'rediss://:secret@redis:6379/0',
    SANDBOX_BASE_URL: 'https://sandbox.example.com',
    SECRETS_KEY_FILE: '/run/secrets/key',
    TLS_CERT_FILE: '/cert.pem',
    TLS_KEY_FILE: '/key.pem',
    TRUST_PROXY: '1',
    CLAMD_URL: 'unix:/run/clamd',
    OCR_LANG_DIR: '/data',
    PATH: '/bin',
    WEBHOOK_ALLOWED_SUBNETS: '10.2.0.0/16, ::1',
  });
  expect(config).toEqual({
    auditSigningKeyFile: '/run/secrets/audit',
    batchThreads: 5,
    console: 'off',
    dataDir: '/var/lib/x',
    deploymentMode: 'air-gapped',
    documents: { clamdUrl: 'unix:/run/clamd', ocrLangDir: '/data', programPath: '/bin' },
    engineThreads: 2,
    host: '0.0.0.0',
    http: {
      adapter: 'node',
      isAdapterDefault: false,
      tls: { certFile: '/cert.pem', keyFile: '/key.pem' },
      trustProxy: true,
    },
    lists: {
      allowedHosts: [
        { name: 'mirror.bank.example' },
        { bits: 16, network: '10.1.0.0' },
        { bits: 8, network: 'fd00::' },
        { bits: 128, network: '::1' },
        { bits: 32, network: '192.168.1.2' },
      ],
      airGap: { directory: '/media/lists', keysFile: '/media/keys.json' },
      commercial: {
        clientId: 'me',
        clientSecretFile: '/run/secrets/feed',
        feedOrigin: 'https://data.example.com',
        scope: 'lists',
        tokenUrl: 'https://feed.example.com/token',
      },
      proxyResolvesNames: false,
      userAgent: 'bank/2',
    },
    logLevel: 'debug',
    notices: { operations: { locale: 'fr', mails: ['ops@bank.example'] } },
    mongodb: { transactions: 'require', url: 'mongodb://a:27017,b:27017/x?replicaSet=r' },
    oidc: {
      audience: 'compliance',
      client: { id: 'console', secretFile: '/run/secrets/client' },
      issuer: 'https://id.example.com/realms/x',
      jwksUrl: 'https://id.example.com/keys',
    },
    origins: { live: 'https://api.example.com', sandbox: 'https://sandbox.example.com' },
    port: 0,
    redisUrl: 'rediss://:secret@redis:6379/0',
    secretsKeyFile: '/run/secrets/key',
    webhooks: {
      allowedSubnets: [
        { bits: 16, network: '10.2.0.0' },
        { bits: 128, network: '::1' },
      ],
    },
  });
});

test.each([
  ['PORT', '65536', "PORT: expected an integer 0..65535, got '65536'"],
  ['PORT', '8o', "PORT: expected an integer 0..65535, got '8o'"],
  [
    'WEBHOOK_ALLOWED_SUBNETS',
    '10.0.0.0/33',
    'WEBHOOK_ALLOWED_SUBNETS: expected subnets (10.1.0.0/16), separated by commas, ' +
      "got '10.0.0.0/33'",
  ],
  ['AIR_GAP_DIR', '/media', 'AIR_GAP_KEYS_FILE: expected a path, beside AIR_GAP_DIR, got nothing'],
  [
    'FETCH_PROXY_RESOLVES_NAMES',
    'true',
    'FETCH_PROXY_URL: expected a URL, beside FETCH_PROXY_RESOLVES_NAMES, got nothing',
  ],
  [
    'FETCH_USER_AGENT',
    'a\nb',
    "FETCH_USER_AGENT: expected a value like /^[\\x20-\\x7e]{1,255}$/, got 'a\nb'",
  ],
  [
    'COMMERCIAL_FEED_ORIGIN',
    'http://feed.example.com',
    'COMMERCIAL_FEED_ORIGIN: expected an https URL (http on loopback only), ' +
      "got 'http://feed.example.com/'",
  ],
  ['PORT', '-1', "PORT: expected an integer 0..65535, got '-1'"],
  ['ENGINE_THREADS', '0', "ENGINE_THREADS: expected an integer 1..64, got '0'"],
  ['ENGINE_THREADS', '1.5', "ENGINE_THREADS: expected an integer 1..64, got '1.5'"],
  ['HTTP_ADAPTER', 'express', "HTTP_ADAPTER: expected 'hyper-express' or 'node', got 'express'"],
  ['TRUST_PROXY', 'yes', "TRUST_PROXY: expected 'true' or 'false' or '1' or '0', got 'yes'"],
  ['BASE_URL', 'api', "BASE_URL: expected an absolute URL, got 'api'"],
  [
    'BASE_URL',
    'https://a/v2',
    "BASE_URL: expected an http or https URL that ends in '/v1', got 'https://a/v2'",
  ],
  [
    'MONGODB_TRANSACTIONS',
    'on',
    "MONGODB_TRANSACTIONS: expected 'auto' or 'require' or 'off', got 'on'",
  ],
  [
    'OIDC_AUDIENCE',
    'x',
    'OIDC_ISSUER: expected a URL, beside the other OIDC_ variables, got nothing',
  ],
  ['TLS_CERT_FILE', 'c', 'TLS_KEY_FILE: expected a path, beside TLS_CERT_FILE, got nothing'],
  ['TLS_KEY_FILE', 'k', 'TLS_CERT_FILE: expected a path, beside TLS_KEY_FILE, got nothing'],
])('%s=%s stops the start', (name, value, message) => {
  expect(problemsOf({ [name]: value })).toEqual([message]);
});

test.each(['LOG_LEVEL', 'HOST'])('%s with a value of no use is named', (name) => {
  expect(problemsOf({ [name]: 'no such thing' })[0]).toMatch(`${name}: expected`);
});

test('every wrong variable is named at once', () => {
  const problems = problemsOf({ ENGINE_THREADS: 'x', LOG_LEVEL: 'x', PORT: 'x' });
  expect(problems.map((line) => line.split(':')[0]).sort()).toEqual([
    'ENGINE_THREADS',
    'LOG_LEVEL',
    'PORT',
  ]);
});

test.each([
  ['REDIS_URL', 'http://:hunter2@redis'],
  ['MONGODB_URL', 'postgres://u:hunter2@db'],
])('%s: a value that may hold a password is not repeated', (name, value) => {
  const [problem = ''] = problemsOf({ [name]: value });
  expect(problem).toMatch(`${name}: expected`);
  expect(problem).not.toContain('hunter2');
});

describe('who can reach us decides what is allowed', () => {
  const tls = { TLS_CERT_FILE: 'c', TLS_KEY_FILE: 'k' };

  test.each(['127.0.0.1', '127.9.9.9', '::1', 'localhost'])('%s is loopback', (HOST) => {
    expect(load({ HOST }).http.adapter).toBe('hyper-express');
  });

  test.each(['0.0.0.0', '::', '10.0.0.1', 'localhost.example.com', '127.0.0.1.nip.io'])(
    'plain HTTP on %s is refused',
    (HOST) => {
      expect(problemsOf({ HOST })).toEqual([
        'HOST: expected a loopback address, or TLS_CERT_FILE and TLS_KEY_FILE, ' +
          `or TRUST_PROXY=true, got '${HOST}' with plain HTTP`,
      ]);
    },
  );

  test('beyond loopback with TLS node:http serves, as hyper-express frames loosely', () => {
    expect(load({ HOST: '0.0.0.0', ...tls }).http).toMatchObject({ adapter: 'node' });
    expect(problemsOf({ HOST: '0.0.0.0', HTTP_ADAPTER: 'hyper-express', ...tls })).toEqual([
      "HTTP_ADAPTER: expected 'node' beyond loopback without TRUST_PROXY, got 'hyper-express'",
    ]);
  });

  test('behind a proxy hyper-express serves anywhere', () => {
    expect(load({ HOST: '0.0.0.0', TRUST_PROXY: 'true' }).http).toMatchObject({
      adapter: 'hyper-express',
      trustProxy: true,
    });
  });
});

describe('addresses', () => {
  test('live and sandbox are two', () => {
    expect(problemsOf({ BASE_URL: 'https://a/v1', SANDBOX_BASE_URL: 'https://a' })).toEqual([
      "SANDBOX_BASE_URL: expected another address than BASE_URL, got 'https://a'",
    ]);
  });

  test('an issuer is kept to the letter, and comes over https but for loopback', () => {
    const OIDC_AUDIENCE = 'a';
    expect(load({ OIDC_AUDIENCE, OIDC_ISSUER: 'https://id/' }).oidc?.issuer).toBe('https://id/');
    expect(load({ OIDC_AUDIENCE, OIDC_ISSUER: 'http://127.0.0.1:9' }).oidc?.issuer).toBe(
      'http://127.0.0.1:9',
    );
    expect(problemsOf({ OIDC_AUDIENCE, OIDC_ISSUER: 'http://id' })[0]).toMatch('an https URL');
  });
});

describe('blobs in a bucket', () => {
  const s3 = {
    BLOB_STORE_URL: 's3://evidence/bank/prod',
    S3_ACCESS_KEY_ID: 'AKIA1',
    S3_SECRET_ACCESS_KEY: 'very+secret/1',
  };

  test('what must be set is enough', () => {
    expect(load(s3).s3).toEqual({
      accessKeyId: 'AKIA1',
      bucket: 'evidence',
      objectLock: 'compliance',
      prefix: 'bank/prod/',
      region: 'us-east-1',
      secretAccessKey: { value: 'very+secret/1' },
    });
    expect(load({ ...s3, BLOB_STORE_URL: 's3://evidence/' }).s3?.prefix).toBe('');
  });

  test('a server of another maker, and the secret in a file', () => {
    const { S3_SECRET_ACCESS_KEY: _, ...others } = s3;
    expect(
      load({
        ...others,
        S3_ENDPOINT: 'https://s3.bank.example:9000/',
        S3_OBJECT_LOCK: 'governance',
        S3_REGION: 'tn-1',
        S3_SECRET_ACCESS_KEY_FILE: '/run/secrets/s3',
      }).s3,
    ).toMatchObject({
      endpoint: 'https://s3.bank.example:9000',
      objectLock: 'governance',
      region: 'tn-1',
      secretAccessKey: { file: '/run/secrets/s3' },
    });
    expect(load({ ...s3, S3_ENDPOINT: 'http://127.0.0.1:9000' }).s3?.endpoint).toBe(
      'http://127.0.0.1:9000',
    );
  });

  test.each<[string, Environment, string]>([
    ['a folder as URL', { ...s3, BLOB_STORE_URL: 'file:///blobs' }, 'BLOB_STORE_URL: expected a'],
    [
      'no bucket',
      { S3_REGION: 'x' },
      'BLOB_STORE_URL: expected s3://bucket/prefix, beside S3_REGION',
    ],
    ['no key', { ...s3, S3_ACCESS_KEY_ID: '' }, 'S3_ACCESS_KEY_ID: expected a value'],
    ['no secret', { ...s3, S3_SECRET_ACCESS_KEY: '' }, 'S3_SECRET_ACCESS_KEY: expected it or'],
    ['two secrets', { ...s3, S3_SECRET_ACCESS_KEY_FILE: '/x' }, 'got both'],
    [
      'plain HTTP',
      { ...s3, S3_ENDPOINT: 'http://s3.bank.example' },
      'S3_ENDPOINT: expected an https',
    ],
    [
      'a path',
      { ...s3, S3_ENDPOINT: 'https://s3.bank.example/x' },
      'S3_ENDPOINT: expected an origin',
    ],
    ['another lock', { ...s3, S3_OBJECT_LOCK: 'yes' }, "S3_OBJECT_LOCK: expected 'compliance' or"],
  ])('%s is refused', (_, environment, problem) => {
    expect(problemsOf(environment)).toEqual([expect.stringContaining(problem)]);
  });

  test('a secret that is wrong is not repeated', () => {
    const problems = problemsOf({ ...s3, S3_SECRET_ACCESS_KEY: 'two words' });
    expect(problems.join()).toContain('S3_SECRET_ACCESS_KEY: expected');
    expect(problems.join()).not.toContain('two words');
  });
});

test.each([
  ...['10.0.0.0/33', 'https://a.example', 'a.example:443', '*.example', '2130706433', 'a b'],
])('FETCH_ALLOWED_HOSTS: %s is no place', (entry) => {
  expect(() => load({ FETCH_ALLOWED_HOSTS: `b.example,${entry}` })).toThrow(
    'FETCH_ALLOWED_HOSTS: expected host names, addresses and subnets (10.1.0.0/16), ' +
      `separated by commas, got '${entry}'`,
  );
});

test('addresses with passwords may stand in files, as container engines hand them out', () => {
  const folder = mkdtempSync(join(tmpdir(), 'config-'));
  const file = join(folder, 'url');
  writeFileSync(file, 'mongodb://user:word@a/x\n');
  expect(load({ MONGODB_URL_FILE: file }).mongodb?.url).toBe('mongodb://user:word@a/x');
  expect(problemsOf({ REDIS_URL_FILE: file })).toEqual([
    expect.stringMatching(/^REDIS_URL: expected redis.*not shown/),
  ]);
  rmSync(folder, { recursive: true });
  expect(problemsOf({ MONGODB_URL_FILE: file })).toEqual([
    'MONGODB_URL_FILE: expected a readable file, got ENOENT',
  ]);
});
