/** The drills run, with seconds each, so that they cannot rot; what they judge then is no speed. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DrillRow } from '../drill/row.ts';
import { isRedisHere } from './product.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const MAIN = join(ROOT, 'test/drill/main.ts');
/** `DRILLS=hostile,webhooks` runs those that take a minute here too: do it where they changed. */
const DRILLS = ['risk', 'rules', ...(process.env.DRILLS?.split(',') ?? [])];
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drill-smoke-'));
});
afterAll(() => rm(folder, { force: true, recursive: true }));

describe.skipIf(!isRedisHere)('a drill, short', () => {
  test.each(DRILLS)('%s: all that it asks is met', async (name) => {
    const out = join(folder, `${name}.json`);
    const temporary = join(folder, name);
    await mkdir(temporary);
    const env = { ...process.env, TMPDIR: temporary };
    const words = [MAIN, name, '--short', '--out', out];
    const ended = await run(process.execPath, words, { cwd: ROOT, env }).catch((error) => error);
    const rows = JSON.parse(await readFile(out, 'utf8')) as DrillRow[];
    expect(rows.filter(({ isMet }) => isMet === false)).toEqual([]);
    expect([rows.length > 0, ended.code]).toEqual([true, undefined]);
    expect(await readdir(temporary)).toEqual([]);
  });
});

test.each([['poetry'], ['heads', '--minutes', '0'], ['--unknown']])(
  '%s is refused',
  async (...words) => {
    const refused = { code: 2, stderr: expect.stringContaining('npm run drill -- heads') };
    const drill = run(process.execPath, [MAIN, ...words], { cwd: ROOT });
    await expect(drill).rejects.toMatchObject(refused);
  },
);

test.each([MAIN, join(ROOT, 'bench/main.ts')])('%s --help says what it takes', async (file) => {
  const { stdout } = await run(process.execPath, [file, '--help'], { cwd: ROOT });
  expect(stdout).toMatch(/^`npm run (drill|bench)`: /);
});
