/** Tests that a drill runs as a process of their own, larger than `npm test` does. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './member.ts';
import type { Findings } from './row.ts';

const run = promisify(execFile);
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/** Which tests, and what makes them larger. */
export interface TestRun {
  /** What is asked, in words. */
  readonly asked: string;
  readonly file: string;
  /** A part of the names of its tests; absent: all of them. */
  readonly named?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly msMax: number;
}

/** Met where some have passed and no other has come to anything else. */
export async function judgeTests(findings: Findings, of: TestRun): Promise<void> {
  const startedAt = performance.now();
  const { failed, passed } = await outcomeOf(of);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  const measured = `${passed} passed in ${seconds} s; else: ${failed.join('; ') || 'none'}`;
  findings.judge(of.asked, measured, passed > 0 && failed.length === 0);
}

async function outcomeOf({ env, file, msMax, named }: TestRun) {
  const folder = await mkdtemp(join(tmpdir(), 'compliance-drill-tests-'));
  const out = join(folder, 'report.json');
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const words = ['run', file, '--reporter=json', `--outputFile=${out}`];
  const which = named === undefined ? [] : ['-t', named];
  const times = [`--testTimeout=${msMax}`, `--hookTimeout=${msMax}`];
  const options = { cwd: ROOT, env: { ...process.env, ...env }, maxBuffer: OUTPUT_BYTES_MAX };
  try {
    // It ends with 1 where a test has failed, which the report says.
    await run(process.execPath, [vitest, ...words, ...which, ...times], options).catch(
      () => undefined,
    );
    const { testResults } = JSON.parse(await readFile(out, 'utf8')) as Report;
    const all = testResults.flatMap(({ assertionResults }) => assertionResults);
    const of = (status: string) =>
      all.filter((one) => one.status === status).map(({ fullName }) => fullName);
    return { failed: of('failed'), passed: of('passed').length };
  } finally {
    await rm(folder, { force: true, recursive: true });
  }
}
