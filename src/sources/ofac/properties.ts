/** An entity's `properties`, while it is mapped. */

/** What the format has no field for, by name, without repetitions. */
export class Properties {
  readonly #values = new Map<string, string[]>();

  add(name: string, value: string | undefined): void {
    if (value === undefined || value === '') return;
    const values = this.#values.get(name);
    if (!values) this.#values.set(name, [value]);
    else if (!values.includes(value)) values.push(value);
  }

  values(name: string): readonly string[] {
    return this.#values.get(name) ?? [];
  }

  sorted(): Record<string, readonly string[]> {
    return Object.fromEntries([...this.#values].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
