/** Values in code-unit order, each once. An entity has a handful, for which a sort is too much. */

/** So few are inserted in place faster than they are sorted. */
const FEW = 12;

/** The array itself is changed where it is short, and answered. */
export function sortedOnce(values: string[]): string[] {
  if (values.length > FEW) return [...new Set(values)].sort();
  let count = 0;
  for (const value of values) {
    let at = count;
    while (at > 0 && (values[at - 1] ?? '') > value) at--;
    if (at > 0 && values[at - 1] === value) continue;
    for (let index = count; index > at; index--) values[index] = values[index - 1] ?? '';
    values[at] = value;
    count++;
  }
  values.length = count;
  return values;
}
