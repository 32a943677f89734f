/**
 * Entities as a few typed arrays: what an index reads of them, in a form that goes from thread to
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
  /** In UTF-8, end to end, as are cards and names: so they stand in a snapshot, too. */
  readonly ids: Uint8Array<ArrayBuffer>;
  readonly cards: Uint8Array<ArrayBuffer>;
  readonly names: Uint8Array<ArrayBuffer>;
  /** In turn: names with lone surrogates, which `names` cannot hold and folding drops. */
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
  readonly #ids = new GrowingText();
  readonly #cards = new GrowingText();
  readonly #names = new GrowingText();
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
    const { names, datesOfBirth, nationalities } = entity;
    const count = ENTITY_NUMBERS + names.length + 2 * datesOfBirth.length + nationalities.length;
    const numbers = this.#numbers.room(count);
    const head = this.#numbers.length;
    numbers[head + PACKED.schema] = SCHEMA_CODE[entity.schema];
    numbers[head + PACKED.categories] = entity.categories;
    numbers[head + PACKED.idBytes] = this.#ids.add(entity.id);
    numbers[head + PACKED.cardBytes] = this.#cards.add(entity.card);
    numbers[head + PACKED.names] = names.length;
    let at = head + ENTITY_NUMBERS;
    for (const name of names) {
      const bytes = this.#names.add(name);
      const isStray = bytes !== name.length && !name.isWellFormed();
      if (isStray) this.#strays.push(name);
      numbers[at++] = bytes * 2 + (isStray ? 1 : 0);
    }
    const dates = at;
    for (const text of datesOfBirth) {
      const span = parseDateSpan(text);
      if (span === undefined) continue;
      numbers[at++] = span.from;
      numbers[at++] = span.to;
    }
    numbers[head + PACKED.dates] = (at - dates) / 2;
    const nations = this.#addNations(numbers, at, nationalities);
    numbers[head + PACKED.nations] = nations;
    this.#numbers.advance(at + nations - head);
  }

  /** From place `start` on; answers how many. */
  #addNations(numbers: Uint32Array, start: number, nationalities: readonly string[]): number {
    let at = start;
    const codes = nationalities.map(nationCodeOf);
    for (const code of codes.length > 1 ? new Set(codes) : codes) {
      if (code !== 0) numbers[at++] = code;
    }
    return at - start;
  }

  /** A copy of what was taken, which starts anew. */
  take(): PackedEntities {
    const packed = {
      numbers: this.#numbers.view().slice(),
      ids: this.#ids.view().slice(),
      cards: this.#cards.view().slice(),
      names: this.#names.view().slice(),
      strays: this.#strays,
    };
    this.#clear();
    return packed;
  }

  #clear(): void {
    this.#numbers.clear();
    this.#ids.clear();
    this.#cards.clear();
    this.#names.clear();
    this.#strays = [];
    this.#count = 0;
  }
}

/** What goes to another thread without being copied. */
export function buffersOf({ numbers, ids, cards, names }: PackedEntities): ArrayBuffer[] {
  return [numbers.buffer, ids.buffer, cards.buffer, names.buffer];
}
