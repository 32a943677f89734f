/** One project per kind of test; both share the workers, and end at about the same time. */
import { pathToFileURL } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const PRELOADED = pathToFileURL(`${import.meta.dirname}/test/strippedModules.mjs`).href;
const END_TO_END = 'test/e2e/**/*.test.ts';
/** One more than cores: tests wait for servers of theirs, and for clocks. */
const WORKERS = 3;

/** Seconds of the files that take long; by their size alone many of them would come last. */
const SECONDS: Readonly<Record<string, number>> = {
  'test/api/http/slow.test.ts': 45,
  'test/e2e/airGap.test.ts': 10,
  'test/e2e/alerts.test.ts': 25,
  'test/e2e/backup.test.ts': 10,
  'test/e2e/batches.test.ts': 40,
  'test/e2e/batchesOnServers.test.ts': 95,
  'test/e2e/clusterBackup.test.ts': 40,
  'test/e2e/crashes.test.ts': 30,
  'test/e2e/drain.test.ts': 20,
  'test/e2e/drill.test.ts': 80,
  'test/e2e/firstRun.test.ts': 10,
  'test/e2e/formerRelease.test.ts': 30,
  'test/e2e/guide.test.ts': 55,
  'test/e2e/listRuns.test.ts': 25,
  'test/e2e/retries.test.ts': 20,
  'test/e2e/upgrade.test.ts': 10,
  'test/e2e/verifyState.test.ts': 10,
  'test/e2e/watched.test.ts': 10,
  'test/slices/notifications/conditions.test.ts': 40,
  'test/slices/policies/signing.test.ts': 40,
  'test/slices/webhooks/addresses.test.ts': 50,
  'test/storage/mongo/contract.test.ts': 120,
  'test/storage/mongo/crashes.test.ts': 115,
  'test/storage/mongo/tables.test.ts': 200,
  'test/storage/sqlite/contract.test.ts': 50,
};
/** Of a file that is not named there. */
const SECONDS_OF_OTHERS = 3;

const secondsOf = ({ moduleId }: TestSpecification): number =>
  Object.entries(SECONDS).find(([path]) => moduleId.endsWith(path))?.[1] ?? SECONDS_OF_OTHERS;

/**
 * Slow files first, so that no worker is left with one of them at the end; and the end-to-end ones,
 * which start whole installations, one after the other beside the parts: two of them at once would
 * slow each other. The times are as measured once, so two may meet; they bear it.
 */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = (await super.sort(files)).toSorted((a, b) => secondsOf(b) - secondsOf(a));
    const isWhole = ({ project }: TestSpecification) => project.name === 'end-to-end';
    const wholes = sorted.filter(isWhole);
    const parts = sorted.filter((file) => !isWhole(file));
    const order: TestSpecification[] = [];
    const freeAt = Array<number>(this.ctx.config.maxWorkers).fill(0);
    for (let wholeUntil = 0; order.length < files.length; ) {
      const now = Math.min(...freeAt);
      const isTurn = now >= wholeUntil || parts.length === 0;
      const next = (isTurn ? wholes.shift() : undefined) ?? parts.shift() ?? wholes.shift();
      if (next === undefined) break;
      const until = now + secondsOf(next);
      if (isWhole(next)) wholeUntil = until;
      freeAt[freeAt.indexOf(now)] = until;
      order.push(next);
    }
    return order;
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
          exclude: [END_TO_END],
        },
      },
      {
        extends: true,
        test: {
          name: 'end-to-end',
          include: [END_TO_END],
          testTimeout: 300_000,
        },
      },
    ],
  },
});
