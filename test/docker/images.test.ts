/**
 * Checks docker/ against the code as far as possible without a container engine: the files that it
 * names exist, and what must be closed is closed. The compose files were checked against the
 * Compose Specification's schema, and the image's steps were run by hand, when they were written.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { ALLOCATOR_ENVIRONMENT } from '#platform/allocator';
import { loadConfig } from '#platform/config';
import { WORKER_FLAGS } from '#platform/heapGrowth';

interface Service {
  readonly image?: string;
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly networks?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { condition: string }>>;
  readonly healthcheck?: object;
  readonly stop_grace_period?: string;
  readonly volumes?: readonly string[];
}
interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes?: Readonly<Record<string, unknown>>;
}

const ROOT = join(import.meta.dirname, '../..');
const AT_ROOT = { cwd: ROOT };
const text = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
/** The text of a file of the build. */
const sourceOf = (file: string): string =>
  join(ROOT, file.replace(/^dist\//, 'src/').replace(/\.js$/, '.ts'));
/** A value as it is where no variable is set. */
const plain = (value: string): string => value.replace(/\$\{\w+:-([^}]*)\}/, '$1');
const compose = (name: string): Compose => parse(text(`docker/${name}`), { merge: true });

describe.each(['compose.yaml', 'compose.dev.yaml'])('%s', (name) => {
  const { services, volumes } = compose(name);

  test('every service has an image of a named version, and what it depends on is there', () => {
    for (const [service, { image, depends_on }] of Object.entries(services)) {
      const named = /^(compliance-platform|([a-z]+\/)?[a-z]+:v?\d+\.\d+(\.\d+)?(-[a-z]+)?)$/;
      expect(plain(image ?? ''), service).toMatch(named);
      for (const [other, { condition }] of Object.entries(depends_on ?? {})) {
        const needed = services[other];
        expect(needed, `${service} → ${other}`).toBeDefined();
        const isHealthAsked =
          condition === 'service_healthy' && needed?.image !== 'compliance-platform';
        if (isHealthAsked) expect(needed?.healthcheck, other).toBeDefined();
      }
    }
  });

  test('nothing is published beyond loopback', () => {
    for (const { ports } of Object.values(services)) {
      for (const port of ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
    }
  });

  test('every named volume is declared', () => {
    for (const { volumes: used } of Object.values(services)) {
      const named = (used ?? [])
        .map((one) => one.split(':')[0] ?? '')
        .filter((one) => !/^\./.test(one));
      for (const volume of named) expect(Object.keys(volumes ?? {})).toContain(volume);
    }
  });
});

describe('the cluster', () => {
  const { services } = compose('compose.yaml');
  /** Those that run the product; `secrets` is a program of its own. */
  const ours = Object.entries(services).filter(([, one]) => one.environment?.METRICS_PORT);

  test('is two gateways and two workers, whose files are there', () => {
    const files = ours.flatMap(([, { command, entrypoint }]) =>
      [...(entrypoint ?? []), ...(command ?? [])].filter((word) => word.startsWith('dist/')),
    );
    expect(files).toHaveLength(ours.length);
    expect(files.filter((file) => file === 'dist/app/gateway/main.js')).toHaveLength(2);
    expect(files.filter((file) => file === 'dist/app/worker/main.js')).toHaveLength(2);
    for (const file of files) expect(existsSync(sourceOf(file)), file).toBe(true);
  });

  test('a worker has the flags by which the supervisor starts one, everywhere', () => {
    for (const [name, { command = [] }] of ours.filter(([of]) => of.startsWith('worker'))) {
      expect(command, name).toEqual([...WORKER_FLAGS, 'dist/app/worker/main.js']);
    }
    expect(text('docker/systemd/compliance-platform-worker@.service')).toContain(
      ` ${WORKER_FLAGS.join(' ')} dist/app/worker/main.js`,
    );
    const quoted = WORKER_FLAGS.map((flag) => `"${flag}", `).join('');
    expect(text('docker/kubernetes/base/worker.yaml')).toContain(
      `args: [${quoted}dist/app/worker/main.js]`,
    );
  });

  test('every variable that the product reads can be passed on', () => {
    const read = ['config', 'blobConfig', 'listConfig', 'tracingConfig', 'webhookConfig'].flatMap(
      (name) => [
        ...text(`src/platform/${name}.ts`).matchAll(
          /read(?:\.\w+|Pairs)\(\s*(?:read, )?'([A-Z0-9_]+)'/g,
        ),
      ],
    );
    // The image's own, and what the file makes itself: credentials, TLS at the proxy.
    const own = /^(HOST|PORT|DATA_DIR|TLS_\w+|MONGODB_URL|REDIS_URL)$/;
    const names = read.map(([, name = '']) => name).filter((name) => !own.test(name));
    expect(names.length).toBeGreaterThan(20);
    for (const [service, { environment }] of ours) {
      for (const name of names) expect(Object.keys(environment ?? {}), service).toContain(name);
    }
  });

  test('every service has limits, and its log an end', () => {
    for (const [name, one] of Object.entries(services)) {
      expect(one, name).toHaveProperty('mem_limit');
      expect(one, name).toHaveProperty('logging.options.max-size');
    }
  });

  test('its environment is one that the product takes, with the credentials that are made', () => {
    const made = mkdtempSync(join(tmpdir(), 'made-'));
    const make = () => spawnSync(process.execPath, ['docker/init/makeSecrets.mjs', made], AT_ROOT);
    expect([make().status, make().status]).toEqual([0, 0]); // once: nothing is made anew
    for (const [service, { environment }] of ours) {
      const folder = join(made, service === 'setup' ? 'setup' : 'product');
      const filled = Object.entries(environment ?? {}).map(([key, value]) => [
        key,
        plain(value).replace('/run/made', folder),
      ]);
      const image = { DATA_DIR: '/data', HOST: '0.0.0.0', PORT: '8080' };
      const config = loadConfig({ ...image, ...Object.fromEntries(filled) });
      expect(config.http).toMatchObject({ adapter: 'hyper-express', trustProxy: true });
      const user = service === 'setup' ? 'setup' : 'runtime';
      const password = readFileSync(join(made, 'mongo', `${user}-password`), 'utf8');
      expect(config.mongodb?.transactions).toBe('require');
      expect(config.mongodb?.url).toContain(`mongodb://${user}:${password}@mongo1,mongo2,mongo3/`);
      const secret = readFileSync(join(made, 'redis', 'password'), 'utf8');
      expect(config.redisUrl).toBe(`redis://:${secret}@redis:6379`);
      expect(readFileSync(join(made, 'redis', 'redis.conf'), 'utf8')).toContain(secret);
    }
    rmSync(made, { recursive: true });
  });

  test('each database’s credentials are mounted by those who need them alone', () => {
    const mounts = (volume: string): string[] =>
      Object.entries(services)
        .filter(([, { volumes = [] }]) => volumes.some((one) => one.startsWith(`${volume}:/run`)))
        .map(([name]) => name);
    expect(mounts('made-mongo')).toEqual(['mongo1', 'mongo2', 'mongo3', 'mongo-init']);
    expect(mounts('made-redis')).toEqual(['redis']);
    expect(mounts('made-setup')).toEqual(['setup']);
  });

  test('its databases are on the inner network alone, and it stops after the drain', () => {
    for (const name of ['mongo1', 'mongo2', 'mongo3', 'redis']) {
      expect(services[name]).toMatchObject({ networks: ['back'] });
      expect(services[name]?.ports).toBeUndefined();
    }
    for (const [name, { stop_grace_period }] of ours) {
      expect(Number.parseInt(stop_grace_period ?? '0', 10), name).toBeGreaterThanOrEqual(30);
    }
  });

  test('the proxy balances over both gateways', () => {
    const proxy = text('docker/proxy.conf');
    for (const [name, { command }] of ours) {
      expect(proxy.includes(`server ${name}:8080`)).toBe(
        command?.[0] === 'dist/app/gateway/main.js',
      );
    }
  });
});

describe('the image', () => {
  const dockerfile = text('docker/Dockerfile');

  test('copies what is there, and the build context holds it', () => {
    const ignored = text('.dockerignore');
    for (const [, sources = ''] of dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)) {
      for (const source of sources.split(' ')) {
        expect(existsSync(join(ROOT, source)), source).toBe(true);
        expect(ignored).toContain(`!${source}\n`);
      }
    }
  });

  test('holds what is built, not what it is built of', () => {
    const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
    expect(last).toMatch(/^COPY --from=build \/app\/dist \.\/dist$/m);
    expect(last).not.toMatch(/^COPY.*\bsrc\b/m);
    const [, file = ''] = last.match(/^CMD \["(.+)"\]$/m) ?? [];
    expect(file).toMatch(/^dist\//);
    expect(existsSync(sourceOf(file))).toBe(true);
  });

  test('and the command line give large buffers back, as the children of a start do', () => {
    const [[name, value] = []] = Object.entries(ALLOCATOR_ENVIRONMENT);
    expect(dockerfile).toContain(`    ${name}=${value}\n`);
    const { scripts } = JSON.parse(text('package.json')) as { scripts: Record<string, string> };
    // Unless the operator has it otherwise.
    expect(scripts.cli?.split(' ')).toContain(`${name}=\${${name}:-${value}}`);
  });

  test('is Debian 13 with Node 24, runs no install script, and is not root', () => {
    expect(dockerfile).toMatch(/^ARG NODE_IMAGE=node:24-trixie-slim$/m);
    expect(dockerfile.match(/^FROM \$\{NODE_IMAGE\}/gm)).toHaveLength(3);
    expect(dockerfile).toMatch(/npm ci .*--ignore-scripts/);
    expect(dockerfile).toMatch(/^USER node$/m);
    expect(dockerfile).toMatch(/^HEALTHCHECK .*\n.*\bdocker\/init\/probe\.mjs\b/m);
  });
});
