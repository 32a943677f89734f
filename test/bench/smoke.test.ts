/**
 * The benches run, with small inputs, so that they cannot rot; what they measure here means
 * nothing.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const ROOT = new URL('../..', import.meta.url).pathname;
const MAIN = join(ROOT, 'bench/main.ts');

test('kernels, engine and evidence run with --smoke and write their rows', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'compliance-bench-smoke-'));
  const out = join(folder, 'rows.json');
  const suites = ['kernels', 'engine', 'evidence'].flatMap((suite) => ['--suite', suite]);
  await run(process.execPath, [MAIN, '--smoke', ...suites, '--out', out], { cwd: ROOT });
  const report = JSON.parse(await readFile(out, 'utf8')) as {
    rows: { id: string; ours: number; recall?: number }[];
  };
  const ids = report.rows.map(({ id }) => id);
  const some = ['kernels/jaro-winkler', 'engine/retrieve-rerank', 'evidence/append'];
  expect(ids).toEqual(expect.arrayContaining([...some, 'evidence/verify']));
  for (const { ours } of report.rows) expect(ours).toBeGreaterThan(0);
  expect(report.rows.find(({ id }) => id === 'engine/retrieve-rerank')?.recall).toBe(1);
  await rm(folder, { recursive: true });
});

test('recall, swap and growth run with --smoke, and find what is to be found', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'compliance-bench-smoke-'));
  const out = join(folder, 'rows.json');
  const suites = ['recall', 'swap', 'growth'].flatMap((suite) => ['--suite', suite]);
  await run(process.execPath, [MAIN, '--smoke', ...suites, '--out', out], { cwd: ROOT });
  const report = JSON.parse(await readFile(out, 'utf8')) as {
    rows: { id: string; ours: number }[];
  };
  const oursOf = (id: string) => report.rows.find((row) => row.id === id)?.ours;
  expect(oursOf('recall/exhaustive')).toBe(1);
  expect(oursOf('recall/noise/exact')).toBe(1);
  for (const id of ['engine/swap', 'engine/overlay', 'growth/500']) {
    expect(oursOf(id)).toBeGreaterThan(0);
  }
  await rm(folder, { recursive: true });
});

test.for([
  ['--suite', 'poetry'],
  ['--size', '7m'],
  ['--unknown', 'x'],
] as const)('%s %s is refused', async (flags) => {
  await expect(run(process.execPath, [MAIN, ...flags], { cwd: ROOT })).rejects.toThrow();
});
