/**
 * The compose file's own commands, in its order, without a container engine: what makes the
 * credentials, Redis with its configuration, the setup, a gateway and a worker, and their health
 * checks. MongoDB's part is replaced by the embedded store.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';

const ROOT = join(import.meta.dirname, '../..');
const text = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

interface Service {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly healthcheck: { readonly test: readonly string[] };
}
const { services } = parse(text('docker/compose.yaml'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
};
const dockerfile = text('docker/Dockerfile');
const words = (line: RegExp): string[] =>
  JSON.parse(line.exec(dockerfile)?.[1] ?? '[]') as string[];
const ENTRYPOINT = words(/^ENTRYPOINT (\[.+\])$/m).slice(1);
const HEALTHCHECK = words(/^ {2}CMD (\[.+\])$/m);

const isRedisHere = spawnSync('redis-server', ['--version']).status === 0;
if (!isRedisHere) console.warn('SKIPPED: the commands of the compose file need a redis-server');

const folder = mkdtempSync(join(tmpdir(), 'compose-'));
const started: ChildProcess[] = [];
afterAll(async () => {
  for (const child of started.reverse()) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  rmSync(folder, { force: true, recursive: true });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const inSource = (word: string): string => word.replace(/^dist\/(.*)\.js$/, 'src/$1.ts');

/** As the container would have it, but for what is elsewhere here. */
function environmentOf(service: string, more: Record<string, string>): Record<string, string> {
  const given = Object.entries(services[service]?.environment ?? {}).map(([name, value]) => [
    name,
    value.replace(/\$\{\w+:-([^}]*)\}/, '$1').replace('/run/made', join(folder, 'made', 'product')),
  ]);
  const { MONGODB_URL_FILE: _, MONGODB_TRANSACTIONS: __, ...rest } = Object.fromEntries(given);
  const machine = { PATH: process.env.PATH ?? '' };
  const image = { DATA_DIR: join(folder, 'data'), HOST: '127.0.0.1', NODE_ENV: 'production' };
  return { ...rest, ...machine, ...image, ...more };
}

const commandOf = (service: string): string[] => [
  ...ENTRYPOINT,
  ...(services[service]?.command ?? []).map(inSource),
];

function start(service: string, more: Record<string, string>): ChildProcess {
  const env = environmentOf(service, more);
  const child = spawn(process.execPath, commandOf(service), { cwd: ROOT, env, stdio: 'ignore' });
  started.push(child);
  return child;
}

const isHealthy = (check: readonly string[], port: number): boolean => {
  const [, ...given] = check.filter((word) => word !== 'CMD');
  return (
    spawnSync(process.execPath, [...given.slice(0, -1), String(port)], { cwd: ROOT }).status === 0
  );
};

describe.skipIf(!isRedisHere)('docker compose up, without an engine', () => {
  test('everything comes up on the first start, without a list', { timeout: 240_000 }, async () => {
    const { command: made = [] } = services.secrets ?? {};
    const secrets = spawnSync(process.execPath, [made[0] ?? '', join(folder, 'made')], {
      cwd: ROOT,
    });
    expect(secrets.status).toBe(0);

    const redisPort = await freePort();
    const conf = join(folder, 'redis.conf');
    writeFileSync(conf, readFileSync(join(folder, 'made/redis/redis.conf')));
    appendFileSync(conf, `dir ${folder}\nport ${redisPort}\n`);
    started.push(spawn('redis-server', [conf], { stdio: 'ignore' }));
    const url = readFileSync(join(folder, 'made/product/redis-url'), 'utf8');
    const redisUrl = join(folder, 'redis-url');
    writeFileSync(redisUrl, url.replace('redis:6379', `127.0.0.1:${redisPort}`));
    const redis = { REDIS_URL_FILE: redisUrl };

    const setup = spawnSync(process.execPath, commandOf('setup'), {
      cwd: ROOT,
      encoding: 'utf8',
      env: environmentOf('setup', redis),
    });
    expect(setup.stderr).toBe('');
    expect(setup.status).toBe(0);

    const [port, figures] = [await freePort(), await freePort()];
    start('gateway1', { ...redis, METRICS_PORT: '', PORT: String(port) });
    start('worker1', { ...redis, METRICS_PORT: String(figures) });
    const until = { interval: 250, timeout: 90_000 };
    await vi.waitUntil(() => isHealthy(HEALTHCHECK, port), until);
    await vi.waitUntil(() => isHealthy(services.worker1?.healthcheck.test ?? [], figures), until);

    // It lives; without a list it does not screen, and says so.
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`);
    expect(ready.status).toBe(503);
    expect(await ready.json()).toMatchObject({ detail: 'no list is loaded' });
    expect((await fetch(`http://127.0.0.1:${figures}/readyz`)).status).toBe(200);
    const scrape = await (await fetch(`http://127.0.0.1:${figures}/metrics`)).text();
    expect(scrape).toContain('audit_checkpoints_waiting');
  });
});
