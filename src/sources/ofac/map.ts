/**
 * OFAC entries to list format v1.
 *
 * - sdnType Individual is a Person, Entity a Company (OFAC does not distinguish companies from
 * other bodies), Vessel and Aircraft themselves.
 * - Every entry is category SAN, those of consolidated.xml too: its programmes (sectoral, NS-PLC,
 * CMIC) restrict less than blocking, but they are sanctions, and a match there needs an analyst.
 * `programmes` distinguishes them.
 * - Weak aliases are names like any other and are listed again in `properties.weak_aliases`.
 * - A relation is resolved by the published name; a name of no entry, or of several, stays in
 * `properties.unresolved_relations` and is counted.
 * - The publisher's main one of several values comes first. All others are sorted, since the order
 * of a file means nothing, and an entry written in another order has not changed.
 *
 * Objects are built with their keys in code-unit order, which makes their canonical JSON cheap.
 */
import { foldText } from '#platform/foldText';
import type { ListSink, ReadList } from '#slices/ingestion';
import type { CountryLookup, ListEntity } from '#slices/lists';
import { PROGRAMMES, Properties } from '../properties.ts';
import type { ScratchFile } from '../scratchFile.ts';
import { codesOf } from './countryCodes.ts';
import { parseOfacDate } from './dates.ts';
import { FLAG_PROPERTIES } from './facts.ts';
import { mapIds } from './identifiers.ts';
import type { OfacFields } from './layout.ts';
import { linksOf, resolveLinks } from './links.ts';
import { memoizedByName } from './memoizeByName.ts';
import { givenNameFirst, naturalName, publishedName } from './ofacNames.ts';
import { PackedRecords } from './packed.ts';
import type { OfacEntry, OfacHeader } from './read.ts';
import { RelationNames } from './relationNames.ts';
import { type RemarkLink, readRemarks } from './remarks.ts';
import { sortedOnce } from './sortedOnce.ts';
import type { UidList } from './uidList.ts';

/** For members that most entries do not have: one array for all of them. */
const NONE: readonly never[] = [];
const SANCTIONED: ListEntity['categories'] = ['SAN'];
const SCHEMAS: Readonly<Record<string, ListEntity['schema']>> = {
  Individual: 'Person',
  Entity: 'Company',
  Vessel: 'Vessel',
  Aircraft: 'Aircraft',
};
type Draft = { -readonly [Key in keyof ListEntity]: ListEntity[Key] };

export interface OfacMapperOptions {
  readonly sourceId: string;
  readonly countries: CountryLookup;
  readonly sink: ListSink;
  readonly scratch: ScratchFile;
  /** Uids of the entries so far, including the one that is added. */
  readonly uids: UidList;
}

/** An entry before the names in its remarks are known. */
interface Pending {
  readonly entity: Draft;
  readonly links: readonly RemarkLink[];
}

/**
 * Maps the entries of one file. Those whose remarks name no one are passed on at once. The others
 * wait until `finish`, since the named entry may come later, or be one of two.
 */
export class OfacMapper {
  readonly #sourceId: string;
  readonly #lookup: CountryLookup;
  readonly #sink: ListSink;
  readonly #pending: PackedRecords<Pending>;
  readonly #names: RelationNames;
  #hits: ListEntity['source_lists_hits'] | undefined;
  readonly #notes: Record<string, number> = {};
  readonly #noteKind = (kind: string): void => this.#note(kind);

  constructor(options: OfacMapperOptions) {
    this.#sourceId = options.sourceId;
    this.#lookup = memoizedByName(options.countries);
    this.#sink = options.sink;
    this.#pending = new PackedRecords(options.scratch);
    this.#names = new RelationNames(options.uids, options.scratch);
  }

  add(entry: OfacEntry, header: OfacHeader): void {
    const { fields, lists } = entry;
    const properties = new Properties();
    const remarks = readRemarks(fields.remarks ?? '');
    const { identifiers, isTelling } = mapIds(lists.idList ?? NONE, properties, this.#noteKind);
    const isCraft = isTelling || lists.vesselInfo !== undefined;
    const isPerson = fields.sdnType === 'Individual';
    const ftmId = `ofac-${fields.uid}`;
    const primaryName = naturalName(fields);
    const akas = this.#aliases(entry, remarks.aliases, { isPerson, primaryName, properties });
    const nationalities = countriesOf(lists.nationalityList ?? NONE, 'nationality', properties);
    const citizenships = countriesOf(lists.citizenshipList ?? NONE, 'citizenship', properties);
    this.#describe(entry, remarks.gender, properties);
    const links = isCraft ? linksOf(remarks.links, properties) : remarks.links;
    this.#hits ??= [
      { added_at: header.releaseDate, list: this.#sourceId, version: header.releaseDate },
    ];
    const entity: Draft = {
      addresses: addressLines(lists.addressList ?? NONE),
      akas,
      associations: NONE,
      categories: SANCTIONED,
      citizenships: this.#codes(both(nationalities, citizenships), properties),
      countries: this.#countries(lists.addressList ?? NONE, isCraft, properties),
      dates_of_birth: this.#dates(lists.dateOfBirthList ?? NONE, properties),
      first_seen_at: header.releaseDate,
      flattened_associated_sanctioned: NONE,
      ftm_id: ftmId,
      identifiers,
      last_seen_at: header.releaseDate,
      places_of_birth: mainFirst(lists.placeOfBirthList ?? NONE, (item) => item.placeOfBirth),
      primary_name: primaryName,
      primary_name_folded: foldText(primaryName),
      ...properties.takeProgrammes(),
      properties: {},
      schema: SCHEMAS[fields.sdnType ?? ''] ?? this.#unknownType(properties, fields.sdnType),
      source_lists_hits: this.#hits,
    };
    const described = properties.sorted();
    if (nationalities.length > 1) described.nationality = nationalities;
    if (citizenships.length > 1) described.citizenship = citizenships;
    entity.properties = described;
    this.#register(primaryName, entry);
    if (links.length === 0) this.#sink.entity(entity);
    else this.#keep({ entity, links });
  }

  async finish(header: OfacHeader): Promise<ReadList> {
    await this.#names.resolve();
    for await (const batch of this.#pending.take()) {
      for (const pending of batch) this.#sink.entity(this.#resolve(pending));
      await this.#sink.ready?.();
    }
    const { recordCount: declaredCount, releaseDate } = header;
    return { declaredCount, kind: 'full', notes: this.#notes, releaseDate, skipped: [] };
  }

  #keep(pending: Pending): void {
    this.#pending.add(pending);
    for (const link of pending.links) this.#names.want(link.name);
  }

  #register(primaryName: string, { fields, lists }: OfacEntry): void {
    const names = this.#names;
    names.addOwn(primaryName);
    if (fields.firstName) names.addOwn(publishedName(fields));
    for (const aka of lists.akaList ?? NONE) names.addAlias(publishedName(aka));
  }

  #resolve({ entity, links }: Pending): ListEntity {
    const context = { ftmId: entity.ftm_id, names: this.#names, note: this.#noteKind };
    const { associations, unresolved } = resolveLinks(links, context);
    entity.associations = associations;
    if (unresolved.length > 0) {
      const properties = Object.entries(entity.properties ?? {});
      properties.push(['unresolved_relations', unresolved]);
      entity.properties = Object.fromEntries(properties.sort(([a], [b]) => (a < b ? -1 : 1)));
    }
    return entity;
  }

  #aliases(
    { lists }: OfacEntry,
    fromRemarks: readonly string[],
    options: { isPerson: boolean; primaryName: string; properties: Properties },
  ): readonly string[] {
    const { isPerson, primaryName, properties } = options;
    const akas = lists.akaList ?? NONE;
    if (akas.length === 0 && fromRemarks.length === 0) return NONE;
    const names = new Set<string>();
    for (const aka of akas) {
      const name = naturalName(aka);
      if (name === '') continue;
      names.add(name);
      describeAlias(aka, name, properties);
    }
    for (const alias of fromRemarks) {
      const name = isPerson ? givenNameFirst(alias) : alias;
      if (!names.has(name)) properties.add('weak_aliases', name);
      names.add(name);
    }
    names.delete(primaryName);
    return sortedOnce([...names]);
  }

  #describe(entry: OfacEntry, gender: string | undefined, properties: Properties): void {
    const { fields, lists } = entry;
    for (const { program } of lists.programList ?? NONE) properties.add(PROGRAMMES, program);
    properties.add('title', fields.title);
    properties.add('remarks', fields.remarks);
    properties.add('gender', gender);
    for (const vessel of lists.vesselInfo ?? NONE) {
      properties.add('call_sign', vessel.callSign);
      properties.add('vessel_type', vessel.vesselType);
      properties.add('vessel_flag', vessel.vesselFlag);
      properties.add('vessel_owner', vessel.vesselOwner);
      properties.add('tonnage', vessel.tonnage);
      properties.add('gross_registered_tonnage', vessel.grossRegisteredTonnage);
    }
    for (const line of entry.unknown) {
      properties.add('unknown_elements', line);
      this.#note('unknown-element');
    }
  }

  #unknownType(properties: Properties, sdnType: string | undefined): ListEntity['schema'] {
    properties.add('sdn_type', sdnType);
    this.#note('unknown-sdn-type');
    return 'LegalEntity';
  }

  #countries(
    addresses: readonly OfacFields[],
    isCraft: boolean,
    properties: Properties,
  ): readonly string[] {
    const names = addresses.map((address) => address.country);
    if (isCraft) {
      for (const property of FLAG_PROPERTIES) names.push(...properties.values(property));
    }
    const codes = this.#codes(names, properties);
    return codes.length > 1 ? sortedOnce([...codes]) : codes;
  }

  #codes(names: readonly (string | undefined)[], properties: Properties): readonly string[] {
    if (names.length === 0) return NONE;
    return codesOf(names, { lookup: this.#lookup, note: this.#noteKind, properties });
  }

  #dates(items: readonly OfacFields[], properties: Properties): readonly string[] {
    return mainFirst(items, ({ dateOfBirth: text }) => {
      if (text === undefined) return undefined;
      const date = parseOfacDate(text);
      if (date === undefined) {
        this.#note('date-unreadable');
        properties.add('unreadable_dates_of_birth', text);
      } else if (/^\D/.test(text)) properties.add('dates_of_birth_as_published', text);
      return date;
    });
  }

  #note(kind: string): void {
    this.#notes[kind] = (this.#notes[kind] ?? 0) + 1;
  }
}

function both(first: readonly string[], then: readonly string[]): readonly string[] {
  if (then.length === 0) return first;
  return first.length === 0 ? then : [...first, ...then];
}

function describeAlias(aka: OfacFields, name: string, properties: Properties): void {
  const { category, type } = aka;
  if (category === 'weak') properties.add('weak_aliases', name);
  else if (category && category !== 'strong') {
    properties.add('alias_details', `${name}: ${category}`);
  }
  if (type === 'f.k.a.') properties.add('former_names', name);
  else if (type === 'n.k.a.') properties.add('current_names', name);
  else if (type && type !== 'a.k.a.') properties.add('alias_types', `${name}: ${type}`);
}

type ReadItem = (item: OfacFields) => string | undefined;

/** The main entry first, then the others sorted, each once. */
function mainFirst(items: readonly OfacFields[], read: ReadItem): readonly string[] {
  const [only] = items;
  if (only === undefined) return NONE;
  if (items.length === 1) {
    const value = read(only);
    return value ? [value] : NONE;
  }
  const main: string[] = [];
  const others: string[] = [];
  for (const item of items) {
    const value = read(item);
    if (value) (item.mainEntry === 'true' ? main : others).push(value);
  }
  if (main.length === 0) return sortedOnce(others);
  return [...new Set([...sortedOnce(main), ...sortedOnce(others)])];
}

/** The format has one field for nationality and citizenship; which it was stays in properties. */
function countriesOf(
  items: readonly OfacFields[],
  property: 'nationality' | 'citizenship',
  properties: Properties,
): readonly string[] {
  const names = mainFirst(items, (item) => item.country);
  for (const name of names) properties.add(property, name);
  return names;
}

function addressLines(addresses: readonly OfacFields[]): readonly string[] {
  if (addresses.length === 0) return NONE;
  const lines = addresses.map(addressLine).filter((line) => line !== '');
  return sortedOnce(lines);
}

function addressLine(address: OfacFields): string {
  const { address1, address2, address3, city, country, stateOrProvince, postalCode } = address;
  const region =
    stateOrProvince && postalCode
      ? `${stateOrProvince} ${postalCode}`
      : (stateOrProvince ?? postalCode);
  let line = '';
  for (const part of [address1, address2, address3, city, region, country]) {
    if (part) line = line === '' ? part : `${line}, ${part}`;
  }
  return line;
}
