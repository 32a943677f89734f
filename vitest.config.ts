/**
 * One project per kind of test. Parts share the processes that run them, and so what they load; the
 * end-to-end ones run last and alone, on real processes.
 */
import { pathToFileURL } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const PRELOADED = pathToFileURL(`${import.meta.dirname}/test/strippedModules.mjs`).href;
const END_TO_END = 'test/e2e/**/*.test.ts';
/** Those that look at how modules are loaded, or count what a process has. */
const OWN_PROCESS = ['test/houseRules.test.ts', 'test/slices/screening/mainThread.test.ts'];
/** One more than cores: tests wait for servers of theirs, and for clocks. */
const WORKERS = 3;

/** Seconds of the parts that take long; by their size alone many of them would come last. */
const SECONDS: Readonly<Record<string, number>> = {
  'test/api/http/slow.test.ts': 45,
  'test/slices/notifications/conditions.test.ts': 40,
  'test/slices/policies/signing.test.ts': 40,
  'test/slices/webhooks/addresses.test.ts': 50,
  'test/storage/mongo/contract.test.ts': 120,
  'test/storage/mongo/crashes.test.ts': 115,
  'test/storage/mongo/tables.test.ts': 200,
  'test/storage/sqlite/contract.test.ts': 50,
};

const secondsOf = ({ moduleId }: TestSpecification): number =>
  Object.entries(SECONDS).find(([path]) => moduleId.endsWith(path))?.[1] ?? 0;

/** Slow files first: no worker is left with one of them at the end. */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => secondsOf(other) - secondsOf(one));
  }
}

export default defineConfig({
  // Properties are tried on the same cases each time (test/fastCheck.mjs).
  resolve: {
    alias: [{ find: /^fast-check$/, replacement: `${import.meta.dirname}/test/fastCheck.mjs` }],
  },
  test: {
    pool: 'forks',
    maxWorkers: WORKERS,
    sequence: { sequencer: SlowFirst },
    // Backstops for what hangs: how busy the machine is must not decide a test.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    reporters: ['default'],
    globalSetup: 'test/globalSetup.mjs',
    // Of what tests start, not of the tests, which are loaded by vitest.
    env: { NODE_OPTIONS: `--import ${PRELOADED}` },
    projects: [
      {
        extends: true,
        test: {
          name: 'parts',
          include: ['test/**/*.test.ts'],
          exclude: [END_TO_END, ...OWN_PROCESS],
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: { name: 'own process', include: OWN_PROCESS, sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        test: {
          name: 'end-to-end',
          include: [END_TO_END],
          // Each file starts whole installations, and two of them would time each other out.
          fileParallelism: false,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
          testTimeout: 300_000,
        },
      },
    ],
  },
});
