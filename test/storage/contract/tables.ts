/**
 * The contract of declared tables: what each one's flags promise, on the store and on the model in
 * step. All tables of a run share one store, since a new one costs more than most of these tests;
 * each test takes tenants that nobody has used.
 */
import { afterAll, beforeAll, describe } from 'vitest';
import type { AnyTable } from '#core/kernel';
import { DECLARED } from './declaredTables.ts';
import type { TableCase } from './sampleRecord.ts';
import { DELIVERIES, SYNTHETIC } from './syntheticTables.ts';
import { firstOfPairs, leaseFeaturesOf } from './tableFeatures.ts';
import { tableGroupsContract, tablesReopenedContract } from './tableGroups.ts';
import { tableLeasesContract } from './tableLeases.ts';
import { tableRacesContract } from './tableRaces.ts';
import { tableIndexesContract, tableReadsContract } from './tableReads.ts';
import { purgeStepsContract, tableRetentionContract } from './tableRetention.ts';
import { tableSequencesContract } from './tableSequences.ts';
import { tableUniqueContract } from './tableUnique.ts';
import { tableWorkContract } from './tableWork.ts';
import { tableKeysContract, tableWritesContract } from './tableWrites.ts';
import { type OpenTables, type TablesHarness, Twins } from './twins.ts';

const CASES: readonly TableCase[] = [...SYNTHETIC, ...DECLARED];
export const TABLES: readonly AnyTable[] = CASES.map(({ table }) => table);

interface TablesOptions {
  /** Random sequences; FUZZ_RUNS takes the place of it. */
  readonly runs?: number;
  /**
   * `pairs`: all of it where two features of a table meet for the first time, its own indexes for
   * every other. `writes`: of no slice's tables, where another run of the adapter has shown the
   * rest.
   */
  readonly part?: 'all' | 'pairs' | 'writes';
  /** Pairs of features that a table must be the first with, to be tried whole by `pairs`. */
  readonly newPairs?: number;
}

export function tablesContract(
  technology: string,
  openTables: OpenTables,
  { newPairs = 1, part = 'all', runs = 30 }: TablesOptions = {},
): void {
  describe(`${technology}: tables`, () => {
    let harness: TablesHarness;
    let twins: Twins;
    beforeAll(async () => {
      harness = await openTables(TABLES);
      twins = new Twins(await harness.open(), TABLES);
    });
    afterAll(async () => {
      await twins.store.close();
      await harness.dispose();
    });

    const isWritesAlone = part === 'writes';
    const cases = isWritesAlone ? SYNTHETIC : CASES;
    const leased = cases.filter(({ spec }) => spec.leased !== undefined);
    const isByPairs = part === 'pairs';
    const whole = isByPairs ? firstOfPairs(cases, { fewest: newPairs }) : new Set(cases);
    const isLeased = isByPairs ? firstOfPairs(leased, { of: leaseFeaturesOf }) : new Set(leased);
    describe.each(cases.map((of) => [of.name, of] as const))('%s', (_, of) => {
      if (!whole.has(of)) {
        tableIndexesContract(() => twins, of);
        return;
      }
      if (!isWritesAlone) tableReadsContract(() => twins, of, runs);
      tableKeysContract(() => twins, of);
      tableWritesContract(() => twins, of);
      tableUniqueContract(() => twins, of);
      tableWorkContract(() => twins, of);
      if (!isWritesAlone && isLeased.has(of)) tableLeasesContract(() => twins, of);
      tableRetentionContract(() => twins, of);
    });
    tableGroupsContract(() => twins);
    tableRacesContract(
      () => twins,
      () => harness,
    );
    if (!isWritesAlone) purgeStepsContract(() => twins, DELIVERIES);
    tableSequencesContract(() => twins, Number(process.env.FUZZ_RUNS ?? runs));
    tablesReopenedContract(
      () => twins,
      () => harness,
      cases,
    );
  });
}
