/**
 * What connectors build entities of: sets of values, and identifiers, whose map must hold each key
 * once. Those of a publisher without an order of its own are sorted, so that the same content in
 * another order is the same content.
 */

type Pair = readonly [key: string, value: string];

/** Pairs of key and value to a map: `passport`, then `passport (2)`; sorted by key, then value. */
export function identifierMap(pairs: readonly Pair[]): Record<string, string> {
  if (pairs.length === 0) return {};
  const sorted = [...pairs].sort((a, b) => compare(a[0], b[0]) || compare(a[1], b[1]));
  const distinctPairs = sorted.filter(([key, value], index) => {
    const former = sorted[index - 1];
    return former?.[0] !== key || former[1] !== value;
  });
  return Object.fromEntries(numbered(distinctPairs).sort(([a], [b]) => compare(a, b)));
}

/** So few are searched faster than they are hashed. */
const FEW = 8;

/** The pairs in their order, each under a key of its own: `passport`, then `passport (2)`. */
export function numbered(pairs: readonly Pair[]): Pair[] {
  if (pairs.length > FEW) return numberedByHash(pairs);
  const named: Pair[] = [];
  for (const [key, value] of pairs) {
    let name = key;
    for (let count = 2; named.some(([known]) => known === name); count++)
      name = `${key} (${count})`;
    named.push([name, value]);
  }
  return named;
}

function numberedByHash(pairs: readonly Pair[]): Pair[] {
  const names = new Set<string>();
  const counts = new Map<string, number>();
  return pairs.map(([key, value]) => {
    let count = counts.get(key) ?? 1;
    let name = count === 1 ? key : `${key} (${count})`;
    // A publisher may itself call one `passport (2)`.
    while (names.has(name)) name = `${key} (${++count})`;
    counts.set(key, count + 1);
    names.add(name);
    return [name, value];
  });
}

export const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Distinct, in code-unit order. */
export function distinct(values: Iterable<string>): string[] {
  return [...new Set(values)].sort();
}
