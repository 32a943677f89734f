/**
 * A list while its file is read: entities that grow until the end, and relations that are resolved
 * once all of them are known. Publishers of a few thousand entities are read through here; a list
 * of millions would not fit.
 *
 * What the drafts come to does not depend on the order of the publisher's records: values are
 * sorted, and a name that leads to two entities leads to none.
 */
import assert from 'node:assert/strict';
import { DomainError } from '#core/kernel';
import { foldText } from '#platform/foldText';
import type { ListSink, ReadList } from '#slices/ingestion';
import type { Association, CountryLookup, ListEntity } from '#slices/lists';
import { readCountryCell } from './countryCells.ts';
import { compare, distinct, identifierMap } from './entityParts.ts';
import { Properties } from './properties.ts';
import { readRelations, type StatedRelation, unReferences } from './remarkRelations.ts';

/** Entities of a list that is held in memory. Far more than the publishers' largest lists. */
export const HELD_ENTITIES_MAX = 200_000;
const AMBIGUOUS = '';

export class Notes {
  readonly #counts: Record<string, number> = {};

  add(kind: string, count = 1): void {
    if (count > 0) this.#counts[kind] = (this.#counts[kind] ?? 0) + count;
  }

  counts(): Readonly<Record<string, number>> {
    return this.#counts;
  }
}

export class EntityDraft {
  readonly ftmId: string;
  schema: ListEntity['schema'] = 'LegalEntity';
  primaryName = '';
  readonly akas = new Set<string>();
  readonly datesOfBirth = new Set<string>();
  readonly placesOfBirth = new Set<string>();
  readonly citizenships = new Set<string>();
  readonly countries = new Set<string>();
  readonly identifiers: (readonly [string, string])[] = [];
  readonly addresses = new Set<string>();
  readonly properties = new Properties();
  readonly relations: StatedRelation[] = [];
  readonly #countries: CountryLookup;
  readonly #notes: Notes;
  /** Cells that were taken: publishers repeat them from row to row. */
  readonly #seen = new Set<string>();

  constructor(ftmId: string, context: { countries: CountryLookup; notes: Notes }) {
    this.ftmId = ftmId;
    this.#countries = context.countries;
    this.#notes = context.notes;
  }

  addCitizenships(cell: string | undefined): void {
    if (cell === undefined || !this.#isNew('nationality', cell)) return;
    this.properties.add('nationality', cell);
    const { codes, unknown, former } = readCountryCell(cell, this.#countries);
    for (const code of codes) this.citizenships.add(code);
    this.properties.addAll('former_nationalities', former);
    this.#keepUnknown(unknown);
  }

  addCountries(cell: string | undefined): void {
    if (cell === undefined || !this.#isNew('country', cell)) return;
    const { codes, unknown } = readCountryCell(cell, this.#countries);
    for (const code of codes) this.countries.add(code);
    this.#keepUnknown(unknown);
  }

  /** `date` is undefined where `published` could not be read. */
  addDate(date: string | undefined, published: string, isAbout = false): void {
    if (!this.#isNew('date', published)) return;
    if (date === undefined) {
      this.properties.add('unreadable_dates_of_birth', published);
      this.#notes.add('date-unreadable');
      return;
    }
    this.datesOfBirth.add(date);
    if (isAbout) this.properties.add('dates_of_birth_as_published', published);
  }

  addPlace(...parts: readonly (string | undefined)[]): void {
    const place = joined(parts);
    if (place !== '') this.placesOfBirth.add(place);
  }

  addAddress(...parts: readonly (string | undefined)[]): void {
    const address = joined(parts);
    if (address !== '') this.addresses.add(address);
  }

  addIdentifier(type: string, number: string | undefined, details: readonly string[] = []): void {
    if (number !== undefined && this.#isNew(type, number)) this.identifiers.push([type, number]);
    if (details.length === 0) return;
    this.properties.add('identifier_details', [`${type}: ${number ?? ''}`, ...details].join('; '));
  }

  /** Free text: kept whole, and read for relations. */
  addRemarks(text: string | undefined, property = 'remarks'): void {
    if (text === undefined || !this.#isNew(property, text)) return;
    this.properties.add(property, text);
    this.relations.push(...readRelations(text));
  }

  addUnknown(lines: readonly string[]): void {
    const added = lines.filter((line) => this.#isNew('unknown', line));
    this.properties.addAll('unknown_elements', added);
    this.#notes.add('unknown-element', added.length);
  }

  addRelation(relation: StatedRelation): void {
    if (this.#isNew('relation', JSON.stringify(relation))) this.relations.push(relation);
  }

  #isNew(kind: string, text: string): boolean {
    const key = `${kind}\n${text}`;
    if (text === '' || this.#seen.has(key)) return false;
    this.#seen.add(key);
    return true;
  }

  #keepUnknown(names: readonly string[]): void {
    const added = names.filter((name) => this.#isNew('unknown country', name));
    this.properties.addAll('unknown_countries', added);
    this.#notes.add('country-unknown', added.length);
  }
}

const joined = (parts: readonly (string | undefined)[]): string =>
  distinctInOrder(parts.filter((part) => part !== undefined && part !== '-')).join(', ');

const distinctInOrder = (parts: readonly (string | undefined)[]): string[] =>
  [...new Set(parts)].filter((part): part is string => part !== undefined && part !== '');

export class ListDraft {
  readonly notes = new Notes();
  readonly #sourceId: string;
  readonly #countries: CountryLookup;
  readonly #drafts = new Map<string, EntityDraft>();
  readonly #byReference = new Map<string, string>();

  constructor(options: { readonly sourceId: string; readonly countries: CountryLookup }) {
    this.#sourceId = options.sourceId;
    this.#countries = options.countries;
  }

  get size(): number {
    return this.#drafts.size;
  }

  find(ftmId: string): EntityDraft | undefined {
    return this.#drafts.get(ftmId);
  }

  entity(ftmId: string): EntityDraft {
    const known = this.#drafts.get(ftmId);
    if (known) return known;
    if (this.#drafts.size >= HELD_ENTITIES_MAX) {
      throw new DomainError('list-damaged', { detail: `more than ${HELD_ENTITIES_MAX} entities` });
    }
    const draft = new EntityDraft(ftmId, { countries: this.#countries, notes: this.notes });
    this.#drafts.set(ftmId, draft);
    return draft;
  }

  /** The United Nations' reference of an entity, by which the remarks of others name it. */
  addReference(draft: EntityDraft, reference: string): void {
    const [known = reference] = unReferences(reference);
    draft.addIdentifier('UN reference', known);
    register(this.#byReference, known, draft.ftmId);
  }

  finish(
    facts: Pick<ReadList, 'releaseDate'> & Partial<Pick<ReadList, 'declaredCount' | 'skipped'>>,
    sink: ListSink,
  ): ReadList {
    const { primary, alias } = this.#names();
    const find = (relation: StatedRelation): string | undefined => {
      const { target } = relation;
      if ('reference' in target) return this.#byReference.get(target.reference);
      const folded = foldText(target.name);
      return primary.get(folded) ?? alias.get(folded);
    };
    for (const draft of this.#drafts.values()) {
      const associations = this.#resolve(draft, find);
      sink.entity(this.#build(draft, associations, facts.releaseDate));
    }
    return { kind: 'full', notes: this.notes.counts(), skipped: [], ...facts };
  }

  #names(): { primary: Map<string, string>; alias: Map<string, string> } {
    const primary = new Map<string, string>();
    const alias = new Map<string, string>();
    for (const draft of this.#drafts.values()) {
      register(primary, foldText(draft.primaryName), draft.ftmId);
      for (const name of [draft.primaryName, ...draft.akas]) {
        for (const form of shortForms(name)) register(alias, foldText(form), draft.ftmId);
      }
    }
    return { primary, alias };
  }

  #resolve(
    draft: EntityDraft,
    find: (relation: StatedRelation) => string | undefined,
  ): Association[] {
    const byTarget = new Map<string, Association>();
    for (const relation of draft.relations) {
      const target = find(relation);
      if (target === draft.ftmId) continue;
      if (target === undefined || target === AMBIGUOUS) {
        if (relation.isFirm) this.#keepUnresolved(draft, relation, target);
        continue;
      }
      const { label, type } = relation;
      const key = `${target}\n${type}`;
      const known = byTarget.get(key);
      if (known && known.label <= label) continue;
      byTarget.set(key, { label, strength: 0.5, target_ftm_id: target, type });
    }
    return [...byTarget].sort(([a], [b]) => compare(a, b)).map(([, association]) => association);
  }

  #keepUnresolved(
    draft: EntityDraft,
    { label, target }: StatedRelation,
    found: string | undefined,
  ): void {
    const whom = 'reference' in target ? target.reference : target.name;
    draft.properties.add('unresolved_relations', `${label}: ${whom}`);
    this.notes.add(found === undefined ? 'relation-unresolved' : 'relation-ambiguous');
  }

  /** Keys in code-unit order, which makes their canonical JSON cheap. */
  #build(
    draft: EntityDraft,
    associations: readonly Association[],
    releaseDate: string,
  ): ListEntity {
    assert(draft.primaryName !== '', `${draft.ftmId} was left without a name`);
    draft.akas.delete(draft.primaryName);
    return {
      addresses: distinct(draft.addresses),
      akas: distinct(draft.akas),
      associations,
      categories: ['SAN'],
      citizenships: distinct(draft.citizenships),
      countries: distinct(draft.countries),
      dates_of_birth: distinct(draft.datesOfBirth),
      first_seen_at: releaseDate,
      flattened_associated_sanctioned: [],
      ftm_id: draft.ftmId,
      identifiers: identifierMap(draft.identifiers),
      last_seen_at: releaseDate,
      places_of_birth: distinct(draft.placesOfBirth),
      primary_name: draft.primaryName,
      primary_name_folded: foldText(draft.primaryName),
      ...draft.properties.takeProgrammes(),
      properties: draft.properties.sorted(),
      schema: draft.schema,
      source_lists_hits: [{ added_at: releaseDate, list: this.#sourceId, version: releaseDate }],
    };
  }
}

/** How remarks name `DEFENCE INDUSTRIES ORGANISATION (DIO)`: whole, without the end, by it. */
function shortForms(name: string): string[] {
  const open = name.lastIndexOf('(');
  const long = name.slice(0, Math.max(0, open)).trimEnd();
  const short = name.slice(open + 1, -1);
  const isShort = name.endsWith(')') && /^\p{Lu}[\p{L}\d-]{1,11}$/u.test(short);
  return isShort && long !== '' ? [name, long, short] : [name];
}

function register(index: Map<string, string>, key: string, id: string): void {
  if (key === '') return;
  const known = index.get(key);
  index.set(key, known === undefined || known === id ? id : AMBIGUOUS);
}
