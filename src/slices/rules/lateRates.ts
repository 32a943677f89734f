/**
 * Rates that come after the payments that need them. An amount is converted by the version that its
 * segment names; where that one has no rate, by the first later one that has. Which versions
 * have come by then, the position says: so a second reading converts alike.
 */
import { type Entry, type Money, monetary } from './entry.ts';

/** A version of rates. */
export interface LaterRates {
  readonly version: number;
  /** Minor units of the base currency; undefined where it has no rate. */
  readonly toBase: (money: Money, date: string) => bigint | undefined;
}

/** The entry with what this version knows of it; undefined: nothing that was not known. */
export function ratedBy(entry: Entry, { toBase, version }: LaterRates): Entry | undefined {
  const { unrated, ...rest } = entry;
  if (unrated === undefined || version <= unrated.ratesVersion) return undefined;
  const date = new Date(entry.at).toISOString().slice(0, 10);
  const amount = unrated.amount && monetary(toBase(unrated.amount, date));
  const turnover = unrated.turnover && monetary(toBase(unrated.turnover, date));
  if (amount === undefined && turnover === undefined) return undefined;
  const left = {
    ...(unrated.amount !== undefined && amount === undefined && { amount: unrated.amount }),
    ...(unrated.turnover !== undefined && turnover === undefined && { turnover: unrated.turnover }),
  };
  return {
    ...rest,
    amount: amount ?? entry.amount,
    ...(turnover !== undefined && { facts: { ...entry.facts, expectedTurnover: turnover } }),
    series: {},
    ...(Object.keys(left).length > 0 && {
      unrated: { ...left, ratesVersion: unrated.ratesVersion },
    }),
  };
}
