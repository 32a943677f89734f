/** SIGKILL at each step of a reaction over the embedded store. */
import { reactionKillsContract } from '../contract/reactionKills.ts';
import { makeSqliteHarness } from './harness.ts';

reactionKillsContract('sqlite', {
  makeHarness: makeSqliteHarness,
  toTask: ({ dataDir }) => ({ dataDir }),
});
