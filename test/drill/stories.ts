/**
 * Stories of forgery and erasure that `npm test` runs upon the embedded store, upon MongoDB: each
 * installation makes all collections and indexes of its database, which takes minutes.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hasMongo, MONGO_STORIES } from '../storage/mongo/server.ts';
import { ROOT } from './member.ts';
import { type DrillOptions, type DrillRow, Findings } from './row.ts';

const run = promisify(execFile);
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
const FILES = [
  'test/slices/batches/alteredResults.test.ts',
  'test/slices/batches/eraseSubjects.test.ts',
  'test/slices/screening/alteredIndex.test.ts',
];
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
  for (const file of FILES) {
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
