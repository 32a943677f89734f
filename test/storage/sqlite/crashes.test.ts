/** SIGKILL at every step of a write; the steps are heard on the thread that runs them. */
import { join } from 'node:path';
import {
  competitionContract,
  crashContract,
  leaseContract,
  sharedChainContract,
} from '../contract/crashes.ts';
import { makeSqliteHarness } from './harness.ts';

crashContract('sqlite', {
  makeHarness: makeSqliteHarness,
  toTask: ({ dataDir }, order) => ({
    ...order,
    file: join(dataDir, 'store', 'compliance.sqlite'),
  }),
  steps: ['begin', 'changes', 'events', 'outbox', 'idempotency', 'head', 'before-commit', 'commit'],
  commitPoint: 'commit',
  racedSteps: ['begin', 'changes', 'before-commit', 'commit'],
});

competitionContract('sqlite', {
  makeHarness: makeSqliteHarness,
  toTask: ({ dataDir }, order) => ({ ...order, dataDir }),
  groups: 60,
});

sharedChainContract('sqlite', {
  makeHarness: makeSqliteHarness,
  toTask: ({ dataDir }, order) => ({ ...order, dataDir }),
});

leaseContract('sqlite', {
  makeHarness: makeSqliteHarness,
  toTask: ({ dataDir }, order) => ({ ...order, dataDir }),
  chunks: 200,
});
