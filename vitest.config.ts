/** One project per kind of test; the end-to-end ones run last and alone, on real processes. */
import { defineConfig } from 'vitest/config';

const END_TO_END = 'test/e2e/**/*.test.ts';

export default defineConfig({
  // Properties are tried on the same cases each time (test/fastCheck.mjs).
  resolve: {
    alias: [{ find: /^fast-check$/, replacement: `${import.meta.dirname}/test/fastCheck.mjs` }],
  },
  test: {
    pool: 'forks',
    maxWorkers: 2,
    // Backstops for what hangs: how busy the machine is must not decide a test.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    reporters: ['default'],
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
