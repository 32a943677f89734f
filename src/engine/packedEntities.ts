/**
 * Entities as two typed arrays: what an index reads of them, in a form that goes from thread to
 * thread without being copied, and of which names are read as bytes. A list of objects is copied
 * field by field when it is sent, which takes longer than to index it.
 */
import { nationCodeOf, SCHEMA_CODE } from './attributeCodes.ts';
import { parseDateSpan } from './dateDistance.ts';
import { words } from './growingArray.ts';
import { GrowingText } from './growingText.ts';
import type { IndexEntity } from './ports.ts';

/** Entities on their way into an index. */
export interface PackedEntities {
  /**
   * Per entity ENTITY_NUMBERS numbers, in the order of PACKED, then per name its bytes times two,
   * plus one where it is a stray, then from and to of each date, then the nationalities.
   */
  readonly numbers: Uint32Array<ArrayBuffer>;
  /** Per entity id, card and names in UTF-8, end to end. */
  readonly text: Uint8Array<ArrayBuffer>;
  /** In turn: names with lone surrogates, which `text` cannot hold and folding drops. */
  readonly strays: readonly string[];
}

/** Places of an entity's numbers. */
export const PACKED = {
  schema: 0,
  categories: 1,
  idBytes: 2,
  cardBytes: 3,
  names: 4,
  dates: 5,
  nations: 6,
} as const;
export const ENTITY_NUMBERS = 7;

/** Takes entities by id and gives them back packed. */
export class EntityPacker {
  readonly #numbers = words();
  readonly #text = new GrowingText();
  #strays: string[] = [];
  #count = 0;
  #last: string | undefined;

  /** Entities taken since the last `clear`. */
  get count(): number {
    return this.#count;
  }

  /** Throws an Error where the id does not come after the one before. */
  add(entity: IndexEntity): void {
    const last = this.#last;
    if (last !== undefined && entity.id <= last) {
      throw new Error(`index entities: expected ids ascending, got '${entity.id}' after '${last}'`);
    }
    this.#last = entity.id;
    this.#count += 1;
    const numbers = this.#numbers;
    const head = numbers.length;
    numbers.push(SCHEMA_CODE[entity.schema]);
    numbers.push(entity.categories);
    numbers.push(this.#text.add(entity.id));
    numbers.push(this.#text.add(entity.card));
    numbers.push(entity.names.length);
    numbers.push(0);
    numbers.push(0);
    for (const name of entity.names) this.#addName(name);
    let dates = 0;
    for (const text of entity.datesOfBirth) {
      const span = parseDateSpan(text);
      if (span === undefined) continue;
      numbers.push(span.from);
      numbers.push(span.to);
      dates += 1;
    }
    const nations = this.#addNations(entity.nationalities);
    // Only now: what is added may have moved the array.
    const written = numbers.room(0);
    written[head + PACKED.dates] = dates;
    written[head + PACKED.nations] = nations;
  }

  #addName(name: string): void {
    const bytes = this.#text.add(name);
    const isStray = bytes !== name.length && !name.isWellFormed();
    if (isStray) this.#strays.push(name);
    this.#numbers.push(bytes * 2 + (isStray ? 1 : 0));
  }

  #addNations(nationalities: readonly string[]): number {
    const before = this.#numbers.length;
    const codes = nationalities.map(nationCodeOf);
    for (const code of codes.length > 1 ? new Set(codes) : codes) {
      if (code !== 0) this.#numbers.push(code);
    }
    return this.#numbers.length - before;
  }

  /** Views of what was taken, valid until the next `add` or `clear`. */
  view(): PackedEntities {
    return { numbers: this.#numbers.view(), text: this.#text.view(), strays: this.#strays };
  }

  /** The same as a copy, to be sent. */
  copy(): PackedEntities {
    const { numbers, text, strays } = this.view();
    return { numbers: numbers.slice(), text: text.slice(), strays };
  }

  clear(): void {
    this.#numbers.clear();
    this.#text.clear();
    this.#strays = [];
    this.#count = 0;
  }
}
