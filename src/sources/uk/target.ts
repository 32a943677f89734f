/**
 * One target of the United Kingdom's lists, in either layout. The id is the group id that the
 * Treasury gave it and that the Foreign Office's list continues, `gb-12703`, so that a change of
 * layout is not a change of list; a target that never had one uses its unique id.
 */
import type { DomainError } from '#core/kernel';
import type { ListEntity } from '#slices/lists';
import { numberedParts } from '../countryCells.ts';
import { documentNumbers, identifierType } from '../documentNumbers.ts';
import { imoNumber } from '../imoNumber.ts';
import type { EntityDraft, ListDraft } from '../listDraft.ts';
import { birthDate, dayFirstDate, isoPartialDate } from '../partialDates.ts';
import { namesOf } from '../publishedNames.ts';
import { unReferences } from '../remarkRelations.ts';

const SCHEMAS: Readonly<Record<string, ListEntity['schema']>> = {
  entity: 'Organization',
  individual: 'Person',
  ship: 'Vessel',
};

/** Says nothing that the field does not say. */
const BARE_LABEL = /^passport (?:details|no|number)s?[.:]{0,2}$/i;

type Damage = (what: string) => DomainError;

/** The targets of one file. */
export class UkTargets {
  readonly #list: ListDraft;
  readonly #targets = new Map<EntityDraft, UkTarget>();

  constructor(list: ListDraft) {
    this.#list = list;
  }

  /** The target of this id, known or new; its kind may not change from row to row. */
  target(
    facts: { groupId: string | undefined; uniqueId: string | undefined; kind: string | undefined },
    damage: Damage,
  ): UkTarget {
    const id = facts.groupId ?? facts.uniqueId ?? '';
    if (!/^[A-Za-z0-9./-]{1,32}$/.test(id)) throw damage('it has no id');
    if (!facts.kind) throw damage(`target ${id}: expected an individual, an entity or a ship`);
    const schema = SCHEMAS[facts.kind.toLowerCase()] ?? 'LegalEntity';
    const draft = this.#list.entity(`gb-${id}`);
    const known = this.#targets.get(draft);
    if (known) {
      if (draft.schema !== schema) throw damage(`target ${id} was of another kind before`);
      return known;
    }
    draft.schema = schema;
    if (schema === 'LegalEntity') this.#keepKind(draft, facts.kind);
    const target = new UkTarget(draft, this.#list);
    this.#targets.set(draft, target);
    return target;
  }

  /**
   * Notes columns that a publisher removed from the layout: their values are lost, and the run
   * reports it.
   */
  noteMissingColumns(count: number): void {
    this.#list.notes.add('column-missing', count);
  }

  /** A kind that the layout does not know yet is no reason to be without the list. */
  #keepKind(draft: EntityDraft, kind: string): void {
    draft.properties.add('subject_type', kind);
    this.#list.notes.add('unknown-subject-type');
  }

  /** @param mustBeMain whether each target must have a name that is marked as the main one */
  finish(mustBeMain: boolean, damage: Damage): void {
    this.#addStatedReferences();
    for (const [draft, target] of this.#targets) {
      const { name: marked, isMain } = target.mainName();
      // Some have a name in another script only.
      const name = marked || ([...draft.akas].sort()[0] ?? '');
      if (name === '') throw damage(`target ${draft.ftmId.slice(3)} has no name`);
      if (mustBeMain && !isMain) throw damage(`target ${draft.ftmId.slice(3)} lacks its main name`);
      draft.primaryName = name;
      if (target.isShip && draft.schema === 'Organization') draft.schema = 'Vessel';
    }
  }

  /** The remarks hold slips: a reference that is stated for several targets belongs to none. */
  #addStatedReferences(): void {
    const holders = new Map<string, number>();
    for (const { stated } of this.#targets.values()) {
      for (const one of stated) holders.set(one, (holders.get(one) ?? 0) + 1);
    }
    for (const target of this.#targets.values()) {
      for (const one of target.stated) target.addStated(one, holders.get(one) === 1);
    }
  }
}

export interface UkName {
  /** Name 1 to Name 5, then Name 6: given names first. */
  readonly parts: readonly (string | undefined)[];
  readonly type: string | undefined;
  readonly quality: string | undefined;
}

export class UkTarget {
  readonly draft: EntityDraft;
  /** References of the Security Council that stand in remarks only. */
  readonly stated = new Set<string>();
  isShip = false;
  readonly #list: ListDraft;
  #main = { rank: Number.POSITIVE_INFINITY, name: '' };
  readonly #references = new Set<string>();
  /** Cells that were taken: rows repeat the cells that do not differ between them. */
  readonly #seen = new Set<string>();

  constructor(draft: EntityDraft, list: ListDraft) {
    this.draft = draft;
    this.#list = list;
  }

  mainName(): { name: string; isMain: boolean } {
    return { name: this.#main.name, isMain: this.#main.rank < 2 };
  }

  name({ parts, type, quality }: UkName): void {
    const published = parts.filter(Boolean).join(' ');
    if (!this.#isNew(`name ${type} ${quality}`, published)) return;
    const { properties, akas } = this.draft;
    const names = namesOf(published);
    if (names.length > 1) properties.add('aliases_as_published', published);
    for (const name of names) {
      akas.add(name);
      if (/low|weak/i.test(quality ?? '')) properties.add('weak_aliases', name);
      if (/^f\.?k\.?a/i.test(type ?? '')) properties.add('former_names', name);
    }
    const rank = nameRank(type ?? '');
    const isBetter = rank < this.#main.rank;
    if (isBetter || (rank === this.#main.rank && published < this.#main.name)) {
      this.#main = { rank, name: published };
    }
  }

  nonLatinName(text: string | undefined): void {
    if (text === undefined || !this.#isNew('script', text)) return;
    for (const name of namesOf(text)) this.draft.akas.add(name);
    this.draft.properties.add('name_original_script', text);
  }

  /** Adds the reference on the list itself: `AFG0001`. */
  reference(uniqueId: string): void {
    this.draft.addIdentifier('UK reference', uniqueId);
  }

  unReference(text: string | undefined): void {
    const reference = unReferences(text ?? '')[0] ?? text;
    if (reference === undefined || this.#references.has(reference)) return;
    this.#references.add(reference);
    this.#list.addReference(this.draft, reference);
  }

  date(text: string | undefined): void {
    if (text === undefined || !this.#isNew('date', text)) return;
    const { date, isAbout } = birthDate(text);
    this.draft.addDate(date, text, isAbout);
  }

  /** Cells that number their places, with one country each or one for all. */
  birthPlaces(town: string | undefined, country: string | undefined): void {
    if (!this.#isNew('birth', `${town ?? ''}\n${country ?? ''}`)) return;
    const towns = numberedParts(town ?? '');
    const countries = numberedParts(country ?? '');
    if (towns.length === countries.length || towns.length === 0) {
      for (const [index, one] of countries.entries()) this.draft.addPlace(towns[index], one);
      return;
    }
    const shared = countries.length === 1 ? countries[0] : undefined;
    for (const one of towns) this.draft.addPlace(one, shared);
    if (shared === undefined) for (const one of countries) this.draft.addPlace(one);
  }

  /** A ship's number, with or without words around it. */
  imo(text: string | undefined): void {
    if (text !== undefined) this.draft.addIdentifier('IMO', /\d{7}/.exec(text)?.[0] ?? text);
  }

  /** One document in its own fields. */
  document(type: string, number: string | undefined, details: string | undefined): void {
    if (number === undefined && details === undefined) return;
    this.draft.addIdentifier(type, number, details === undefined ? [] : [details]);
  }

  /** A cell of text that holds numbered documents, with their numbers somewhere within. */
  documents(type: string, cell: string | undefined): void {
    if (cell === undefined || !this.#isNew(type, cell)) return;
    const parts = numberedParts(cell);
    // `Jordanian passport numbers (1) K048787 (2) 486298`
    const label = parts.length > 1 && !/\d/.test(parts[0] ?? '') ? parts.shift() : undefined;
    const said = label === undefined || BARE_LABEL.test(label) ? [] : [label];
    const stated = identifierType(label ?? '') ?? type;
    for (const part of parts.filter((one) => /\d/.test(one))) {
      const numbers = documentNumbers(part);
      for (const one of numbers) {
        this.draft.addIdentifier(one.type ?? stated, one.number, [...said, part]);
      }
      if (numbers.length > 0) continue;
      this.draft.addIdentifier(identifierType(part) ?? stated, undefined, [...said, part]);
    }
  }

  facts(property: string, cell: string | undefined): void {
    if (cell === undefined || !this.#isNew(property, cell)) return;
    this.draft.properties.addAll(property, numberedParts(cell));
  }

  /** `31/01/2001` or a timestamp, kept as a day where it is one. */
  day(property: string, text: string | undefined): void {
    if (text === undefined || !this.#isNew(property, text)) return;
    this.draft.properties.add(property, dayFirstDate(text) ?? isoPartialDate(text) ?? text);
  }

  address(lines: readonly (string | undefined)[], country: string | undefined): void {
    this.draft.addAddress(...lines, country);
    this.draft.addCountries(country);
  }

  remarks(text: string | undefined, property: string): void {
    if (text === undefined || !this.#isNew(property, text)) return;
    this.draft.addRemarks(text, property);
    this.#addImoNumber(text);
    const reference = statedUnReference(text, this.draft.schema === 'Person');
    if (reference !== undefined) this.stated.add(reference);
  }

  /** Keeps a reference that no field of the target gives; `isItsOwn`: it names this target. */
  addStated(reference: string, isItsOwn: boolean): void {
    if (this.#references.has(reference)) return;
    this.draft.properties.add('stated_un_reference', reference);
    if (isItsOwn) this.unReference(reference);
  }

  /**
   * Ships have a type of their own only since 2021; before, their remarks begin with their number.
   */
  #addImoNumber(text: string): void {
    const imo = imoNumber(text);
    if (imo === undefined) return;
    if (/^\(?IMO\b/.test(text) || this.draft.schema === 'Vessel') {
      this.draft.addIdentifier('IMO', imo);
      this.isShip = true;
    } else this.draft.properties.add('imo_numbers_in_remarks', imo);
  }

  #isNew(kind: string, text: string): boolean {
    const key = `${kind}\n${text}`;
    if (text === '' || this.#seen.has(key)) return false;
    this.#seen.add(key);
    return true;
  }
}

const STATED = /\bUN\.?\s?Ref(?:erence)?\.?\s*(?:no\.?|number)?[:.]?\s*/i;
const OLD = /^([QT])[. ]?([IE])\.[A-Z]\.(\d{1,3})\.\d{2}\b/i;

/**
 * `UN Ref QDi.004`, and the Security Council's references of before 2014, `QI.A.299.11`, whose
 * number the present ones kept: QDi.299. One that is of another kind than the target is a slip.
 */
function statedUnReference(text: string, isPerson: boolean): string | undefined {
  const stated = STATED.exec(text);
  if (!stated) return undefined;
  const rest = text.slice(stated.index + stated[0].length, stated.index + stated[0].length + 20);
  const old = OLD.exec(rest);
  const [, list = '', kind = '', number = ''] = old ?? [];
  const written = old
    ? `${list.toUpperCase() === 'Q' ? 'QD' : 'TA'}${kind}.${number.padStart(3, '0')}`
    : /^[A-Z]{2}[IE][. ]\s?\d{3}\b/i.exec(rest)?.[0].replace(/\s/g, '');
  const [reference] = unReferences(
    written?.replace(/^[a-z]{2}/i, (one) => one.toUpperCase()) ?? '',
  );
  return reference !== undefined && (reference[2] === 'i') === isPerson ? reference : undefined;
}

/** The main name, a spelling of it, any other one. */
function nameRank(type: string): number {
  if (!/^prim/i.test(type)) return 2;
  return /variation/i.test(type) ? 1 : 0;
}
