/**
 * An entity's `properties`, while it is mapped: what the format has no field for, by name, without
 * repetitions. An entity has a handful of names with a value or two, so looking through them is
 * cheaper than hashing; from FEW values on, hashing is.
 */
import { type ListEntity, programmesMember } from '#slices/lists';

const FEW = 16;

/** Gathered among the properties, and taken out of them at the end: the format has a member. */
export const PROGRAMMES = 'programs';

export class Properties {
  /** In code-unit order, with the values beside them. */
  readonly #names: string[] = [];
  readonly #values: string[][] = [];
  /** The values of a name that has more than a few. */
  #many: Map<string, Set<string>> | undefined;

  add(name: string, value: string | undefined): void {
    if (value === undefined || value === '') return;
    const values = this.#values[this.#names.indexOf(name)];
    if (values === undefined) this.#insert(name, [value]);
    else if (values.length >= FEW) this.#addToMany(name, value, values);
    else if (!values.includes(value)) values.push(value);
  }

  addAll(name: string, values: readonly string[]): void {
    for (const value of values) this.add(name, value);
  }

  values(name: string): readonly string[] {
    return this.#values[this.#names.indexOf(name)] ?? [];
  }

  /** The member `programmes`; call it before the properties are handed over. */
  takeProgrammes(): Pick<ListEntity, 'programmes'> {
    const at = this.#names.indexOf(PROGRAMMES);
    if (at < 0) return {};
    this.#names.splice(at, 1);
    return programmesMember(this.#values.splice(at, 1)[0] ?? []);
  }

  /** Names in code-unit order, values in the order of adding: the publisher's order is kept. */
  asAdded(): Record<string, readonly string[]> {
    const properties: Record<string, readonly string[]> = {};
    for (let at = 0; at < this.#names.length; at++) {
      const name = this.#names[at] ?? '';
      const value = this.#values[at] ?? [];
      // A publisher's own name for a property may be any; this one must not set a prototype.
      if (name !== '__proto__') properties[name] = value;
      else Object.defineProperty(properties, name, { enumerable: true, value });
    }
    return properties;
  }

  /** Values in code-unit order, too: of a publisher whose order means nothing. */
  sorted(): Record<string, readonly string[]> {
    for (const values of this.#values) if (values.length > 1) values.sort();
    return this.asAdded();
  }

  #addToMany(name: string, value: string, values: string[]): void {
    this.#many ??= new Map();
    const many = this.#many.get(name) ?? new Set(values);
    this.#many.set(name, many);
    if (many.has(value)) return;
    many.add(value);
    values.push(value);
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
