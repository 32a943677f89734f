/** Collects what is wrong with a document, with a pointer to each place, up to a limit. */
import type { Violation } from './errors.ts';

/** Violations of one document that are told. */
const VIOLATIONS_MAX = 100;

/** Checks of members, each of which notes what it does not find. */
export class Violations {
  readonly all: Violation[] = [];

  add(pointer: string, code: string, detail: string): void {
    if (this.all.length < VIOLATIONS_MAX) this.all.push({ code, detail, pointer });
  }

  /** The object with these members and no others; undefined where it is none. */
  object(
    value: unknown,
    pointer: string,
    members: readonly string[],
  ): Readonly<Record<string, unknown>> | undefined {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.#absent(value, pointer, 'expected an object');
      return undefined;
    }
    for (const name of Object.keys(value)) {
      if (!members.includes(name)) {
        const detail = `expected one of ${members.join(', ')}`;
        this.add(`${pointer}/${name}`, 'unknown-member', detail);
      }
    }
    return value as Readonly<Record<string, unknown>>;
  }

  /** An object of names that the author chose. */
  record(
    value: unknown,
    pointer: string,
    max: number,
  ): Readonly<Record<string, unknown>> | undefined {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.#absent(value, pointer, 'expected an object');
      return undefined;
    }
    if (Object.keys(value).length > max) {
      this.add(pointer, 'range', `expected ${max} members at the most`);
      return undefined;
    }
    return value as Readonly<Record<string, unknown>>;
  }

  list(value: unknown, pointer: string, max: number, min = 0): readonly unknown[] | undefined {
    if (Array.isArray(value) && value.length >= min && value.length <= max) return value;
    this.#absent(value, pointer, `expected a list of ${min} to ${max}`);
    return undefined;
  }

  oneOf(value: unknown, pointer: string, words: readonly string[]): boolean {
    if (typeof value === 'string' && words.includes(value)) return true;
    this.#absent(value, pointer, `expected one of ${words.join(', ')}`);
    return false;
  }

  text(
    value: unknown,
    pointer: string,
    {
      expected,
      form,
      max = 200,
    }: { readonly expected?: string; readonly form?: RegExp; readonly max?: number },
  ): void {
    const isText = typeof value === 'string' && value.length > 0 && value.length <= max;
    if (isText && (form?.test(value) ?? true)) return;
    this.#absent(value, pointer, `expected ${expected ?? `a text of 1 to ${max} characters`}`);
  }

  texts(
    value: unknown,
    pointer: string,
    {
      max,
      min = 0,
      words,
    }: { readonly max: number; readonly min?: number; readonly words?: readonly string[] },
  ): void {
    for (const [at, one] of (this.list(value, pointer, max, min) ?? []).entries()) {
      if (words === undefined) this.text(one, `${pointer}/${at}`, {});
      else this.oneOf(one, `${pointer}/${at}`, words);
    }
  }

  #absent(value: unknown, pointer: string, detail: string): void {
    this.add(pointer, value === undefined ? 'missing' : 'type', detail);
  }
}
