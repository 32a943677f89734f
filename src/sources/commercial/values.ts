/**
 * Values of a vendor's record, and what becomes of those that are not what their member holds:
 * `unreadable_<member>` in the properties, as JSON text, and a note that counts them. Absent, null,
 * a blank text and an empty array say nothing, and are none.
 */
import { canonicalJson } from '#platform/canonicalJson';
import { distinct } from '../entityParts.ts';
import { isObject } from '../isObject.ts';
import { Properties } from '../properties.ts';
import type { Members } from './record.ts';

export class VendorValues {
  readonly properties = new Properties();
  readonly #members: Members;
  readonly #note: (kind: string) => void;

  constructor(members: Members, note: (kind: string) => void) {
    this.#members = members;
    this.#note = note;
  }

  /** Texts of a member that holds texts, distinct and in order. */
  texts(name: string, kind = 'value-unreadable'): string[] {
    return distinct(
      itemsOf(this.#members[name]).filter((item) => {
        if (typeof item !== 'string') this.keepUnreadable(name, item, kind);
        return typeof item === 'string';
      }) as string[],
    );
  }

  /** The same of a member whose whole numbers are as good as texts: `1970`, `12345`. */
  scalars(name: string): string[] {
    const found: string[] = [];
    for (const item of itemsOf(this.#members[name])) {
      if (isScalar(item)) found.push(String(item));
      else this.keepUnreadable(name, item);
    }
    return distinct(found);
  }

  /** Pairs of a member that holds an object of texts. */
  pairs(name: string): [string, string][] {
    const value = this.#members[name];
    if (!isObject(value)) {
      for (const item of itemsOf(value)) this.keepUnreadable(name, item);
      return [];
    }
    return Object.entries(value).flatMap(([key, values]) =>
      itemsOf(values).flatMap((item): [string, string][] => {
        if (isScalar(item)) return [[key, String(item)]];
        this.keepUnreadable(name, { [key]: item });
        return [];
      }),
    );
  }

  /** Objects of a member that holds such. */
  objects(name: string, kind: string): Members[] {
    return itemsOf(this.#members[name]).filter((item): item is Members => {
      if (!isObject(item)) this.keepUnreadable(name, item, kind);
      return isObject(item);
    });
  }

  /** A property of the vendor's own: texts, numbers and truth values, and the rest as JSON text. */
  keep(name: string, value: unknown, kind = 'value-unreadable'): void {
    for (const item of itemsOf(value)) {
      if (typeof item === 'object') this.#note(kind);
      this.properties.add(name, typeof item === 'object' ? canonicalJson(item) : String(item));
    }
  }

  keepUnreadable(name: string, value: unknown, kind = 'value-unreadable'): void {
    this.#note(kind);
    const text = typeof value === 'string' ? value : canonicalJson(value);
    this.properties.add(`unreadable_${name}`, text);
  }
}

/** A fraction is no scalar, since its published form is lost: 1.50 and 1.5 are one number. */
const isScalar = (item: unknown): boolean => typeof item === 'string' || Number.isSafeInteger(item);

/** Items of an array, or of the one value that stands for it. */
export function itemsOf(value: unknown): unknown[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items.filter((item) => {
    if (typeof item === 'string') return item.trim() !== '';
    return item !== undefined && item !== null;
  });
}
