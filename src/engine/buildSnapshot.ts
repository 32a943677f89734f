/**
 * List entities → snapshot. Deterministic: the same entities give the same bytes, on any host,
 * since ids come sorted, tokens are ordered by hash and text, and nothing depends on time or on map
 * order.
 *
 * Every published name gives one form in its own script and, where that is not Latin, a romanised
 * one: OFAC publishes in Latin only, other lists in both, and queries come in either.
 */
import assert from 'node:assert/strict';
import { FormTable } from './formTable.ts';
import { bytes, integers, shorts, words } from './growingArray.ts';
import { GrowingText } from './growingText.ts';
import { buildLookups } from './lookups.ts';
import { type FormSink, NameFolder } from './nameFolder.ts';
import { legalTokens } from './nameWords.ts';
import { ENTITY_NUMBERS, EntityPacker, PACKED, type PackedEntities } from './packedEntities.ts';
import type { IndexEntity } from './ports.ts';
import {
  ENTITY_CODED,
  ENTITY_PRIMARY_CODED,
  FORM_CODED,
  FORM_CORE_STARTS,
  FORM_LEGAL_MAX,
  FORM_LEGAL_SHIFT,
  FORM_PRIMARY,
  type Snapshot,
  writeSnapshot,
} from './snapshotFormat.ts';
import { describeToken, HAS_TOKEN_FACTS } from './tokenFacts.ts';
import { TokenTable } from './tokenTable.ts';

/** Entities that are packed before they are indexed. */
const BATCH_ENTITIES = 256;
const SCHEMAS = ['Other', 'Person', 'Company', 'Other'] as const;

/** A snapshot in the making, batch by batch. */
export class SnapshotBuilder implements FormSink {
  readonly #tokens = new TokenTable();
  readonly #folder = new NameFolder(this.#tokens, this);
  readonly #forms = new FormTable();
  readonly #entitySchema = bytes();
  readonly #entityCategories = bytes();
  readonly #entityFlags = bytes();
  readonly #entityFirstForm = words();
  readonly #entityFirstDate = words();
  readonly #entityFirstNation = words();
  readonly #idStart = words();
  readonly #idBytes = new GrowingText();
  readonly #cardStart = words();
  readonly #cardBytes = new GrowingText();
  readonly #dateFrom = integers();
  readonly #dateTo = integers();
  readonly #nationCode = shorts();
  readonly #nameStart = words();
  readonly #nameBytes = new GrowingText();
  readonly #formName = words();
  readonly #formFlags = bytes();
  readonly #formFacts = shorts();
  /** Roles of the form that is added. */
  #roles = new Uint16Array(256);
  /** Of the entity that is added. */
  #schema: (typeof SCHEMAS)[number] = 'Other';
  #isPrimary = false;
  #flags = 0;

  /** Entities by id, ascending over all batches. */
  add({ numbers, text, strays }: PackedEntities): void {
    let stray = 0;
    let place = 0;
    for (let at = 0; at < numbers.length; ) {
      const head = at;
      at += ENTITY_NUMBERS;
      const idEnd = place + (numbers[head + PACKED.idBytes] as number);
      const cardEnd = idEnd + (numbers[head + PACKED.cardBytes] as number);
      this.#startEntity(
        numbers[head + PACKED.schema] as number,
        numbers[head + PACKED.categories] as number,
      );
      this.#idBytes.append(text, place, idEnd);
      this.#cardBytes.append(text, idEnd, cardEnd);
      place = cardEnd;
      const names = at + (numbers[head + PACKED.names] as number);
      for (; at < names; at++) {
        const size = numbers[at] as number;
        const end = place + (size >>> 1);
        const before = this.#forms.length;
        if ((size & 1) === 0) this.#folder.fold(text, place, end);
        else this.#folder.foldText(strays[stray++] ?? '');
        if (this.#forms.length > before) this.#keepName(text, place, end);
        this.#isPrimary = false;
        place = end;
      }
      const dates = at + 2 * (numbers[head + PACKED.dates] as number);
      for (; at < dates; at += 2) {
        this.#dateFrom.push(numbers[at] as number);
        this.#dateTo.push(numbers[at + 1] as number);
      }
      const nations = at + (numbers[head + PACKED.nations] as number);
      for (; at < nations; at++) this.#nationCode.push(numbers[at] as number);
      this.#entityFlags.push(this.#flags);
    }
    assert(place === text.length && stray === strays.length, 'packed entities fit their text');
  }

  #startEntity(schema: number, categories: number): void {
    this.#schema = SCHEMAS[schema] ?? 'Other';
    this.#folder.reading = this.#schema === 'Person' ? 'person' : 'entity';
    this.#isPrimary = true;
    this.#flags = 0;
    this.#forms.startEntity();
    this.#entitySchema.push(schema);
    this.#entityCategories.push(categories);
    this.#startItems();
  }

  /** Where what belongs to the next entity begins. */
  #startItems(): void {
    this.#entityFirstForm.push(this.#forms.length);
    this.#entityFirstDate.push(this.#dateFrom.length);
    this.#entityFirstNation.push(this.#nationCode.length);
    this.#idStart.push(this.#idBytes.length);
    this.#cardStart.push(this.#cardBytes.length);
  }

  /** Of names that gave a form. */
  #keepName(text: Uint8Array, start: number, end: number): void {
    this.#nameStart.push(this.#nameBytes.length);
    this.#nameBytes.append(text, start, end);
  }

  addForm(tokens: Uint32Array, count: number): void {
    if (!this.#forms.add(tokens, count)) return;
    this.#formName.push(this.#nameStart.length);
    const { leads, ends } = this.#legalTokens(tokens, count);
    let isCoded = false;
    for (let at = 0; at < count; at++) {
      const tokenCoded = this.#tokens.use(tokens[at] as number);
      if (tokenCoded && at >= leads && at < count - ends) isCoded = true;
    }
    if (HAS_TOKEN_FACTS) this.#addFacts(tokens, count);
    this.#formFlags.push(
      (this.#isPrimary ? FORM_PRIMARY : 0) |
        (isCoded ? FORM_CODED : 0) |
        (leads > 0 ? FORM_CORE_STARTS : 0) |
        (Math.min(ends, FORM_LEGAL_MAX) << FORM_LEGAL_SHIFT),
    );
    if (!isCoded) return;
    this.#flags |= this.#isPrimary ? ENTITY_CODED | ENTITY_PRIMARY_CODED : ENTITY_CODED;
  }

  #legalTokens(tokens: Uint32Array, count: number): { leads: number; ends: number } {
    if (this.#schema === 'Person') return NO_LEGAL_TOKENS;
    if (this.#roles.length < count) this.#roles = new Uint16Array(count * 2);
    const roles = this.#tokens.roles;
    for (let at = 0; at < count; at++) this.#roles[at] = roles[tokens[at] as number] as number;
    return legalTokens(this.#roles, count);
  }

  #addFacts(tokens: Uint32Array, count: number): void {
    const texts = Array.from(tokens.subarray(0, count), (token) => this.#tokens.text(token));
    for (let at = 0; at < count; at++) {
      const facts = describeToken({ tokens: texts, at, schema: this.#schema });
      this.#formFacts.push(facts.tag | (facts.weight << 8));
    }
  }

  /** Once: what was gathered is gone afterwards. */
  finish(): SharedArrayBuffer {
    this.#startItems();
    this.#nameStart.push(this.#nameBytes.length);
    const tokens = this.#tokens.finish();
    this.#forms.finish(tokens.order);
    const formFacts = this.#formFacts.view();
    const base = {
      entitySchema: this.#entitySchema.view(),
      entityCategories: this.#entityCategories.view(),
      entityFlags: this.#entityFlags.view(),
      entityFirstForm: this.#entityFirstForm.view(),
      entityFirstDate: this.#entityFirstDate.view(),
      entityFirstNation: this.#entityFirstNation.view(),
      idStart: this.#idStart.view(),
      idBytes: this.#idBytes.view(),
      cardStart: this.#cardStart.view(),
      cardBytes: this.#cardBytes.view(),
      dateFrom: this.#dateFrom.view(),
      dateTo: this.#dateTo.view(),
      nationCode: this.#nationCode.view(),
      nameStart: this.#nameStart.view(),
      nameBytes: this.#nameBytes.view(),
      formName: this.#formName.view(),
      formFlags: this.#formFlags.view(),
      formFirstToken: this.#forms.firstToken.view(),
      formToken: this.#forms.token.view(),
      formFacts: formFacts.some((facts) => facts !== 0) ? formFacts : new Uint16Array(),
      ...tokens.sections,
    };
    const sections: Snapshot = { ...base, ...buildLookups(base) };
    return writeSnapshot(sections, { isLastUse: true });
  }
}

const NO_LEGAL_TOKENS = { leads: 0, ends: 0 } as const;

/**
 * Builds the index of one list version. Throws an Error when ids are not ascending and unique; an
 * entity without a name that folds to anything stays findable by its date and nationality alone.
 */
export function buildSnapshot(entities: Iterable<IndexEntity>): SharedArrayBuffer {
  const assembly = new SnapshotAssembly();
  assembly.addAll(entities);
  return assembly.finish();
}

/** The same from a stream of batches, for lists that are never whole in memory. */
export async function buildSnapshotFrom(
  batches: AsyncIterable<Iterable<IndexEntity>>,
): Promise<SharedArrayBuffer> {
  const assembly = new SnapshotAssembly();
  for await (const entities of batches) assembly.addAll(entities);
  return assembly.finish();
}

class SnapshotAssembly {
  readonly #builder = new SnapshotBuilder();
  readonly #packer = new EntityPacker();

  addAll(entities: Iterable<IndexEntity>): void {
    for (const entity of entities) {
      this.#packer.add(entity);
      if (this.#packer.count === BATCH_ENTITIES) this.#flush();
    }
  }

  #flush(): void {
    this.#builder.add(this.#packer.view());
    this.#packer.clear();
  }

  finish(): SharedArrayBuffer {
    this.#flush();
    return this.#builder.finish();
  }
}
