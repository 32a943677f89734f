/**
 * What connectors build entities of: properties by name, and identifiers whose map must hold each
 * key once. Values of a publisher without an order of its own are sorted, so that the same content
 * in another order is the same content.
 */

/** So many are looked through faster than they are hashed; with more, looking would take over. */
const FEW = 16;

/** What the format has no field for, by name, without repetitions. */
export class Properties {
  readonly #values = new Map<string, string[]>();
  /** The values of a name that has more than a few. */
  readonly #many = new Map<string, Set<string>>();

  add(name: string, value: string | undefined): void {
    if (value === undefined || value === '') return;
    const values = this.#values.get(name);
    if (!values) this.#values.set(name, [value]);
    else if (values.length < FEW) {
      if (!values.includes(value)) values.push(value);
    } else this.#addToMany(name, value, values);
  }

  addAll(name: string, values: readonly string[]): void {
    for (const value of values) this.add(name, value);
  }

  #addToMany(name: string, value: string, values: string[]): void {
    const many = this.#many.get(name) ?? new Set(values);
    this.#many.set(name, many);
    if (many.has(value)) return;
    many.add(value);
    values.push(value);
  }

  /** Names and values in code-unit order. */
  sorted(): Record<string, readonly string[]> {
    const byName = [...this.#values].sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [, values] of byName) if (values.length > 1) values.sort();
    return Object.fromEntries(byName);
  }
}

/** Pairs of key and value to a map: `passport`, then `passport (2)`; sorted by key, then value. */
export function identifierMap(
  pairs: readonly (readonly [string, string])[],
): Record<string, string> {
  if (pairs.length === 0) return {};
  const sorted = [...pairs].sort((a, b) => compare(a[0], b[0]) || compare(a[1], b[1]));
  const byKey = new Map<string, string>();
  const counts = new Map<string, number>();
  let former: readonly [string, string] | undefined;
  for (const pair of sorted) {
    const [key, value] = pair;
    if (former?.[0] === key && former[1] === value) continue;
    former = pair;
    let count = counts.get(key) ?? 0;
    let named = key;
    // A publisher may itself call one `passport (2)`.
    do named = ++count === 1 ? key : `${key} (${count})`;
    while (byKey.has(named));
    counts.set(key, count);
    byKey.set(named, value);
  }
  return Object.fromEntries([...byKey].sort(([a], [b]) => compare(a, b)));
}

export const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Distinct, in code-unit order. */
export function distinct(values: Iterable<string>): string[] {
  return [...new Set(values)].sort();
}
