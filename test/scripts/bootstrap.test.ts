/**
 * The bootstrap on machines that lack something: a copy of it in a folder of its own, with a PATH
 * that holds only what the test puts there, and a product of one file.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';

const SCRIPTS = join(import.meta.dirname, '../../scripts');
const LOCKFILE = {
  packages: {
    '': {},
    'node_modules/a': { integrity: 'sha512-a', version: '1.0.0' },
    'node_modules/a-darwin': { integrity: 'sha512-d', optional: true, version: '1.0.0' },
    'node_modules/tool': { dev: true, integrity: 'sha512-t', version: '1.0.0' },
  },
};
const BOOTSTRAP = 'scripts/bootstrap.mjs';
const REDIS_ELSEWHERE = { REDIS_URL: 'redis://127.0.0.1:6379' };
const NAMESPACE = ['--map-root-user', '--mount'];
const mayMount = spawnSync('unshare', [...NAMESPACE, 'true']).status === 0;
if (!mayMount) console.warn('SKIPPED: a read-only tree needs leave to mount');
let built = '';
let root = '';
let bin = '';

beforeAll(() => {
  built = mkdtempSync(join(tmpdir(), 'bootstrap-built-'));
  for (const folder of ['scripts', 'src']) mkdirSync(join(built, folder));
  for (const script of ['bootstrap.mjs', 'build.mjs'])
    copyFileSync(join(SCRIPTS, script), join(built, 'scripts', script));
  writeFileSync(join(built, 'src/main.ts'), 'export const one: number = 1;\n');
  writeFileSync(join(built, 'package.json'), '{}');
  writeFileSync(join(built, 'package-lock.json'), JSON.stringify(LOCKFILE));
  execFileSync(process.execPath, [join(built, 'scripts/build.mjs')]);
});
afterAll(() => rmSync(built, { recursive: true }));

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'bootstrap-'));
  bin = join(root, 'bin');
  cpSync(built, root, { recursive: true });
  mkdirSync(bin);
  for (const program of ['sh', 'cat', 'mkdir', 'sleep', 'cp'])
    symlinkSync(`/bin/${program}`, join(bin, program));
});
afterEach(() => rmSync(root, { recursive: true }));

function program(name: string, script: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
}

/** An npm that puts everything in place, as the record says, and counts its calls. */
function workingNpm(seconds = 0): void {
  writeFileSync(join(root, 'installed.json'), JSON.stringify(LOCKFILE));
  program(
    'npm',
    `echo run >> '${root}/calls'; sleep ${seconds}; mkdir -p '${root}/node_modules'
cp '${root}/installed.json' '${root}/node_modules/.package-lock.json'`,
  );
}

function installed(packages: object = LOCKFILE.packages): void {
  mkdirSync(join(root, 'node_modules'), { recursive: true });
  writeFileSync(join(root, 'node_modules/.package-lock.json'), JSON.stringify({ packages }));
}

async function bootstrap(event: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [join(root, BOOTSTRAP)], {
    env: { PATH: bin, npm_lifecycle_event: event, ...env },
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  const [code] = (await once(child, 'close')) as [number];
  return { code, text };
}

describe('packages', () => {
  test('nothing is done and nothing said where all is there', async () => {
    installed();
    program('redis-server', 'exit 0');
    expect(await bootstrap('prestart')).toEqual({ code: 0, text: '' });
  });

  test.each([
    [
      'another version',
      { ...LOCKFILE.packages, 'node_modules/a': { version: '0.9.0' } },
      'prestart',
    ],
    ['none', {}, 'prestart'],
    [
      'no development packages for the tests',
      { 'node_modules/a': LOCKFILE.packages['node_modules/a'] },
      'pretest',
    ],
  ])('%s: npm ci runs', async (_, packages, event) => {
    installed(packages);
    workingNpm();
    program('redis-server', 'exit 0');
    expect((await bootstrap(event)).code).toBe(0);
    expect(readFileSync(join(root, 'calls'), 'utf8')).toBe('run\n');
  });

  test('neither another platform nor, for a start, the tests are missed', async () => {
    installed({ 'node_modules/a': LOCKFILE.packages['node_modules/a'] });
    program('redis-server', 'exit 0');
    expect(await bootstrap('prestart')).toEqual({ code: 0, text: '' });
  });

  test('two at once install once, and the lock is gone', async () => {
    workingNpm(1);
    program('redis-server', 'exit 0');
    const both = await Promise.all([bootstrap('prestart'), bootstrap('pretest')]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(readFileSync(join(root, 'calls'), 'utf8')).toBe('run\n');
    expect(existsSync(join(root, '.cache/bootstrap.lock'))).toBe(false);
  });

  test('a lock that a killed bootstrap left is no obstacle', async () => {
    workingNpm();
    program('redis-server', 'exit 0');
    mkdirSync(join(root, '.cache'));
    writeFileSync(join(root, '.cache/bootstrap.lock'), '4194303999\n');
    expect((await bootstrap('prestart')).code).toBe(0);
  });

  test.each([
    ['npm error code ENOTFOUND', 'looks offline'],
    ['npm error tunneling socket could not be established', 'proxy refused'],
    ['npm error code SELF_SIGNED_CERT_IN_CHAIN', 'NODE_EXTRA_CA_CERTS'],
    ['npm error code ECONNREFUSED', 'does not answer'],
    ['npm error code EINTEGRITY', 'differs from its digest'],
    ['npm error code ENOSPC', 'disk is full'],
    ['npm error something else', 'exit code 1'],
  ])('%s is explained in a sentence', async (message, sentence) => {
    program('npm', `echo '${message}' >&2; exit 1`);
    const { code, text } = await bootstrap('prestart');
    expect(code).toBe(1);
    expect(text.trim().split('\n').at(-1)).toMatch(/^bootstrap: npm ci failed: .*\.$/);
    expect(text).toContain(sentence);
  });
});

describe('the build', () => {
  beforeEach(() => installed());
  const change = (): void => writeFileSync(join(root, 'src/main.ts'), 'export const two = 2;\n');
  const builtText = (): string => readFileSync(join(root, 'dist/main.js'), 'utf8');

  test('is made where there is none, and anew where the source is another', async () => {
    rmSync(join(root, 'dist'), { recursive: true });
    const first = await bootstrap('prestart', REDIS_ELSEWHERE);
    expect(first).toEqual({ code: 0, text: 'bootstrap: building dist/ from src/ …\n' });
    expect(builtText()).toContain('one');
    change();
    expect((await bootstrap('precli')).code).toBe(0);
    expect(builtText()).toContain('two');
    expect(await bootstrap('precli')).toEqual({ code: 0, text: '' });
  });

  test('is no matter of tests, which run the source', async () => {
    change();
    expect(await bootstrap('precheck')).toEqual({ code: 0, text: '' });
    expect(builtText()).toContain('one');
  });

  test('is made once by two at once', async () => {
    change();
    const both = await Promise.all([bootstrap('precli'), bootstrap('build')]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(both.filter(({ text }) => text.includes('building'))).toHaveLength(1);
    expect(existsSync(join(root, '.cache/bootstrap.lock'))).toBe(false);
  });

  test('that fails is told, leaves the former one, and starts nothing', async () => {
    writeFileSync(join(root, 'src/main.ts'), 'enum Wrong { A }\n');
    const { code, text } = await bootstrap('precli');
    expect(code).toBe(1);
    expect(text).toMatch(/^build: src\/main\.ts: .*enum/m);
    expect(text).toMatch(/^bootstrap: dist\/ was not built; the message above says why\.$/m);
    expect(builtText()).toContain('one');
  });

  test('needs no source where it is all that came, as in an image', async () => {
    rmSync(join(root, 'src'), { recursive: true });
    expect(await bootstrap('precli')).toEqual({ code: 0, text: '' });
  });

  test.skipIf(!mayMount)('in a tree that is read only serves if fresh, else is asked for', () => {
    const script = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && exec "$2" "$3"';
    const enclosed = () =>
      spawnSync(
        'unshare',
        [...NAMESPACE, 'sh', '-c', script, 'sh', root, process.execPath, `${root}/${BOOTSTRAP}`],
        { encoding: 'utf8', env: { PATH: process.env.PATH, npm_lifecycle_event: 'precli' } },
      );
    expect(enclosed()).toMatchObject({ status: 0, stderr: '' });
    change();
    const refused = enclosed();
    expect(refused.status).toBe(1);
    expect(refused.stderr).toMatch(
      /^bootstrap: dist\/ was not made of .* `npm run build` there\.\n$/,
    );
  });
});

describe('Redis', () => {
  beforeEach(() => installed());

  test('where it cannot be had, a start ends with a sentence and tests go on with it', async () => {
    const start = await bootstrap('prestart');
    expect(start).toMatchObject({
      code: 1,
      text: expect.stringMatching(/^bootstrap: Redis is needed: install it .*\n$/),
    });
    const tests = await bootstrap('pretest');
    expect(tests).toMatchObject({ code: 0, text: expect.stringContaining('are skipped') });
  });

  test('one of the operator’s, and the command line, need none', async () => {
    expect(await bootstrap('prestart', REDIS_ELSEWHERE)).toEqual({ code: 0, text: '' });
    expect(await bootstrap('precli')).toEqual({ code: 0, text: '' });
  });
});
