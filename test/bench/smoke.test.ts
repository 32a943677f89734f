/**
 * The benches run, with small inputs, so that they cannot rot; what they measure here means
 * nothing.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const ROOT = new URL('../..', import.meta.url).pathname;
const MAIN = join(ROOT, 'bench/main.ts');

/** Runs the suites, and checks that nothing is left of them in the temporary folder. */
async function runSmoke(suites: readonly string[], folder: string): Promise<string> {
  const out = join(folder, 'rows.json');
  const temporary = join(folder, 't');
  await mkdir(temporary);
  const named = suites.flatMap((suite) => ['--suite', suite]);
  const env = { ...process.env, TMPDIR: temporary };
  await run(process.execPath, [MAIN, '--smoke', ...named, '--out', out], { cwd: ROOT, env });
  expect(await readdir(temporary), suites.join()).toEqual([]);
  return out;
}

test('kernels, engine and evidence run with --smoke and write their rows', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'compliance-bench-smoke-'));
  const out = await runSmoke(['kernels', 'engine', 'evidence', 'alerts'], folder);
  const report = JSON.parse(await readFile(out, 'utf8')) as {
    rows: { id: string; ours: number; recall?: number }[];
  };
  const ids = report.rows.map(({ id }) => id);
  const some = ['kernels/jaro-winkler', 'engine/retrieve-rerank', 'evidence/append'];
  expect(ids).toEqual(expect.arrayContaining([...some, 'evidence/verify']));
  for (const { ours } of report.rows) expect(ours).toBeGreaterThan(0);
  const recallOf = (name: string) => report.rows.find(({ id }) => id === name)?.recall;
  expect(recallOf('engine/retrieve-rerank/1.0.0')).toBe(1);
  // Its candidates are 1.x's best by name: of nine in this list one stands behind them.
  expect(recallOf('engine/retrieve-rerank')).toBeGreaterThan(0.8);
  await rm(folder, { recursive: true });
});

test('tax runs with --smoke, and every account of it is reported', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'compliance-bench-smoke-'));
  const report = JSON.parse(await readFile(await runSmoke(['tax'], folder), 'utf8')) as {
    rows: { id: string; ours: number; checksum?: string }[];
  };
  const generated = report.rows.filter(({ id }) => id.startsWith('tax/generate'));
  expect(generated.map(({ checksum }) => checksum)).toEqual(
    Array.from({ length: 2 }, () => '0 errors, 1 messages'),
  );
  for (const { id, ours } of report.rows) {
    if (id !== 'tax/memory-growth') expect(ours, id).toBeGreaterThan(0);
  }
  await rm(folder, { recursive: true });
});

test('lists that are unpacked for a bench are gone with its process', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'compliance-bench-smoke-'));
  const lists = join(folder, 'lists/ofac');
  const temporary = join(folder, 't');
  await Promise.all([mkdir(lists, { recursive: true }), mkdir(temporary)]);
  const name = join(lists, 'sdn_2024-07-02_DERIVED_from_csv.xml');
  await writeFile(name, '<sdnList/>');
  await run('xz', [name]);
  const data = new URL('../../bench/data.ts', import.meta.url).href;
  const read = `import { readFileSync } from 'node:fs';
    import { ofacFile } from '${data}';
    process.stdout.write(readFileSync(await ofacFile(), 'utf8'));`;
  const env = { ...process.env, TEST_DATA_DIR: folder, TMPDIR: temporary };
  const flags = ['--input-type=module', '--eval', read];
  const { stdout } = await run(process.execPath, flags, { cwd: ROOT, env });
  expect([stdout, await readdir(temporary)]).toEqual(['<sdnList/>', []]);
  await rm(folder, { recursive: true });
});

test('suites from recall to risk run with --smoke, and find what is there', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'compliance-bench-smoke-'));
  const out = await runSmoke(
    ['recall', 'swap', 'growth', 'rescreening', 'auditSearch', 'risk'],
    folder,
  );
  const report = JSON.parse(await readFile(out, 'utf8')) as {
    rows: { id: string; ours: number }[];
  };
  const oursOf = (id: string) => report.rows.find((row) => row.id === id)?.ours;
  expect(oursOf('recall/exhaustive')).toBe(1);
  expect(oursOf('recall/noise/exact')).toBe(1);
  for (const id of [
    'engine/swap',
    'engine/overlay',
    'growth/500',
    'rescreening/leaves',
    'risk/backtest',
  ]) {
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
