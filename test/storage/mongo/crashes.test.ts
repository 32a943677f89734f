/** SIGKILL at every step of a write and of a repair, in both ways of writing. */
import { afterAll, beforeAll, describe } from 'vitest';
import {
  type ChildOrder,
  competitionContract,
  crashContract,
  leaseContract,
  sharedChainContract,
} from '../contract/crashes.ts';
import { mongoHarness } from './harness.ts';
import { hasMongo, type MongoTestServer, startMongo } from './server.ts';

/** One of those that take the installation's turn, and two of those that take the chain's. */
const IN_TURN = ['table synthetic_job'];
const IN_CHAIN = ['table synthetic_policy', 'table synthetic_note'];
const EFFECTS = ['open', 'outbox', 'idempotency'];
const IN_TRANSACTION = ['head', ...IN_TURN, ...IN_CHAIN, 'changes', 'events', ...EFFECTS, 'commit'];
const REPAIR = [
  ...IN_TURN,
  ...['writes', 'changes'],
  ...IN_CHAIN,
  ...EFFECTS,
  ...['head', 'intent-removed'],
];
const BY_INTENT = ['checked', 'intent', 'group', ...REPAIR, 'lease'];

describe.skipIf(!hasMongo())('mongo', () => {
  let server: MongoTestServer;
  beforeAll(async () => {
    server = await startMongo();
  });
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
      racedSteps: isOff ? ['intent', 'group', ...IN_TURN, 'head'] : ['commit'],
      steps: isOff ? BY_INTENT : IN_TRANSACTION,
      commitPoint: isOff ? 'group' : 'commit',
      recoverySteps: isOff ? REPAIR : [],
    });
    competitionContract(technology, { ...shared, groups: 10 });
    sharedChainContract(technology, shared);
    leaseContract(technology, { ...shared, chunks: 60 });
  }
});
