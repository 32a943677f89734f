/** Pairs of entries that persons have taken apart: how one decision changes them. */
import { canonicalJson } from '#platform/canonicalJson';
import type { ApartPair, EntityReference } from './ports.ts';

/** `apart`: they are two. `together`: the separation is withdrawn. */
export interface PairDecision extends ApartPair {
  readonly into: 'apart' | 'together';
}

/** The pairs after the decision; the latest one stands last. */
export function changedPairs(
  before: readonly ApartPair[],
  { a, b, into }: PairDecision,
): readonly ApartPair[] {
  const others = before.filter((pair) => keyOf(pair) !== keyOf({ a, b }));
  return into === 'apart' ? [...others, { a, b }] : others;
}

export const nameOf = ({ ftm_id, source }: EntityReference): string => `${source}:${ftm_id}`;

/** Whichever of the two is named first. */
const keyOf = ({ a, b }: ApartPair): string => canonicalJson([nameOf(a), nameOf(b)].sort());
