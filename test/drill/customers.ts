/**
 * What `npm test` tries of customers with some hundred, with as many as were promised (customers.md
 * F1, F2, F4): links that are alive at once, and random forms that the server, the SDK in a browser
 * and a validator of JSON Schema judge alike.
 */
import { type DrillOptions, type DrillRow, Findings } from './row.ts';
import { judgeTests } from './testRun.ts';

const LINKS = 10_000;
const SHORT = 20;
/** Random cases a link: 100,000 beside 10,000 links. */
const RUNS_A_LINK = 10;
const TEST_MS_MAX = 4 * 3_600_000;

export async function customers({ count, isShort }: DrillOptions): Promise<readonly DrillRow[]> {
  const findings = new Findings('customers', { isShort });
  const links = count ?? (isShort ? SHORT : LINKS);
  const runs = links * RUNS_A_LINK;
  const many = { ONBOARDING_LINKS: String(links) };
  const random = { FUZZ_RUNS: String(runs) };
  const tests = [
    {
      asked: `${links} live links, 0 crossed cases`,
      env: many,
      file: 'test/slices/onboarding/manyLinks.test.ts',
    },
    {
      asked: `${links} live links over sockets`,
      env: many,
      file: 'test/slices/onboarding/onboardingOverSockets.test.ts',
    },
    {
      asked: `${runs} random forms: the server as the validator of schema.data`,
      env: random,
      file: 'test/slices/forms/evaluateForm.test.ts',
    },
    {
      asked: `${runs} random forms: the SDK in a browser as the server`,
      env: random,
      file: 'test/slices/onboarding/sdkInBrowser.test.ts',
      named: 'random forms and values',
    },
    {
      asked: `${runs} random patterns: one meaning in both engines`,
      env: random,
      file: 'test/slices/forms/patterns.test.ts',
    },
  ];
  for (const one of tests) await judgeTests(findings, { ...one, msMax: TEST_MS_MAX });
  return findings.rows;
}
