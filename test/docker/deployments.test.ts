/**
 * What runs the product beside compose: systemd's units (checked by systemd itself where it is),
 * the manifests for Kubernetes, the first start of MongoDB, and the digests of images.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfig } from '#platform/config';

const ROOT = join(import.meta.dirname, '../..');
const text = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const sourceOf = (file: string): string => file.replace(/^dist\/(.*)\.js$/, 'src/$1.ts');

const isSystemdHere = spawnSync('systemd-analyze', ['--version']).status === 0;
if (!isSystemdHere) console.warn('SKIPPED: the units of systemd need systemd-analyze');

describe('systemd', () => {
  const units = readdirSync(join(ROOT, 'docker/systemd'));

  test.each(units)('%s starts a file that is there, under the environment that it sets', (unit) => {
    const lines = text(`docker/systemd/${unit}`);
    const file = /^ExecStart=.* (dist\/\S+)$/m.exec(lines)?.[1] ?? '';
    expect(existsSync(join(ROOT, sourceOf(file))), file).toBe(true);
    const set = [...lines.matchAll(/^Environment=(\w+)=(.*)$/gm)];
    const given = set.map(([, name = '', value = '']) => [name, value.replace('%i', '1')]);
    expect(loadConfig(Object.fromEntries(given)).dataDir).toBe('/var/lib/compliance-platform');
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(lines)?.[1])).toBeGreaterThanOrEqual(30);
  });

  test.skipIf(!isSystemdHere).each(units)('%s is one that systemd takes, and shut in', (unit) => {
    const path = join(ROOT, 'docker/systemd', unit);
    const verified = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' });
    expect(verified.stderr).toBe('');
    expect(verified.status).toBe(0);
    const bounds = ['security', '--offline=true', '--threshold=30', path];
    expect(spawnSync('systemd-analyze', bounds).status).toBe(0);
  });
});

interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly ports?: readonly { readonly name: string }[];
  readonly securityContext: object;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly [probe: string]: unknown;
}
interface Pod {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: {
    readonly containers: readonly Container[];
    readonly volumes: readonly { readonly name: string; readonly secret?: object }[];
    readonly securityContext: object;
    readonly terminationGracePeriodSeconds: number;
  };
}
interface Resource {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: {
    readonly template?: Pod;
    readonly selector?: { readonly matchLabels?: object };
  };
}
interface Kustomization {
  readonly resources: readonly string[];
  readonly images?: readonly { readonly name: string }[];
  readonly replicas?: readonly { readonly name: string }[];
  readonly patches?: readonly {
    readonly target: { readonly kind: string; readonly name: string };
    readonly patch?: string;
    readonly path?: string;
  }[];
}

describe('Kubernetes', () => {
  const base = 'docker/kubernetes/base';
  const kustomization = (folder: string) =>
    parse(text(`${folder}/kustomization.yaml`)) as Kustomization;
  const resources = kustomization(base).resources.flatMap((file) =>
    parseAllDocuments(text(`${base}/${file}`)).map((one) => {
      expect(one.errors, file).toEqual([]);
      return one.toJS() as Resource;
    }),
  );
  const pods = resources.flatMap(({ metadata, spec }) =>
    spec?.template === undefined ? [] : [{ name: metadata.name, pod: spec.template, spec }],
  );

  test('gateway, worker and setup run files that are there', () => {
    expect(pods.map(({ name }) => name)).toEqual(['setup', 'gateway', 'worker']);
    for (const { name, pod } of pods) {
      const { args = [] } = pod.spec.containers[0] ?? {};
      const file = args.find((word) => word.startsWith('dist/')) ?? '';
      expect(existsSync(join(ROOT, sourceOf(file))), name).toBe(true);
    }
  });

  test('every pod is as the restricted standard wants it', () => {
    for (const { name, pod } of pods) {
      expect(pod.spec.securityContext, name).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      for (const container of pod.spec.containers) {
        expect(container.securityContext, name).toEqual({
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
          readOnlyRootFilesystem: true,
        });
        expect(container, name).toHaveProperty('resources.limits.memory');
        const declared = pod.spec.volumes.map((volume) => volume.name);
        expect(declared, name).toEqual(container.volumeMounts.map((mount) => mount.name));
      }
    }
  });

  test('liveness asks whether it lives, readiness whether it can work', () => {
    for (const { name, pod, spec } of pods.filter((one) => one.name !== 'setup')) {
      const [container] = pod.spec.containers;
      const port = container?.ports?.[0]?.name;
      expect(container?.livenessProbe, name).toMatchObject({ httpGet: { path: '/healthz', port } });
      expect(container?.readinessProbe, name).toMatchObject({ httpGet: { path: '/readyz', port } });
      expect(pod.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(30);
      expect(pod.metadata.labels).toMatchObject(spec.selector?.matchLabels ?? { none: '' });
    }
  });

  test('the configuration is one that the product takes', () => {
    const { data = {} } = resources.find(({ kind }) => kind === 'ConfigMap') ?? {};
    const { MONGODB_URL_FILE, REDIS_URL_FILE, ...rest } = data;
    const urls = { MONGODB_URL: 'mongodb://a/b', REDIS_URL: 'redis://a' };
    const config = loadConfig({ ...rest, ...urls, HOST: '0.0.0.0' });
    expect(config).toMatchObject({ dataDir: '/data/installation', metricsPort: 9464 });
    // Each file that it names is an item of the secret that every pod mounts.
    for (const { name, pod } of pods) {
      const mounted = JSON.stringify(pod.spec.volumes);
      for (const file of [MONGODB_URL_FILE, REDIS_URL_FILE, config.auditSigningKeyFile]) {
        expect(dirname(file ?? ''), name).toBe('/run/credentials');
        expect(mounted, name).toContain(`"path":"${(file ?? '').split('/').at(-1)}"`);
      }
    }
  });

  test.each(['small', 'ha', 'air-gapped'])('overlay %s changes what is there', (overlay) => {
    const folder = `docker/kubernetes/overlays/${overlay}`;
    const { images = [], patches = [], replicas = [], resources: own } = kustomization(folder);
    expect(own[0]).toBe('../../base');
    for (const file of own.slice(1)) expect(existsSync(join(ROOT, folder, file)), file).toBe(true);
    for (const { path, patch, target } of patches) {
      const isThere = resources.some(
        ({ kind, metadata }) => kind === target.kind && metadata.name === target.name,
      );
      expect(isThere, `${target.kind} ${target.name}`).toBe(true);
      const steps = parse(patch ?? text(`${folder}/${path}`)) as unknown;
      expect(steps).toBeTypeOf('object');
    }
    for (const { name } of replicas) expect(pods.map((pod) => pod.name)).toContain(name);
    for (const { name } of images) expect(name).toBe('compliance-platform');
  });
});

describe('the first start of MongoDB', () => {
  /** The commands that a server was given, by a shell that knows what the script uses. */
  function run(known: { readonly isReplicaSet: boolean; readonly users: readonly string[] }) {
    const calls: [string, ...unknown[]][] = [];
    const note =
      (name: string) =>
      (...given: unknown[]) =>
        void calls.push([name, ...given]);
    const names = {
      createRole: 'role',
      createUser: 'user',
      updateRole: 'role',
      updateUser: 'user',
    };
    const written = Object.fromEntries(Object.keys(names).map((name) => [name, note(name)]));
    const database = {
      auth: note('auth'),
      getRole: () => (known.users.length > 0 ? {} : null),
      getUser: (user: string) => (known.users.includes(user) ? {} : null),
      ...written,
    };
    const status = (): void => {
      if (known.isReplicaSet) return;
      throw Object.assign(new Error(), { codeName: 'NotYetInitialized' });
    };
    runInNewContext(text('docker/init/mongoInit.js'), {
      db: { getSiblingDB: () => database, hello: () => ({ isWritablePrimary: true }) },
      print: () => undefined,
      require: () => ({
        readFileSync: (path: string) =>
          path === '/config/mongo-roles.json' ? text('config/mongo-roles.json') : `of ${path}`,
      }),
      rs: { initiate: note('initiate'), status },
      sleep: () => undefined,
    });
    return calls;
  }

  test('makes the set, every role of the table, and two users', () => {
    const calls = run({ isReplicaSet: false, users: [] });
    expect(calls.map(([name]) => name)).toEqual([
      'auth',
      'initiate',
      'createRole',
      'createRole',
      'createUser',
      'createUser',
    ]);
    expect(calls[4]?.[1]).toMatchObject({
      pwd: 'of /run/made/runtime-password',
      roles: [{ db: 'compliance', role: 'complianceRuntime' }],
      user: 'runtime',
    });
    const [, runtime] = calls[2] ?? [];
    const granted = JSON.stringify(runtime);
    expect(granted).toContain(
      '{"actions":["find","insert"],"resource":{"collection":"audit_group","db":"compliance"}}',
    );
  });

  test('run again, brings them to what the table says now', () => {
    const calls = run({ isReplicaSet: true, users: ['runtime', 'setup'] });
    expect(calls.map(([name]) => name)).toEqual([
      'auth',
      'updateRole',
      'updateRole',
      'updateUser',
      'updateUser',
    ]);
  });
});

interface Pinning {
  imagesOf(compose: string): ReadonlyMap<string, string>;
  placeOf(image: string): { host: string; name: string; tag: string };
  pinImages(of: { compose: string; out: string; origin(host: string): string }): Promise<string[]>;
}

describe('digests of images', async () => {
  const { imagesOf, pinImages, placeOf } = (await import(
    join(ROOT, 'docker/pinImages.mjs')
  )) as Pinning;
  const folder = mkdtempSync(join(tmpdir(), 'pins-'));
  const compose = join(ROOT, 'docker/compose.yaml');
  const digest = `sha256:${'a'.repeat(64)}`;
  let answered = digest;
  const registry = createServer((request, response) => {
    const origin = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
    if (request.url?.startsWith('/token')) {
      response.end(JSON.stringify({ token: `for ${request.url.split('scope=')[1]}` }));
    } else if (request.headers.authorization === undefined) {
      const challenge = `Bearer realm="${origin}/token",service="s",scope="pull"`;
      response.writeHead(401, { 'www-authenticate': challenge }).end();
    } else {
      response.setHeader('docker-content-digest', answered);
      response.end();
    }
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    registry.close();
    rmSync(folder, { force: true, recursive: true });
  });
  const origin = (): string => `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;

  test('every image of the compose file can be given by a variable', () => {
    const images = [...imagesOf(text('docker/compose.yaml')).keys()];
    expect(images.sort()).toEqual([
      'MONGO_IMAGE',
      'NGINX_IMAGE',
      'NODE_IMAGE',
      'PROMETHEUS_IMAGE',
      'REDIS_IMAGE',
    ]);
    expect(placeOf('mongo:8.0')).toEqual({
      host: 'registry-1.docker.io',
      name: 'library/mongo',
      tag: '8.0',
    });
    expect(placeOf('quay.io/a/b:1')).toEqual({ host: 'quay.io', name: 'a/b', tag: '1' });
  });

  test('are what the registry says', async () => {
    const out = join(folder, 'images.env');
    await pinImages({ compose, origin, out });
    expect(readFileSync(out, 'utf8')).toContain(`MONGO_IMAGE=mongo:8.0@${digest}\n`);
  });

  test.each(['', 'sha256:abc'])('are never made up: %s', async (wrong) => {
    answered = wrong;
    const out = join(folder, 'none.env');
    await expect(pinImages({ compose, origin, out })).rejects.toThrow('expected a digest');
    expect(existsSync(out)).toBe(false);
  });

  test('are not written where the registry is out of reach', async () => {
    const out = join(folder, 'away.env');
    writeFileSync(out, 'as before');
    const away = () => 'http://127.0.0.1:9';
    await expect(pinImages({ compose, origin: away, out })).rejects.toThrow('fetch failed');
    expect(readFileSync(out, 'utf8')).toBe('as before');
  });
});
