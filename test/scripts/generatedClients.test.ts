/**
 * Clients made from docs/api.yaml by the generators of both languages: every operation is in them,
 * and they compile. Where the generators are not installed (`.ci/run` does that), it is skipped.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const API = join(ROOT, 'docs/api.yaml');
const CACHE = join(ROOT, '.cache/clients');
const TYPESCRIPT = join(CACHE, 'typescript/node_modules/.bin/openapi-ts');
const PYTHON = join(CACHE, 'python/bin');
const isInstalled = existsSync(TYPESCRIPT) && existsSync(join(PYTHON, 'openapi-python-client'));
if (!isInstalled) console.warn('SKIPPED: generated clients need the generators (.ci/run)');

const operations = [...readFileSync(API, 'utf8').matchAll(/^ {6}operationId: (\w+)$/gm)].map(
  ([, id = '']) => id,
);
const folder = mkdtempSync(join(tmpdir(), 'clients-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Compiling shows the syntax alone; a name that is not there shows when its module is loaded. */
const IMPORT_ALL = `
import importlib, pkgutil, python
for module in pkgutil.walk_packages(python.__path__, 'python.'):
    importlib.import_module(module.name)
`;

function run(command: string, ...options: string[]): void {
  const done = spawnSync(command, options, { cwd: folder, encoding: 'utf8', timeout: 240_000 });
  expect(done.status, `${done.stdout}\n${done.stderr}`).toBe(0);
}

describe.skipIf(!isInstalled)('a client made from the description', () => {
  test('in TypeScript has every operation, and compiles', () => {
    run(TYPESCRIPT, '-i', API, '-o', join(folder, 'typescript'), '-c', '@hey-api/client-fetch');
    const calls = readFileSync(join(folder, 'typescript/sdk.gen.ts'), 'utf8');
    expect(operations.length).toBeGreaterThan(30);
    expect(operations.filter((id) => !calls.includes(`export const ${id} = `))).toEqual([]);
    const compilerOptions = {
      lib: ['ES2022', 'DOM', 'DOM.Iterable'],
      module: 'ESNext',
      moduleResolution: 'bundler',
      noEmit: true,
      skipLibCheck: true,
      strict: true,
      target: 'ES2022',
    };
    const project = join(folder, 'tsconfig.json');
    writeFileSync(project, JSON.stringify({ compilerOptions, include: ['typescript'] }));
    run(join(ROOT, 'node_modules/.bin/tsc'), '-p', project);
  }, 300_000);

  test('in Python has every operation, and compiles', () => {
    const output = join(folder, 'python');
    run(
      join(PYTHON, 'openapi-python-client'),
      ...['generate', '--path', API, '--output-path', output, '--meta', 'none'],
    );
    run(join(PYTHON, 'python'), '-c', IMPORT_ALL);
    const made = globSync('api/*/*.py', { cwd: output }).map((path) => path.split('/').at(-1));
    const fileOf = (id: string) => `${id.replaceAll(/[A-Z]/g, (c) => `_${c.toLowerCase()}`)}.py`;
    expect(operations.filter((id) => !made.includes(fileOf(id)))).toEqual([]);
  }, 300_000);
});
