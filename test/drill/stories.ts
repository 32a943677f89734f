/**
 * What `npm test` has a short version of upon MongoDB, whole: stories of forgery and erasure of
 * installations, each of which makes all collections and indexes of its database; suites of slices
 * in both ways of writing; the contract of tables for more of them. It takes minutes each.
 */
import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hasMongo, MONGO_STORIES } from '../storage/mongo/server.ts';
import { ROOT } from './member.ts';
import { type DrillOptions, type DrillRow, Findings } from './row.ts';

const run = promisify(execFile);
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
/** What a file imports that the variable concerns. */
const CONCERNED = /\bMONGO_STORIES\b|\/(eachInstallation|eachStore)\.ts'/;

/** By their paths below the root. */
const concernedFiles = (): readonly string[] =>
  globSync('test/**/*.test.ts', { cwd: ROOT })
    .filter((path) => CONCERNED.test(readFileSync(join(ROOT, path), 'utf8')))
    .sort();

/** The test server is slow where many share a machine. */
const TEST_MS_MAX = 600_000;

interface Report {
  readonly numFailedTests: number;
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

export async function stories({ isShort }: DrillOptions): Promise<readonly DrillRow[]> {
  const findings = new Findings('stories', { isShort });
  if (!hasMongo()) {
    findings.tell('upon MongoDB', 'SKIPPED: no MONGODB_TEST_URL, no test server');
    return findings.rows;
  }
  const files = concernedFiles();
  for (const file of isShort ? files.slice(0, 1) : files) {
    const { failed, passed } = await outcomeOf(file);
    const measured = `${passed} passed; else: ${failed.join('; ') || 'none'}`;
    findings.judge(`${file} upon MongoDB`, measured, passed > 0 && failed.length === 0);
  }
  return findings.rows;
}

async function outcomeOf(file: string) {
  const folder = await mkdtemp(join(tmpdir(), 'compliance-drill-stories-'));
  const out = join(folder, 'report.json');
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const words = ['run', file, '--reporter=json', `--outputFile=${out}`];
  const times = [`--testTimeout=${TEST_MS_MAX}`, `--hookTimeout=${TEST_MS_MAX}`];
  const env = { ...process.env, [MONGO_STORIES]: '1' };
  const options = { cwd: ROOT, env, maxBuffer: OUTPUT_BYTES_MAX };
  try {
    // It ends with 1 where a test has failed, which the report says.
    await run(process.execPath, [vitest, ...words, ...times], options).catch(() => undefined);
    const { testResults } = JSON.parse(await readFile(out, 'utf8')) as Report;
    const all = testResults.flatMap(({ assertionResults }) => assertionResults);
    const named = (status: string) =>
      all.filter((one) => one.status === status).map(({ fullName }) => fullName);
    return { failed: named('failed'), passed: named('passed').length };
  } finally {
    await rm(folder, { force: true, recursive: true });
  }
}
