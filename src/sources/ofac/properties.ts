/**
 * An entity's `properties`, while it is mapped: what the format has no field for, by name, without
 * repetitions. An entity has a handful, so looking through them is cheaper than hashing.
 */
export class Properties {
  /** In code-unit order, with the values beside them. */
  readonly #names: string[] = [];
  readonly #values: string[][] = [];

  add(name: string, value: string | undefined): void {
    if (value === undefined || value === '') return;
    const index = this.#names.indexOf(name);
    const values = this.#values[index];
    if (values === undefined) this.#insert(name, [value]);
    else if (!values.includes(value)) values.push(value);
  }

  values(name: string): readonly string[] {
    return this.#values[this.#names.indexOf(name)] ?? [];
  }

  /** Names in code-unit order. */
  sorted(): Record<string, readonly string[]> {
    const sorted: Record<string, readonly string[]> = {};
    for (let at = 0; at < this.#names.length; at++) {
      sorted[this.#names[at] ?? ''] = this.#values[at] ?? [];
    }
    return sorted;
  }

  #insert(name: string, values: string[]): void {
    const names = this.#names;
    let at = names.length;
    for (; at > 0 && (names[at - 1] ?? '') > name; at--) {
      names[at] = names[at - 1] ?? '';
      this.#values[at] = this.#values[at - 1] ?? [];
    }
    names[at] = name;
    this.#values[at] = values;
  }
}
