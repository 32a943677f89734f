/**
 * An entity's `properties`, while it is mapped: what the format has no field for, by name, without
 * repetitions. An entity has a handful, so looking through them is cheaper than hashing.
 */
export class Properties {
  readonly #names: string[] = [];
  readonly #values: string[][] = [];

  add(name: string, value: string | undefined): void {
    if (value === undefined || value === '') return;
    const index = this.#names.indexOf(name);
    const values = this.#values[index];
    if (values === undefined) {
      this.#names.push(name);
      this.#values.push([value]);
    } else if (!values.includes(value)) values.push(value);
  }

  values(name: string): readonly string[] {
    return this.#values[this.#names.indexOf(name)] ?? [];
  }

  /** Names in code-unit order. */
  sorted(): Record<string, readonly string[]> {
    const sorted: Record<string, readonly string[]> = {};
    for (const name of [...this.#names].sort()) sorted[name] = this.values(name);
    return sorted;
  }
}
