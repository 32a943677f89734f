/** The bootstrap on machines that lack something. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  BOOTSTRAP,
  bootstrap,
  installed,
  LOCKFILE,
  npm,
  program,
  root,
  useBareMachine,
  workingNpm,
} from './bareMachine.ts';

const REDIS_ELSEWHERE = { REDIS_URL: 'redis://127.0.0.1:6379' };
const NAMESPACE = ['--map-root-user', '--mount'];
const mayMount = spawnSync('unshare', [...NAMESPACE, 'true']).status === 0;
if (!mayMount) console.warn('SKIPPED: a read-only tree needs leave to mount');

useBareMachine();

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

  test('a start asks for no tools of developers, nor takes them away; tests do', async () => {
    workingNpm();
    program('redis-server', 'exit 0');
    const asked = () => readFileSync(join(root, 'asked'), 'utf8').trim().split(' ').at(-1);
    const { text } = await bootstrap('prestart');
    expect(text).toContain("without the developers' tools …");
    expect(asked()).toBe('--omit=dev');
    for (const event of ['pretest', 'precheck', 'prebench', 'pretypes', 'prelint', 'preformat']) {
      installed({});
      await bootstrap(event);
      expect(asked()).toBe('--include=dev');
    }
    const { 'node_modules/tool': tool } = LOCKFILE.packages;
    installed({ 'node_modules/tool': tool });
    await bootstrap('prestart');
    expect(asked()).toBe('--include=dev');
  });

  test('of a start, what no system but this one can load is gone; of tests nothing', async () => {
    const here = `${process.platform}_${process.arch}`;
    const files = [
      `uws-pack/dist/bin/uws_${here}_127.node`,
      'uws-pack/dist/bin/uws_plan9_mips_127.node',
      `@btc-vision/uwebsockets.js/uws_${here}_137.node`,
      '@btc-vision/uwebsockets.js/uws_plan9_mips_137.node',
      '@btc-vision/uwebsockets.js/uws.js',
      'node-plan9-mips/bin/node',
      'node-plan9-mips/include/node.h',
    ];
    const there = async (event: string): Promise<readonly string[]> => {
      installed({});
      for (const file of files) {
        mkdirSync(dirname(join(root, 'node_modules', file)), { recursive: true });
        writeFileSync(join(root, 'node_modules', file), '');
      }
      expect((await bootstrap(event)).code).toBe(0);
      return files.filter((file) => existsSync(join(root, 'node_modules', file)));
    };
    workingNpm();
    program('redis-server', 'exit 0');
    expect(await there('pretest')).toEqual(files);
    expect(await there('prestart')).toEqual(files.filter((file) => !/_plan9_|include/.test(file)));
  });

  test.each(['9.2.0', '8.19.4', '9.4.2'])(
    'an npm of version %s is refused by name before anything is downloaded',
    async (version) => {
      workingNpm(0, version);
      const { code, text } = await bootstrap('prestart');
      expect(code).toBe(1);
      expect(text).toMatch(/^bootstrap: npm 9\.5 or later is needed, this is .*\n$/);
      expect(text).toContain(`this is ${version}. `);
      expect(existsSync(join(root, 'calls'))).toBe(false);
      // Where all is there, npm has nothing to do.
      installed();
      program('redis-server', 'exit 0');
      expect(await bootstrap('prestart')).toEqual({ code: 0, text: '' });
    },
  );

  test.each(['9.5.0', '9.10.1', '10.0.0', '11.19.1'])('an npm of %s installs', async (version) => {
    workingNpm(0, version);
    program('redis-server', 'exit 0');
    expect((await bootstrap('prestart')).code).toBe(0);
    expect(existsSync(join(root, 'calls'))).toBe(true);
  });

  test('the npm that is asked is the one that runs us: on Debian 13 its own', async () => {
    const folder = join(root, 'usr/share/nodejs/npm/bin');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'npm-cli.js'), "console.log('9.2.0')");
    mkdirSync(join(root, 'usr/bin'));
    symlinkSync(process.execPath, join(root, 'usr/bin/nodejs'));
    symlinkSync('nodejs', join(root, 'usr/bin/node'));
    workingNpm();
    const { code, text } = await bootstrap('prestart', {
      npm_execpath: join(folder, 'npm-cli.js'),
      npm_node_execpath: join(root, 'usr/bin/node'),
    });
    expect([code, text]).toEqual([1, expect.stringContaining('this is 9.2.0.')]);
  });

  test('a package whose digest no mirror had is named', async () => {
    const packages = { ...LOCKFILE.packages, 'node_modules/b': { version: '1.0.0' } };
    writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages }));
    workingNpm();
    writeFileSync(join(root, 'installed.json'), JSON.stringify({ packages }));
    program('redis-server', 'exit 0');
    const { code, text } = await bootstrap('prestart');
    expect([code, text]).toEqual([
      0,
      expect.stringMatching(/has no digest to compare with: b\.\n$/),
    ]);
  });

  test('the Node that came along is linked where npm took its link away', async () => {
    installed();
    program('redis-server', 'exit 0');
    writeFileSync(join(root, 'package.json'), JSON.stringify({ engines: { node: '>=99.1' } }));
    const without = await bootstrap('prestart');
    expect([without.code, without.text]).toEqual([
      1,
      expect.stringContaining('install Node 99.1 or later'),
    ]);
    const folder = join(root, `node_modules/node-${process.platform}-${process.arch}/bin`);
    mkdirSync(folder, { recursive: true });
    symlinkSync(process.execPath, join(folder, 'node'));
    expect(await bootstrap('precheck')).toEqual({ code: 0, text: '' });
    expect(existsSync(join(root, 'node_modules/.bin/node'))).toBe(true);
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
    npm(`echo '${message}' >&2; exit 1`);
    program('redis-server', 'exit 0');
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

  test('is looked for first: nothing is downloaded where it is missing', async () => {
    rmSync(join(root, 'node_modules'), { recursive: true });
    workingNpm();
    const { code, text } = await bootstrap('prestart');
    expect([code, text]).toEqual([1, expect.stringMatching(/^bootstrap: Redis is needed: /)]);
    expect(existsSync(join(root, 'calls'))).toBe(false);
  });

  test('one of the operator’s, and the command line, need none', async () => {
    expect(await bootstrap('prestart', REDIS_ELSEWHERE)).toEqual({ code: 0, text: '' });
    expect(await bootstrap('precli')).toEqual({ code: 0, text: '' });
  });
});
