/**
 * Stories of forgery and erasure that `npm test` runs upon the embedded store, upon MongoDB: each
 * installation makes all collections and indexes of its database, which takes minutes.
 */
import { hasMongo, MONGO_STORIES } from '../storage/mongo/server.ts';
import { type DrillOptions, type DrillRow, Findings } from './row.ts';
import { judgeTests } from './testRun.ts';

const FILES = [
  'test/slices/batches/alteredResults.test.ts',
  'test/slices/batches/eraseSubjects.test.ts',
  'test/slices/screening/alteredIndex.test.ts',
];
/** The test server is slow where many share a machine. */
const TEST_MS_MAX = 600_000;

export async function stories({ isShort }: DrillOptions): Promise<readonly DrillRow[]> {
  const findings = new Findings('stories', { isShort });
  if (!hasMongo()) {
    findings.tell('upon MongoDB', 'SKIPPED: no MONGODB_TEST_URL, no test server');
    return findings.rows;
  }
  for (const file of FILES) {
    await judgeTests(findings, {
      asked: `${file} upon MongoDB`,
      env: { [MONGO_STORIES]: '1' },
      file,
      msMax: TEST_MS_MAX,
    });
  }
  return findings.rows;
}
