/**
 * The features of a declaration: what of it the adapters treat differently, without the names. A
 * fault of an adapter needs one feature or two that meet; so on a slow server a table is tried
 * whole where it has some pairs that no table before it had.
 */
import { writesOf } from '#core/kernel';
import type { TableCase } from './sampleRecord.ts';

type Features = (of: TableCase) => readonly string[];

const featuresOf: Features = ({ name, spec }) => {
  const { chain, derived = {}, key, kept, leased, open, owner, stamp, unique = {} } = spec;
  const isTenants = chain !== 'any' && chain !== 'platform';
  const hasDerived = (fields: readonly string[]) => fields.some((field) => field in derived);
  const features = {
    chain: isTenants ? `in key: ${key.includes(chain)}` : chain,
    isPlaced: spec.isPlaced === true,
    isWorked: (spec.work ?? []).length > 0,
    key: Math.min(key.length, 2),
    kept: kept && `held: ${kept.unless !== undefined}`,
    lane: leased && `${leased.lane.length}, ordered: ${leased.order !== undefined}`,
    leased: leased && `due: ${leased.due !== undefined}`,
    open: open === undefined ? 'always' : `absent: ${derived[open]?.absent === true}`,
    owner: owner !== undefined && !key.includes(owner),
    stamp: stamp && `of fields: ${stamp.fields.length > 0}`,
    // A layout of before is frozen, and each is its own.
    stored: spec.stored && name,
    touch: spec.touch !== undefined,
    unique:
      Object.values(unique).length > 0 && `derived: ${Object.values(unique).some(hasDerived)}`,
    writes: writesOf(spec),
  };
  return Object.entries(features).map(([feature, value]) => `${feature} ${value}`);
};

/** What bears on how its rows are leased. */
export const leaseFeaturesOf: Features = (of) =>
  featuresOf(of).filter((feature) => /^(isWorked|lane|leased|open|writes) /.test(feature));

/**
 * The tables with so many pairs of features that none before them had, in their order. One that
 * has fewer is not worth its seconds: the embedded store's run tries them all.
 */
export function firstOfPairs(
  cases: readonly TableCase[],
  { fewest = 1, of: featuresOfCase = featuresOf }: { fewest?: number; of?: Features } = {},
): ReadonlySet<TableCase> {
  const seen = new Set<string>();
  return new Set(
    cases.filter((of) => {
      const features = featuresOfCase(of);
      const pairs = features.flatMap((one, at) =>
        features.slice(at + 1).map((other) => `${one} and ${other}`),
      );
      const isWorth = pairs.filter((pair) => !seen.has(pair)).length >= fewest;
      if (isWorth) for (const pair of pairs) seen.add(pair);
      return isWorth;
    }),
  );
}
