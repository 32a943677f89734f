/** What the gate and the bench search, from the data of TEST_DATA_DIR. */
import { arabicNames, cleanNames } from './cleanNames.ts';
import { LISTS, type ListSource } from './dataFolder.ts';
import type { GateData } from './gate.ts';
import { allLists, indexEntities, ListRun } from './listRun.ts';
import { ScriptRuns } from './scriptRuns.ts';

/** Not the names that the shifts were fixed on. */
const CLEAN_SEED = 4_711;

/**
 * Lists, clean names and names of other scripts; `count` of each kind. A share of two in a thousand
 * is not told by a thousand names, where one more or less is half of it: `clean` is how many clean
 * names of persons and of companies are searched.
 */
export async function gateData(count: number, clean = count): Promise<GateData> {
  const { companies, global, us } = await cleanNames(clean, CLEAN_SEED);
  const lists = new Map<string, ListRun>();
  for (const source of Object.keys(LISTS) as ListSource[]) {
    lists.set(source, new ListRun(await indexEntities([source])));
  }
  return {
    all: new ListRun(await allLists()),
    clean: { arabic: await arabicNames(count, CLEAN_SEED), companies, global, us },
    count,
    lists,
    scripts: await ScriptRuns.read(count),
  };
}
