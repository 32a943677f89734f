/** SIGKILL at every step of a write and of a repair, in both ways of writing. */
import { afterAll, beforeAll, describe } from 'vitest';
import {
  type ChildOrder,
  competitionContract,
  crashContract,
  leaseContract,
} from '../contract/crashes.ts';
import { mongoHarness } from './harness.ts';
import { hasMongo, type MongoTestServer, startMongo } from './server.ts';

const IN_TRANSACTION = ['head', 'changes', 'events', 'open', 'outbox', 'idempotency', 'commit'];
const REPAIR = ['writes', 'changes', 'open', 'outbox', 'idempotency', 'head', 'intent-removed'];
const BY_INTENT = ['checked', 'intent', 'group', ...REPAIR, 'lease'];

describe.skipIf(!hasMongo())('mongo', () => {
  let server: MongoTestServer;
  beforeAll(async () => {
    server = await startMongo();
  }, 60_000);
  afterAll(() => server.stop());

  for (const transactions of ['require', 'off'] as const) {
    const isOff = transactions === 'off';
    const technology = `mongo ${isOff ? 'without' : 'with'} transactions`;
    const shared = {
      makeHarness: mongoHarness(() => server, transactions),
      toTask: ({ url }: { url: string }, order: ChildOrder) => ({ ...order, url, transactions }),
    };
    crashContract(technology, {
      ...shared,
      steps: isOff ? BY_INTENT : IN_TRANSACTION,
      commitPoint: isOff ? 'group' : 'commit',
      recoverySteps: isOff ? REPAIR : [],
    });
    competitionContract(technology, { ...shared, groups: 10 });
    leaseContract(technology, { ...shared, chunks: 60 });
  }
});
