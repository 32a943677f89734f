/**
 * dist/ as scripts/build.mjs makes it: of this repository, which then runs from it, and of a source
 * of a few files, which is changed, cut short and broken.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const QUIET = '--disable-warning=ExperimentalWarning';

function build(root: string) {
  return spawnSync(process.execPath, [QUIET, join(root, 'scripts/build.mjs')], {
    encoding: 'utf8',
  });
}

/** As bootstrap.mjs asks. */
function isBuilt(root: string): boolean {
  const script = pathToFileURL(join(root, 'scripts/build.mjs')).href;
  const program = `import { isBuilt } from ${JSON.stringify(script)};
    console.log(await isBuilt(${JSON.stringify(root)}))`;
  const words = ['--input-type=module', '--eval', program];
  return execFileSync(process.execPath, words, { encoding: 'utf8' }) === 'true\n';
}

/** Every file of dist/ with its bytes. */
const treeOf = (root: string): Record<string, string> =>
  Object.fromEntries(
    globSync('dist/**/*.*', { cwd: root })
      .sort()
      .map((path) => [path, readFileSync(join(root, path), 'latin1')]),
  );

describe('of this repository', () => {
  let root = '';
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'build-'));
    const scripts = ['build.mjs', 'buildGuide.mjs', 'guide'].map((name) => `scripts/${name}`);
    for (const part of ['src', 'config', 'docs', 'packages', ...scripts, 'package.json'])
      cpSync(join(ROOT, part), join(root, part), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
    expect(build(root)).toMatchObject({ status: 0, stderr: '' });
  });
  afterAll(() => rmSync(root, { recursive: true }));

  test('every source is there, line by line and as wide', () => {
    const sources = globSync('src/**/*.*', { cwd: root }).filter(
      (path) => !/\.(as|d)\.ts$/.test(path),
    );
    expect(sources.length).toBeGreaterThan(400);
    const shape = (text: string): number[] => text.split('\n').map((line) => line.length);
    for (const source of sources) {
      const from = readFileSync(join(root, source), 'latin1');
      const path = source.replace(/^src/, 'dist').replace(/\.ts$/, '.js');
      const to = readFileSync(join(root, path), 'latin1');
      if (source.endsWith('.ts')) expect(shape(to), source).toEqual(shape(from));
      else expect(to === from, source).toBe(true);
    }
    const built = Object.keys(treeOf(root)).filter((path) => !path.startsWith('dist/guide/'));
    expect(built).toHaveLength(sources.length + 2);
  });

  test('the guide is there, and a page that changes makes the build stale', () => {
    const page = (): string => readFileSync(join(root, 'dist/guide/fr/index.html'), 'utf8');
    expect(page()).toContain('<html lang="fr">');
    const source = join(root, 'docs/guide/fr/index.md');
    const before = readFileSync(source, 'utf8');
    expect(isBuilt(root)).toBe(true);
    writeFileSync(source, before.replace('# Guide', '# Mode d’emploi'));
    expect(isBuilt(root)).toBe(false);
    expect(build(root)).toMatchObject({ status: 0, stderr: '' });
    expect(page()).toContain('<h1 id="mode-demploi">Mode d’emploi</h1>');
  });

  test('the files of threads, children and assets are where the code looks for them', () => {
    const found = globSync('dist/**/*.js', { cwd: root }).flatMap((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      const urls = text.matchAll(/new URL\(\s*['"`](\.[^'"`]+)['"`],\s*import\.meta\.url/g);
      return [...urls].map(([, file = '']) => join(root, dirname(path), file));
    });
    expect(found.length).toBeGreaterThan(10);
    expect(found.filter((file) => file.endsWith('.ts') || !existsSync(file))).toEqual([]);
  });

  test('the command line runs, and a long list goes through all threads, without a type', () => {
    const env = {
      DATA_DIR: join(root, 'data'),
      LOG_LEVEL: 'warn',
      // A process or thread that met a type would end.
      NODE_OPTIONS: '--no-experimental-strip-types',
      PATH: process.env.PATH,
    };
    const cli = (...words: string[]) =>
      spawnSync(process.execPath, [QUIET, join(root, 'dist/app/cli/main.js'), ...words], {
        cwd: root,
        encoding: 'utf8',
        env,
      });
    expect(cli('--help')).toMatchObject({
      status: 0,
      stderr: '',
      stdout: expect.stringContaining('list import'),
    });
    // Long enough for threads that map, digest and sign it, of enough entities for some that index.
    const file = join(root, 'long.json');
    const properties = { name: ['Long Remark'], notes: ['n'.repeat(10_000)], topics: ['sanction'] };
    const lines = Array.from({ length: 5_300 }, (_, at) =>
      JSON.stringify({ id: `NK-${at}`, caption: 'Long Remark', schema: 'Person', properties }),
    );
    writeFileSync(file, lines.join('\n'));
    const ran = cli('list', 'import', '--source', 'OPEN_AGGREGATE', '--file', file, '--json');
    expect(ran.status, ran.stderr).toBe(0);
    expect(ran.stdout).toContain('5300');
    const status = cli('list', 'status');
    expect(status.stdout).toMatch(/^OPEN_AGGREGATE /m);
  });
});

describe('of a source', () => {
  const WHERE = 'export const where = (): string => __here__;';
  let root = '';
  const at = (path: string): string => join(root, path);
  function write(path: string, text: string): void {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
  }
  const aliases = (imports: Record<string, string>): void =>
    write('package.json', JSON.stringify({ imports }));

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'build-'));
    cpSync(join(ROOT, 'scripts/build.mjs'), at('scripts/build.mjs'));
    aliases({ '#b': './src/parts/b.ts' });
    write('src/main.ts', "import { b } from '#b';\nexport const a: number = b;\n");
    write('src/parts/b.ts', "export { c as b } from '../c.ts';\n");
    write('src/c.ts', `export const c: number = 3;\n${WHERE}\n`);
    write('src/parts/kept.lua', 'return 1');
    expect(build(root)).toMatchObject({ status: 0, stderr: '', stdout: '' });
  });
  afterEach(() => rmSync(root, { recursive: true }));

  test('imports and aliases lead within the build, and a place in it is one in the source', () => {
    const program = `import { a } from './dist/main.js'; import { where } from './dist/c.js';
      console.log(a); where();`;
    const words = ['--input-type=module', '--eval', program];
    const ran = spawnSync(process.execPath, words, { cwd: root, encoding: 'utf8' });
    expect(ran.stdout).toBe('3\n');
    expect(ran.stderr).toContain(`dist/c.js:2:${WHERE.indexOf('__here__') + 1}`);
  });

  test('is the same bytes twice', () => {
    const first = treeOf(root);
    expect(Object.keys(first)).toHaveLength(6);
    build(root);
    expect(treeOf(root)).toEqual(first);
  });

  test.each<[string, () => void]>([
    ['a changed file', () => write('src/c.ts', 'export const c = 4;\n')],
    ['a change that keeps the size', () => write('src/parts/kept.lua', 'return 2')],
    ['a new file', () => write('src/d.ts', '')],
    ['a file that is gone', () => rmSync(at('src/parts/kept.lua'))],
    ['another alias', () => aliases({ '#b': './src/c.ts' })],
    ['another build script', () => write('scripts/build.mjs', `${read('scripts/build.mjs')}\n`)],
    ['a build without its stamp', () => rmSync(at('dist/stamp.json'))],
    ['a build without one of its files', () => rmSync(at('dist/c.js'))],
    ['a build with a file that was cut', () => write('dist/parts/b.js', '')],
    ['no build', () => rmSync(at('dist'), { recursive: true })],
    [
      'a file in place of it',
      () => {
        rmSync(at('dist'), { recursive: true });
        write('dist', '');
      },
    ],
  ])('%s makes it stale, a build fresh again', (_, change) => {
    expect(isBuilt(root)).toBe(true);
    change();
    expect(isBuilt(root)).toBe(false);
    build(root);
    expect(isBuilt(root)).toBe(true);
  });
  const read = (path: string): string => readFileSync(at(path), 'utf8');

  test('files of another time with the same content are no other source', () => {
    utimesSync(at('src/c.ts'), 1, 1);
    expect(isBuilt(root)).toBe(true);
  });

  test('what an editor hides in the source is none of it', () => {
    symlinkSync('someone@host.1:2', at('src/.#main.ts'));
    write('src/.main.ts.swp', 'enum');
    expect(isBuilt(root)).toBe(true);
    const former = treeOf(root);
    expect(build(root)).toMatchObject({ status: 0, stderr: '' });
    expect(treeOf(root)).toEqual(former);
  });

  test('what is no more in the source is no more in the build', () => {
    rmSync(at('src/parts/kept.lua'));
    build(root);
    expect(existsSync(at('dist/parts/kept.lua'))).toBe(false);
  });

  test.each<[string, () => void, RegExp]>([
    [
      'a type that is more than a type',
      () => write('src/c.ts', 'export enum C { A }\n'),
      /^build: src\/c\.ts: .*enum/,
    ],
    [
      'an import of nothing',
      () => write('src/parts/b.ts', "export * from './gone.ts';\n"),
      /^build: src\/parts\/b\.ts: '\.\/gone\.ts' names no file of the build\.$/m,
    ],
    [
      'a thread that is not there',
      () => write('src/c.ts', "export const c = new URL('./gone.ts', import.meta.url);\n"),
      /^build: src\/c\.ts: '\.\/gone\.ts' names/,
    ],
    [
      'an import of what is left out',
      () => {
        write('src/types.d.ts', '');
        write('src/c.ts', "export * from './types.d.ts';\n");
      },
      /^build: src\/c\.ts: '\.\/types\.d\.ts' names/,
    ],
    [
      'an alias that leads elsewhere',
      () => aliases({ '#b': './bench/b.ts' }),
      /^build: package\.json: '#b' leads to \.\/bench\/b\.ts, which is not in src\.$/m,
    ],
  ])('%s is refused, and the former build stays whole', (_, change, message) => {
    const former = treeOf(root);
    change();
    const { status, stderr } = build(root);
    expect(status).toBe(1);
    expect(stderr).toMatch(message);
    expect(treeOf(root)).toEqual(former);
    expect(existsSync(at('dist.new'))).toBe(false);
    expect(isBuilt(root)).toBe(false);
  });

  test('what a killed build left is neither taken for one nor in the way', () => {
    const whole = treeOf(root);
    // Killed between its two renames: the former one is aside, the new one not in place.
    cpSync(at('dist'), at('dist.old'), { recursive: true });
    cpSync(at('dist'), at('dist.new'), { recursive: true });
    rmSync(at('dist.new/main.js'));
    rmSync(at('dist'), { recursive: true });
    expect(isBuilt(root)).toBe(false);
    expect(build(root).status).toBe(0);
    expect(treeOf(root)).toEqual(whole);
    expect([at('dist.new'), at('dist.old')].filter(existsSync)).toEqual([]);
  });
});
