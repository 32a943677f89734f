/** The contract of declared tables on the embedded store. */
import { tablesContract } from '../contract/tables.ts';
import { openTablesBy } from '../contract/tablesStore.ts';
import { makeSqliteHarness } from './harness.ts';

tablesContract('sqlite', openTablesBy(makeSqliteHarness), { runs: 60 });
