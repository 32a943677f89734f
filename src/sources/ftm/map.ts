/**
 * FtM entities to list format v1, with the facts that other lines join to them.
 *
 * - An entity without a topic of the table is category RCA: an aggregator publishes it because it
 * is related to a listed party. Without a category it would count as sanctioned (screening's rule).
 * - FtM's arrays are sets, which the publisher writes in another order every time. All are sorted,
 * so that an update is a real change.
 * - Countries are codes here, some longer than two letters: `gb-sct` is GB, `suhh` none in use;
 * either stays in `properties.country_codes` as published.
 *
 * Objects are built with their keys in code-unit order, which makes their canonical JSON cheap.
 */
import { foldText } from '#platform/foldText';
import type { EntityAddition } from '#slices/ingestion';
import type { Association, Category, CountryLookup, ListEntity } from '#slices/lists';
import { compare, distinct, identifierMap } from '../entityParts.ts';
import { CATEGORIES } from '../formatWords.ts';
import { Properties } from '../properties.ts';
import type { JoinTable } from './joinTable.ts';
import { roleOf } from './properties.ts';
import type { FtmEntity } from './record.ts';
import {
  addressKey,
  fromText,
  isPrecise,
  type Join,
  postKey,
  strengthAt,
  TENANTS_MAX,
  tenantsKey,
} from './relations.ts';
import { categoryOf } from './topics.ts';

export const ENTITY_SCHEMAS: ReadonlyMap<string, ListEntity['schema']> = new Map([
  ['Airplane', 'Aircraft'],
  ['Company', 'Company'],
  ['LegalEntity', 'LegalEntity'],
  ['Organization', 'Organization'],
  ['Person', 'Person'],
  ['Position', 'Position'],
  ['PublicBody', 'Organization'],
  ['Vessel', 'Vessel'],
]);

const DATE = /^\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?/;
/** Days that every month has. */
const DAYS_ALWAYS = 28;
const SHARED_ADDRESS = 0.3;

export interface FtmMapperOptions {
  readonly sourceId: string;
  readonly countries: CountryLookup;
  readonly joins: Pick<JoinTable, 'of'>;
  readonly releaseDate: string;
  /** Counts what was kept as published. */
  readonly note: (kind: string) => void;
}

type TextField = 'dates' | 'places' | 'citizenships' | 'countries' | 'addresses';

/** For members that most entities do not have: one array for all of them. */
const NONE: readonly never[] = [];

/** Sets of one entity, filled from its properties; most entities have few. */
class Draft {
  readonly names = new Set<string>();
  dates: Set<string> | undefined;
  places: Set<string> | undefined;
  citizenships: Set<string> | undefined;
  countries: Set<string> | undefined;
  addresses: Set<string> | undefined;
  readonly categories: Category[] = [];
  readonly identifiers: (readonly [string, string])[] = [];
  associations: Map<string, Association> | undefined;
  readonly properties = new Properties();

  add(field: TextField, text: string | undefined): void {
    if (text === undefined) return;
    this[field] ??= new Set();
    this[field].add(text);
  }
}

export class FtmMapper {
  readonly #options: FtmMapperOptions;

  constructor(options: FtmMapperOptions) {
    this.#options = options;
  }

  /** Undefined for an entity that has no name. Its schema is one of ENTITY_SCHEMAS. */
  map(record: FtmEntity): ListEntity | undefined {
    const draft = new Draft();
    for (const name in record.properties) {
      this.#take(draft, name, record.properties[name] ?? []);
    }
    this.#join(draft, record);
    const primaryName = primaryNameOf(record, draft.names);
    if (primaryName === undefined) return undefined;
    draft.names.delete(primaryName);
    draft.properties.addAll('datasets', record.datasets ?? []);
    draft.properties.addAll('referents', record.referents ?? []);
    if (record.schema === 'PublicBody') draft.properties.add('ftm_schema', record.schema);
    return this.#entity(draft, record, primaryName);
  }

  /** The facts that other lines state about an entity that the file does not name. */
  addition(id: string): EntityAddition {
    const draft = new Draft();
    for (const text of this.#options.joins.of(id)) this.#joinOne(draft, fromText(text));
    return {
      addresses: NONE,
      associations: inTargetOrder(draft.associations),
      identifiers: identifierMap(draft.identifiers),
      ...draft.properties.takeProgrammes(),
      properties: draft.properties.sorted(),
    };
  }

  #entity(draft: Draft, record: FtmEntity, primaryName: string): ListEntity {
    const { releaseDate, sourceId } = this.#options;
    const firstSeen = timestamp(record.first_seen) ?? releaseDate;
    const lastSeen = timestamp(record.last_seen) ?? releaseDate;
    return {
      addresses: inOrder(draft.addresses),
      akas: inOrder(draft.names),
      associations: inTargetOrder(draft.associations),
      categories: categories(draft),
      citizenships: inOrder(draft.citizenships),
      countries: inOrder(draft.countries),
      dates_of_birth: inOrder(draft.dates),
      first_seen_at: firstSeen,
      flattened_associated_sanctioned: NONE,
      ftm_id: record.id,
      identifiers: identifierMap(draft.identifiers),
      last_seen_at: lastSeen,
      places_of_birth: inOrder(draft.places),
      primary_name: primaryName,
      primary_name_folded: foldText(primaryName),
      ...draft.properties.takeProgrammes(),
      properties: draft.properties.sorted(),
      schema: ENTITY_SCHEMAS.get(record.schema) ?? 'LegalEntity',
      source_lists_hits: [
        { added_at: firstSeen.slice(0, 10), list: sourceId, version: releaseDate },
      ],
    };
  }

  #take(draft: Draft, name: string, values: readonly string[]): void {
    const role = roleOf(name);
    if (typeof role === 'object') {
      if ('property' in role) draft.properties.addAll(role.property, values);
      else for (const value of values) draft.identifiers.push([role.identifier, value]);
      return;
    }
    for (const value of values) this.#takeValue(draft, role, value);
  }

  #takeValue(draft: Draft, role: Exclude<ReturnType<typeof roleOf>, object>, value: string): void {
    const { properties } = draft;
    if (value === '') return;
    if (role === 'name' || role === 'weak' || role === 'former') {
      draft.names.add(value);
      if (role === 'weak') properties.add('weak_aliases', value);
      if (role === 'former') properties.add('former_names', value);
    } else if (role === 'birth') this.#takeDate(draft, value);
    else if (role === 'place') draft.add('places', value);
    else if (role === 'placeCountry') draft.add('places', this.#code(draft, value) ?? value);
    else if (role === 'citizenship') draft.add('citizenships', this.#code(draft, value));
    else if (role === 'country') draft.add('countries', this.#code(draft, value));
    else if (role === 'address') draft.add('addresses', value);
    else if (role === 'parent') this.#relate(draft, owned(value));
    else if (role === 'topics') {
      properties.add('topics', value);
      const category = categoryOf(value);
      if (category && !draft.categories.includes(category)) draft.categories.push(category);
    }
  }

  #takeDate(draft: Draft, value: string): void {
    const date = DATE.exec(value)?.[0];
    // A time of day may follow the day, and nothing else.
    const isWhole = date !== undefined && (date.length === value.length || value[10] === 'T');
    if (isWhole && isInMonth(date)) {
      draft.add('dates', date);
      return;
    }
    this.#options.note('date-unreadable');
    draft.properties.add('unreadable_dates_of_birth', value);
  }

  #code(draft: Draft, value: string): string | undefined {
    const { countries, note } = this.#options;
    const code = value.length <= 3 ? countries(value.toUpperCase()) : undefined;
    if (code !== undefined) return code;
    draft.properties.add('country_codes', value);
    const dash = value.indexOf('-');
    const state = countries(dash === 2 ? value.slice(0, 2).toUpperCase() : value);
    if (state === undefined) note('country-unknown');
    return state;
  }

  #join(draft: Draft, record: FtmEntity): void {
    const { joins } = this.#options;
    for (const text of joins.of(record.id)) this.#joinOne(draft, fromText(text));
    for (const id of record.properties.addressEntity ?? []) {
      this.#joinAddress(draft, record.id, id);
    }
  }

  #joinOne(draft: Draft, join: Join): void {
    if (join.kind === 'identifier') draft.identifiers.push([join.name, join.value]);
    else if (join.kind === 'property') draft.properties.add(join.name, join.value);
    else if (join.kind === 'post') {
      const post = distinct(this.#options.joins.of(postKey(join.post)))[0] ?? join.post;
      draft.properties.add('positions', join.value === '' ? post : `${post}; ${join.value}`);
    } else {
      const { label, target, type } = join;
      const strength = strengthAt(join, this.#options.releaseDate);
      this.#relate(draft, { label, strength, target_ftm_id: target, type });
    }
  }

  #joinAddress(draft: Draft, entityId: string, addressId: string): void {
    const { joins } = this.#options;
    const lines = joins.of(addressKey(addressId));
    if (lines.length === 0) this.#options.note('address-missing');
    for (const line of lines) draft.add('addresses', line);
    const tenants = distinct(joins.of(tenantsKey(addressId)));
    if (tenants.length > TENANTS_MAX || !lines.some(isPrecise)) return;
    for (const tenant of tenants) {
      if (tenant === entityId) continue;
      this.#relate(draft, {
        label: 'same address',
        strength: SHARED_ADDRESS,
        target_ftm_id: tenant,
        type: 'ADDRESS',
      });
    }
  }

  /** If several relations of one kind lead to one party, the strongest counts. */
  #relate(draft: Draft, relation: Association): void {
    draft.associations ??= new Map();
    const key = `${relation.type} ${relation.target_ftm_id}`;
    const known = draft.associations.get(key);
    if (known !== undefined && byStrength(relation, known) >= 0) return;
    draft.associations.set(key, relation);
  }
}

/** Checks the day of a date whose form is right. */
function isInMonth(date: string): boolean {
  const day = Number(date.slice(8, 10));
  return day <= DAYS_ALWAYS || new Date(`${date}T00:00:00Z`).getUTCDate() === day;
}

const owned = (parent: string): Association => ({
  label: 'owned by',
  strength: 1,
  target_ftm_id: parent,
  type: 'OWNER',
});

function inOrder(texts: ReadonlySet<string> | undefined): readonly string[] {
  if (texts === undefined || texts.size === 0) return NONE;
  return texts.size === 1 ? [...texts] : [...texts].sort();
}

const inTargetOrder = (associations: Draft['associations']): readonly Association[] =>
  associations ? [...associations.values()].sort(byTarget) : NONE;

const RELATED: readonly Category[] = ['RCA'];

function categories({ categories: found }: Draft): readonly Category[] {
  if (found.length === 0) return RELATED;
  return found.length === 1 ? found : CATEGORIES.filter((category) => found.includes(category));
}

/** The caption is the publisher's choice among the names; a person may have parts alone. */
function primaryNameOf(record: FtmEntity, names: ReadonlySet<string>): string | undefined {
  const { caption, properties } = record;
  if (caption !== undefined && names.has(caption)) return caption;
  const sorted = distinct(properties.name ?? []).filter(Boolean);
  if (sorted[0] !== undefined) return sorted[0];
  const parts = ['firstName', 'secondName', 'middleName', 'fatherName', 'lastName'];
  const joined = parts.flatMap((part) => properties[part]?.[0] ?? []).join(' ');
  return joined.trim() === '' ? distinct(names)[0] : joined.trim();
}

/** `2023-04-20T18:00:25` is in UTC and does not say so. */
function timestamp(text: string | undefined): string | undefined {
  if (text === undefined || !DATE.test(text) || text.length < 10) return undefined;
  return /T\d\d:\d\d:\d\d$/.test(text) ? `${text}Z` : text;
}

const byTarget = (a: Association, b: Association): number =>
  compare(a.target_ftm_id, b.target_ftm_id) || compare(a.type, b.type);

const byStrength = (a: Association, b: Association): number =>
  b.strength - a.strength || compare(a.label, b.label);
