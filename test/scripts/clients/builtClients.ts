/**
 * Both clients as they are published, built once for a file of tests: made from docs/api.yaml by
 * the generators that `.ci/run` installs, with the hand-written part around them.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const CACHE = join(ROOT, '.cache/clients');
const TYPESCRIPT = join(CACHE, 'typescript/node_modules');
export const PYTHON = join(CACHE, 'python/bin/python');
const GENERATOR = join(CACHE, 'python/bin/openapi-python-client');

export const isInstalled = existsSync(join(TYPESCRIPT, '.bin/openapi-ts')) && existsSync(GENERATOR);
if (!isInstalled) console.warn('SKIPPED: clients need the generators (.ci/run)');

function run(command: string, folder: string, ...options: string[]): void {
  const done = spawnSync(command, options, { cwd: folder, encoding: 'utf8', timeout: 280_000 });
  expect(done.status, `${done.stdout}\n${done.stderr}`).toBe(0);
}

/** Beside a docs/api.yaml, as in the repository. */
function copyOf(client: 'python' | 'typescript'): string {
  const folder = mkdtempSync(join(tmpdir(), `client-${client}-`));
  cpSync(join(ROOT, 'docs/api.yaml'), join(folder, 'docs/api.yaml'));
  cpSync(join(ROOT, 'clients', client), join(folder, 'clients', client), {
    filter: (path) => !/\/(dist|generated|node_modules)$/.test(path),
    recursive: true,
  });
  return join(folder, 'clients', client);
}

/** Where its compiled files are. */
export function buildTypescript(): string {
  const folder = copyOf('typescript');
  symlinkSync(TYPESCRIPT, join(folder, 'node_modules'));
  const tool = (name: string) => join(TYPESCRIPT, '.bin', name);
  run(tool('openapi-ts'), folder, '-f', 'openapi-ts.config.mjs');
  run(tool('tsc'), folder, '-p', 'tsconfig.json');
  return join(folder, 'dist');
}

/** Where Python finds its package. */
export function buildPython(): string {
  const folder = copyOf('python');
  run(PYTHON, folder, 'generate.py');
  return join(folder, 'src');
}

/** The lines that a script prints, of what it reads as JSON; `path`: where the client was built. */
export function runPython(path: string, script: string, input: readonly object[]): string[] {
  const { status, stderr, stdout } = spawnSync(PYTHON, ['-c', script], {
    encoding: 'utf8',
    env: { ...process.env, PYTHONPATH: path },
    input: JSON.stringify(input),
  });
  if (status !== 0 || stderr !== '') throw new Error(`python ended with ${status}: ${stderr}`);
  return stdout.trim().split('\n');
}
