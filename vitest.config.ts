/** One project per kind of test; the end-to-end ones run last and alone, on real processes. */
import { pathToFileURL } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const PRELOADED = pathToFileURL(`${import.meta.dirname}/test/strippedModules.mjs`).href;
const END_TO_END = 'test/e2e/**/*.test.ts';

/** Short files that take a minute and more; by their size alone they would come last. */
const SLOW = [
  'test/storage/mongo/tables.test.ts',
  'test/storage/mongo/crashes.test.ts',
  'test/storage/mongo/contract.test.ts',
  'test/storage/sqlite/contract.test.ts',
  'test/slices/webhooks/addresses.test.ts',
];

const rankOf = ({ moduleId }: TestSpecification): number => {
  const place = SLOW.findIndex((path) => moduleId.endsWith(path));
  return place === -1 ? SLOW.length : place;
};

/** Slow files first: neither of two workers is left with one of them at the end. */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}

export default defineConfig({
  // Properties are tried on the same cases each time (test/fastCheck.mjs).
  resolve: {
    alias: [{ find: /^fast-check$/, replacement: `${import.meta.dirname}/test/fastCheck.mjs` }],
  },
  test: {
    pool: 'forks',
    maxWorkers: 2,
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
          exclude: [END_TO_END],
          sequence: { groupOrder: 0 },
        },
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
