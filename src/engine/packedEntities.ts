/**
 * Entities as a few typed arrays: all that an index reads of them, in a form that moves from thread
 * to thread without a copy, with names as bytes. Objects are copied field by field when they are
 * sent, which takes longer than indexing them.
 */
import { nationCodeOf, SCHEMA_CODE } from './attributeCodes.ts';
import { parseDateSpan } from './dateDistance.ts';
import { words } from './growingArray.ts';
import { GrowingText } from './growingText.ts';
import { bankOfBic, foldIdentifier, hashIdentifier, isImoNumber } from './identifiers.ts';
import type { IndexEntity } from './ports.ts';
import { ENTITY_FEMALE, ENTITY_IDENTIFIED, ENTITY_IMO, ENTITY_MALE } from './snapshotFormat.ts';

/** A batch of entities on its way into an index, in the order of ids. */
export interface PackedEntities {
  /**
   * Per entity ENTITY_NUMBERS numbers in the order of PACKED; then per name its bytes times two,
   * plus one where it is a stray; then from and to of each date; then the nationalities; then key
   * and check of each identifier.
   */
  readonly numbers: Uint32Array<ArrayBuffer>;
  /** Ids in UTF-8, end to end, as are cards and names; a snapshot stores them in the same way. */
  readonly ids: Uint8Array<ArrayBuffer>;
  readonly cards: Uint8Array<ArrayBuffer>;
  readonly names: Uint8Array<ArrayBuffer>;
  /**
   * Names with lone surrogates, in order: `names` cannot hold such surrogates, and folding drops
   * them.
   */
  readonly strays: readonly string[];
}

/**
 * Places of an entity's numbers: two codes, two byte lengths, counts of names, dates and
 * nationalities, flags of the entity (snapshotFormat.ts), and the count of identifiers.
 */
export const PACKED = {
  schema: 0,
  categories: 1,
  idBytes: 2,
  cardBytes: 3,
  names: 4,
  dates: 5,
  nations: 6,
  flags: 7,
  identifiers: 8,
} as const;
/** Numbers of one entity, in front of those of its names, dates and nationalities. */
export const ENTITY_NUMBERS = 9;

const NO_IDENTIFIERS: readonly string[] = [];

/** Distinct identifiers of an entity, folded. */
function identifiersOf({ identifiers }: IndexEntity): readonly string[] {
  if (identifiers === undefined || identifiers.length === 0) return NO_IDENTIFIERS;
  return [...new Set(identifiers.map(foldIdentifier))].filter((folded) => folded !== '');
}

/** The banks of an entity's BICs. */
function banksOf({ bics }: IndexEntity): readonly string[] {
  if (bics === undefined || bics.length === 0) return NO_IDENTIFIERS;
  return [...new Set(bics.map(bankOfBic))].filter((bank) => bank !== '');
}

/** What re-ranker 2 reads of an entity, as flags. */
function flagsOf({ gender, schema }: IndexEntity, identifiers: readonly string[]): number {
  const hasImo = schema === 'Other' && identifiers.some(isImoNumber);
  return (
    (gender === 'm' ? ENTITY_MALE : gender === 'f' ? ENTITY_FEMALE : 0) |
    (identifiers.length > 0 ? ENTITY_IDENTIFIED : 0) |
    (hasImo ? ENTITY_IMO : 0)
  );
}

/** Packs entities that come ascending by id. */
export class EntityPacker {
  readonly #numbers = words();
  readonly #ids = new GrowingText();
  readonly #cards = new GrowingText();
  readonly #names = new GrowingText();
  #strays: string[] = [];
  #count = 0;
  #last: string | undefined;

  /** Entities added since the last `take`. */
  get count(): number {
    return this.#count;
  }

  /** Adds an entity. Throws an Error where its id does not come after the one before. */
  add(entity: IndexEntity): void {
    const last = this.#last;
    if (last !== undefined && entity.id <= last) {
      throw new Error(`index entities: expected ids ascending, got '${entity.id}' after '${last}'`);
    }
    this.#last = entity.id;
    this.#count += 1;
    const { names, datesOfBirth, nationalities } = entity;
    const own = identifiersOf(entity);
    // Behind those that re-rankers read, and in no flag of theirs.
    const sought = [...own, ...banksOf(entity)];
    const facts = 2 * datesOfBirth.length + nationalities.length + 2 * sought.length;
    const count = ENTITY_NUMBERS + names.length + facts;
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
    at += nations;
    for (const folded of sought) {
      const { check, key } = hashIdentifier(folded);
      numbers[at++] = key;
      numbers[at++] = check;
    }
    numbers[head + PACKED.flags] = flagsOf(entity, own);
    numbers[head + PACKED.identifiers] = sought.length;
    this.#numbers.advance(at - head);
  }

  /** Writes distinct codes from place `start` on; returns how many. */
  #addNations(numbers: Uint32Array, start: number, nationalities: readonly string[]): number {
    let at = start;
    const codes = nationalities.map(nationCodeOf);
    for (const code of codes.length > 1 ? new Set(codes) : codes) {
      if (code !== 0) numbers[at++] = code;
    }
    return at - start;
  }

  /**
   * Returns the entities added so far, as copies, and starts an empty batch. The order of ids is
   * checked across batches.
   */
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

/**
 * The buffers of a batch, to be transferred to another thread; the sender cannot read it
 * afterwards.
 */
export function buffersOf({ numbers, ids, cards, names }: PackedEntities): ArrayBuffer[] {
  return [numbers.buffer, ids.buffer, cards.buffer, names.buffer];
}
