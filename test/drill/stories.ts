/**
 * What `npm test` has a short version of upon MongoDB, whole: stories of forgery and erasure of
 * installations, each of which makes all collections and indexes of its database; suites of slices
 * in both ways of writing; the contract of tables for more of them. It takes minutes each.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasMongo, MONGO_STORIES } from '../storage/mongo/server.ts';
import { ROOT } from './member.ts';
import { type DrillOptions, type DrillRow, Findings } from './row.ts';
import { judgeTests } from './testRun.ts';

/** What a file imports that the variable concerns. */
const CONCERNED = /\bMONGO_STORIES\b|\/(eachInstallation|eachStore)\.ts'/;

/** By their paths below the root. */
const concernedFiles = (): readonly string[] =>
  globSync('test/**/*.test.ts', { cwd: ROOT })
    .filter((path) => CONCERNED.test(readFileSync(join(ROOT, path), 'utf8')))
    .sort();

/** The test server is slow where many share a machine. */
const TEST_MS_MAX = 600_000;

export async function stories({ isShort }: DrillOptions): Promise<readonly DrillRow[]> {
  const findings = new Findings('stories', { isShort });
  if (!hasMongo()) {
    findings.tell('upon MongoDB', 'SKIPPED: no MONGODB_TEST_URL, no test server');
    return findings.rows;
  }
  const files = concernedFiles();
  for (const file of isShort ? files.slice(0, 1) : files) {
    await judgeTests(findings, {
      asked: `${file} upon MongoDB`,
      env: { [MONGO_STORIES]: '1' },
      file,
      msMax: TEST_MS_MAX,
    });
  }
  return findings.rows;
}
