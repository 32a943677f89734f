/**
 * The bootstrap on machines that lack something: a copy of it in a folder of its own, with a PATH
 * that holds only what the test puts there.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
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
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const SCRIPT = join(import.meta.dirname, '../../scripts/bootstrap.mjs');
const LOCKFILE = {
  packages: {
    '': {},
    'node_modules/a': { integrity: 'sha512-a', version: '1.0.0' },
    'node_modules/a-darwin': { integrity: 'sha512-d', optional: true, version: '1.0.0' },
    'node_modules/tool': { dev: true, integrity: 'sha512-t', version: '1.0.0' },
  },
};
let root = '';
let bin = '';

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'bootstrap-'));
  bin = join(root, 'bin');
  mkdirSync(join(root, 'scripts'));
  mkdirSync(bin);
  copyFileSync(SCRIPT, join(root, 'scripts/bootstrap.mjs'));
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify(LOCKFILE));
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
  const child = spawn(process.execPath, [join(root, 'scripts/bootstrap.mjs')], {
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
    const url = { REDIS_URL: 'redis://127.0.0.1:6379' };
    expect(await bootstrap('prestart', url)).toEqual({ code: 0, text: '' });
    expect(await bootstrap('precli')).toEqual({ code: 0, text: '' });
  });
});
