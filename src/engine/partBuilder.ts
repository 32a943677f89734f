/**
 * Packed entities → their tables, batch by batch: names become forms, forms become tokens, and each
 * token gets its codes and roles.
 *
 * Every published name gives one form in its own script and, where that is not Latin, a romanised
 * one. OFAC publishes in Latin only, other lists in both, and queries come in either.
 */
import assert from 'node:assert/strict';
import { FormTable } from './formTable.ts';
import { bytes, integers, releaseArray, shorts, words } from './growingArray.ts';
import { type FormSink, NameFolder } from './nameFolder.ts';
import { legalTokens } from './nameWords.ts';
import { ENTITY_NUMBERS, PACKED, type PackedEntities } from './packedEntities.ts';
import { Slabs } from './slabs.ts';
import {
  ENTITY_CODED,
  ENTITY_PRIMARY_CODED,
  FORM_CODED,
  FORM_CORE_STARTS,
  FORM_LEGAL_MAX,
  FORM_LEGAL_SHIFT,
  FORM_PRIMARY,
} from './snapshotFormat.ts';
import type { PartBatch, PartColumns, SnapshotPart } from './snapshotPart.ts';
import { describeToken, HAS_TOKEN_FACTS } from './tokenFacts.ts';
import { TokenTable } from './tokenTable.ts';

const SCHEMAS = ['Other', 'Person', 'Company', 'Other'] as const;
const NO_LEGAL_TOKENS = { leads: 0, ends: 0 } as const;

/**
 * A part of a snapshot while it is built: call `add` for each batch in order, and `finish` once.
 */
export class PartBuilder implements FormSink {
  readonly #tokens = new TokenTable();
  readonly #folder = new NameFolder(this.#tokens, this);
  readonly #forms = new FormTable();
  readonly #batches: PartBatch[] = [];
  readonly #texts = { cards: new Slabs(), ids: new Slabs(), names: new Slabs() };
  readonly #entitySchema = bytes();
  readonly #entityCategories = bytes();
  readonly #entityFlags = bytes();
  readonly #entityFirstForm = words();
  readonly #entityFirstDate = words();
  readonly #entityFirstNation = words();
  readonly #entityFirstIdentifier = words();
  readonly #identifierKey = words();
  readonly #identifierCheck = words();
  readonly #idStart = words();
  readonly #cardStart = words();
  readonly #dateFrom = integers();
  readonly #dateTo = integers();
  readonly #nationCode = shorts();
  readonly #nameStart = words();
  readonly #formName = words();
  readonly #formFlags = bytes();
  readonly #formFacts = shorts();
  /** Bytes of the texts of all batches so far. */
  #idBytes = 0;
  #cardBytes = 0;
  #nameBytes = 0;
  /** Roles of the tokens of the current form. */
  #roles = new Uint16Array(256);
  /** State of the current entity. */
  #schema: (typeof SCHEMAS)[number] = 'Other';
  #isPrimary = false;
  #flags = 0;

  /**
   * Adds a batch of entities and takes its arrays over: the caller must not read them afterwards.
   * `number` is the batch's place in the whole list, and ascends.
   */
  add({ numbers, ids, cards, names, strays }: PackedEntities, number: number): void {
    const before = this.#entitySchema.length;
    let stray = 0;
    let place = 0;
    let kept = 0;
    for (let at = 0; at < numbers.length; ) {
      const head = at;
      at += ENTITY_NUMBERS;
      this.#startEntity(numbers, head);
      const namesEnd = at + (numbers[head + PACKED.names] as number);
      for (; at < namesEnd; at++) {
        const size = numbers[at] as number;
        const end = place + (size >>> 1);
        if (this.#addName(names, place, end, (size & 1) === 0 ? undefined : strays[stray++])) {
          if (kept < place) names.copyWithin(kept, place, end);
          kept += end - place;
          this.#nameBytes += end - place;
        }
        place = end;
      }
      const dates = at + 2 * (numbers[head + PACKED.dates] as number);
      for (; at < dates; at += 2) {
        this.#dateFrom.push(numbers[at] as number);
        this.#dateTo.push(numbers[at + 1] as number);
      }
      const nations = at + (numbers[head + PACKED.nations] as number);
      for (; at < nations; at++) this.#nationCode.push(numbers[at] as number);
      const identifiers = at + 2 * (numbers[head + PACKED.identifiers] as number);
      for (; at < identifiers; at += 2) {
        this.#identifierKey.push(numbers[at] as number);
        this.#identifierCheck.push(numbers[at + 1] as number);
      }
      this.#entityFlags.push(this.#flags);
    }
    assert(place === names.length && stray === strays.length, 'packed entities fit their names');
    const entities = this.#entitySchema.length - before;
    this.#batches.push({
      number,
      entities,
      ids: this.#texts.ids.keep(ids),
      cards: this.#texts.cards.keep(cards),
      names: this.#texts.names.keep(names.subarray(0, kept)),
    });
    for (const array of [numbers, ids, cards, names]) releaseArray(array);
  }

  #startEntity(numbers: Uint32Array, head: number): void {
    const schema = numbers[head + PACKED.schema] as number;
    this.#schema = SCHEMAS[schema] ?? 'Other';
    this.#folder.reading = this.#schema === 'Person' ? 'person' : 'entity';
    this.#isPrimary = true;
    this.#flags = numbers[head + PACKED.flags] as number;
    this.#forms.startEntity();
    this.#entitySchema.push(schema);
    this.#entityCategories.push(numbers[head + PACKED.categories] as number);
    this.#startItems();
    this.#idBytes += numbers[head + PACKED.idBytes] as number;
    this.#cardBytes += numbers[head + PACKED.cardBytes] as number;
  }

  /** Records where the items of the next entity begin. */
  #startItems(): void {
    this.#entityFirstForm.push(this.#forms.length);
    this.#entityFirstDate.push(this.#dateFrom.length);
    this.#entityFirstNation.push(this.#nationCode.length);
    this.#entityFirstIdentifier.push(this.#identifierKey.length);
    this.#idStart.push(this.#idBytes);
    this.#cardStart.push(this.#cardBytes);
  }

  /** Folds a name; returns whether it gave a form. */
  #addName(text: Uint8Array, start: number, end: number, stray: string | undefined): boolean {
    const before = this.#forms.length;
    if (stray === undefined) this.#folder.fold(text, start, end);
    else this.#folder.foldText(stray);
    this.#isPrimary = false;
    if (this.#forms.length === before) return false;
    this.#nameStart.push(this.#nameBytes);
    return true;
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

  /** Ends the part; to be called once. The part shares the builder's arrays. */
  finish(): SnapshotPart {
    this.#startItems();
    this.#nameStart.push(this.#nameBytes);
    this.#forms.finish();
    const columns: PartColumns = {
      entitySchema: this.#entitySchema.view(),
      entityCategories: this.#entityCategories.view(),
      entityFlags: this.#entityFlags.view(),
      entityFirstForm: this.#entityFirstForm.view(),
      entityFirstDate: this.#entityFirstDate.view(),
      entityFirstNation: this.#entityFirstNation.view(),
      idStart: this.#idStart.view(),
      cardStart: this.#cardStart.view(),
      dateFrom: this.#dateFrom.view(),
      dateTo: this.#dateTo.view(),
      nationCode: this.#nationCode.view(),
      entityFirstIdentifier: this.#entityFirstIdentifier.view(),
      identifierKey: this.#identifierKey.view(),
      identifierCheck: this.#identifierCheck.view(),
      nameStart: this.#nameStart.view(),
      formName: this.#formName.view(),
      formFlags: this.#formFlags.view(),
      formFirstToken: this.#forms.firstToken.view(),
      formToken: this.#forms.token.view(),
      formFacts: this.#formFacts.view(),
    };
    const { places, tokens } = this.#tokens.finish();
    return { batches: this.#batches, columns, tokens, tokenPlaces: places };
  }
}
