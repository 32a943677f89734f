/**
 * Dictionaries of several parts → one, and the new number of each part's tokens: a merge of sorted
 * lists.
 */
import type { PartTokens } from './snapshotPart.ts';

/** Below 0 where the first text's units come before the other's. */
function compareTokens(one: PartTokens, at: number, other: PartTokens, otherAt: number): number {
  const start = one.tokenStart[at] as number;
  const otherStart = other.tokenStart[otherAt] as number;
  const length = (one.tokenStart[at + 1] as number) - start;
  const otherLength = (other.tokenStart[otherAt + 1] as number) - otherStart;
  const both = Math.min(length, otherLength);
  for (let unit = 0; unit < both; unit++) {
    const own = one.tokenUnits[start + unit] as number;
    const others = other.tokenUnits[otherStart + unit] as number;
    if (own !== others) return own - others;
  }
  return length - otherLength;
}

/** New places of the tokens of two dictionaries in the merged one. */
interface MergedOrder {
  readonly count: number;
  readonly ofOne: Uint32Array;
  readonly ofOther: Uint32Array;
}

function mergedOrder(one: PartTokens, other: PartTokens): MergedOrder {
  const ofOne = new Uint32Array(one.tokenKind.length);
  const ofOther = new Uint32Array(other.tokenKind.length);
  let count = 0;
  let at = 0;
  let otherAt = 0;
  for (; at < ofOne.length && otherAt < ofOther.length; count++) {
    const order = compareTokens(one, at, other, otherAt);
    if (order <= 0) ofOne[at++] = count;
    if (order >= 0) ofOther[otherAt++] = count;
  }
  while (at < ofOne.length) ofOne[at++] = count++;
  while (otherAt < ofOther.length) ofOther[otherAt++] = count++;
  return { count, ofOne, ofOther };
}

/** Copies the values of each token to its place. The units follow once all starts are known. */
function place(from: PartTokens, places: Uint32Array, into: PartTokens, start: Uint32Array): void {
  for (let at = 0; at < places.length; at++) {
    const to = places[at] as number;
    into.tokenKind[to] = from.tokenKind[at] as number;
    into.tokenPrimary[to] = from.tokenPrimary[at] as number;
    into.tokenAlternate[to] = from.tokenAlternate[at] as number;
    start[to + 1] = (from.tokenStart[at + 1] as number) - (from.tokenStart[at] as number);
  }
}

function placeUnits(from: PartTokens, places: Uint32Array, into: PartTokens): void {
  for (let at = 0; at < places.length; at++) {
    const end = from.tokenStart[at + 1] as number;
    let to = into.tokenStart[places[at] as number] as number;
    for (let unit = from.tokenStart[at] as number; unit < end; unit++) {
      into.tokenUnits[to++] = from.tokenUnits[unit] as number;
    }
  }
}

function merged(one: PartTokens, other: PartTokens, order: MergedOrder): PartTokens {
  const { count, ofOne, ofOther } = order;
  const tokenStart = new Uint32Array(count + 1);
  const into = {
    tokenStart,
    tokenUnits: new Uint16Array(),
    tokenKind: new Uint8Array(count),
    tokenPrimary: new Uint32Array(count),
    tokenAlternate: new Uint32Array(count),
  };
  place(one, ofOne, into, tokenStart);
  place(other, ofOther, into, tokenStart);
  for (let at = 0; at < count; at++) {
    tokenStart[at + 1] = (tokenStart[at + 1] as number) + (tokenStart[at] as number);
  }
  const tokens = { ...into, tokenUnits: new Uint16Array(tokenStart[count] as number) };
  placeUnits(one, ofOne, tokens);
  placeUnits(other, ofOther, tokens);
  return tokens;
}

/**
 * Merges at least one dictionary; throws an Error for none. `places[i]` maps token numbers of the
 * i-th dictionary to those of `tokens`.
 */
export function joinTokens(all: readonly PartTokens[]): {
  readonly tokens: PartTokens;
  readonly places: readonly Uint32Array[];
} {
  const [first, ...others] = all;
  if (first === undefined) throw new Error('dictionaries: expected one at least');
  let tokens = first;
  let places: Uint32Array[] = [Uint32Array.from(first.tokenKind, (_, at) => at)];
  for (const other of others) {
    const order = mergedOrder(tokens, other);
    places = [
      ...places.map((known) => known.map((at) => order.ofOne[at] as number)),
      order.ofOther,
    ];
    tokens = merged(tokens, other, order);
  }
  return { tokens, places };
}
