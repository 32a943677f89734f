/** The whole contract on the embedded store. */
import { storageContract } from '../contract/index.ts';
import { makeSqliteHarness } from './harness.ts';

storageContract('sqlite', makeSqliteHarness, { isolationOperations: 1_000 });
