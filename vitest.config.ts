/** One project per kind of test; the end-to-end ones run last and alone, on real processes. */
import { defineConfig } from 'vitest/config';

const END_TO_END = 'test/e2e/**/*.test.ts';

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
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
          testTimeout: 180_000,
        },
      },
    ],
  },
});
