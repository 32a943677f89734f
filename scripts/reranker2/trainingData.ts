/** What the shipped model is fitted to, from the data of TEST_DATA_DIR and one seed. */
import { arabicNames, type CleanNames, cleanNames } from './cleanNames.ts';
import { allLists, ListRun } from './listRun.ts';
import { registerPairs } from './registerPairs.ts';
import type { Training } from './training.ts';
import { type Pair, trainingPairs, tuningPairs } from './trainingPairs.ts';

const SEED = 20_261_123;
/** Clean names whose best candidates are pairs of two parties. */
const SEARCHED = { arabic: 300, companies: 500, persons: 700, scripts: 120 } as const;
/** Clean names of each source that the shifts are fixed on. */
const SHIFTED_ON = 10_000;
/** Sorts of pairs that were tried, and made the model worse (docs/decisions/0049-reranker-2.md). */
const LEFT_OUT: readonly string[] = ['register', 'variants'];

/** What lines are fixed on: clean names that are in no training, and the lists. */
export interface LineData extends Pick<Training, 'run'> {
  readonly shiftedOn: Pick<CleanNames, 'companies' | 'global' | 'us'>;
}

/** A training, and what its lines are fixed on. */
export type TrainingData = LineData & Training;

function cleanOfAll(): Promise<CleanNames> {
  return cleanNames(SHIFTED_ON + SEARCHED.persons, SEED);
}

function shiftedOn(clean: CleanNames): LineData['shiftedOn'] {
  return {
    companies: clean.companies.slice(SEARCHED.companies),
    global: clean.global.slice(SEARCHED.persons),
    us: clean.us.slice(SEARCHED.persons),
  };
}

/** The part of it that lines are fixed on. */
export async function lineData(): Promise<LineData> {
  return { run: new ListRun(await allLists()), shiftedOn: shiftedOn(await cleanOfAll()) };
}

/** Reads all of it; `with` and `without` are sorts of pairs, to see what they give. */
export async function trainingData(
  by: { readonly with?: readonly string[]; readonly without?: readonly string[] } = {},
): Promise<TrainingData> {
  const out = [
    ...LEFT_OUT.filter((sort) => by.with?.includes(sort) !== true),
    ...(by.without ?? []),
  ];
  const all = [...(await trainingPairs(SEED)), ...registerPairs(SEED)];
  const clean = await cleanOfAll();
  const arabic = await arabicNames(SEARCHED.arabic, SEED);
  const first = (kind: keyof typeof clean, count: number, schema: Pair['schema'] = 'Person') =>
    clean[kind].slice(0, count).map((name) => [name, schema] as const);
  return {
    pairs: all.filter(({ sort }) => !out.includes(sort)),
    run: new ListRun(await allLists()),
    searched: [
      ...first('us', SEARCHED.persons),
      ...first('global', SEARCHED.persons),
      ...first('companies', SEARCHED.companies, 'Company'),
      ...(['korean', 'chinese', 'japanese', 'hebrew'] as const).flatMap((kind) =>
        first(kind, SEARCHED.scripts),
      ),
      ...arabic.map((name) => [name, 'Person'] as const),
    ],
    shiftedOn: shiftedOn(clean),
    tuning: tuningPairs(),
  };
}
