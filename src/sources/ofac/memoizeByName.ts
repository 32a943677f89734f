/**
 * Remembers the result for a type or a country by its name: a file has few names, each of them many
 * times.
 */

/** A hostile file makes up types without end. */
const REMEMBERED_MAX = 1_000;

export function memoizedByName<Value>(of: (name: string) => Value): (name: string) => Value {
  const known = new Map<string, Value>();
  return (name) => {
    const value = known.get(name);
    if (value !== undefined) return value;
    const found = of(name);
    if (known.size < REMEMBERED_MAX) known.set(name, found);
    return found;
  };
}
