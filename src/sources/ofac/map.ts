/**
 * OFAC entries to list format v1.
 *
 * - sdnType Individual is a Person, Entity a Company (OFAC does not tell companies from other
 *   bodies), Vessel and Aircraft themselves.
 * - Every entry is category SAN, those of consolidated.xml too: its programmes (sectoral, NS-PLC,
 *   CMIC) restrict less than blocking, but they are sanctions, and a match there needs an analyst.
 *   The programme stands in `properties.programs` for whoever wants to tell them apart.
 * - Weak aliases are names like any other and are listed again in `properties.weak_aliases`.
 * - A relation is resolved by the exact published name; what names nobody, or several, stays in
 *   `properties.unresolved_relations` and is counted.
 *
 * Objects are built with their keys in code-unit order, which makes their canonical JSON cheap.
 */
import type { Association, CountryLookup, ListEntity, ListSink, ReadList } from '#domain/lists';
import { foldText } from '#platform/foldText';
import { codesOf } from './countryCodes.ts';
import { parseOfacDate } from './dates.ts';
import { mapIds } from './identifiers.ts';
import { Properties } from './properties.ts';
import type { OfacEntry, OfacFields, OfacHeader } from './read.ts';
import { type RemarkLink, readRemarks } from './remarks.ts';

const SCHEMAS: Readonly<Record<string, ListEntity['schema']>> = {
  Individual: 'Person',
  Entity: 'Company',
  Vessel: 'Vessel',
  Aircraft: 'Aircraft',
};
const AMBIGUOUS = '';

interface Pending {
  readonly entity: ListEntity;
  readonly associations: Association[];
  readonly links: readonly RemarkLink[];
  readonly properties: Properties;
}

/** Collects the entries of one file; `finish` resolves the relations between them. */
export class OfacMapper {
  readonly #sourceId: string;
  readonly #lookup: CountryLookup;
  readonly #pending: Pending[] = [];
  readonly #idByName = new Map<string, string>();
  readonly #idByAlias = new Map<string, string>();
  readonly #notes: Record<string, number> = {};

  constructor(options: { sourceId: string; countries: CountryLookup }) {
    this.#sourceId = options.sourceId;
    this.#lookup = options.countries;
  }

  add(entry: OfacEntry, header: OfacHeader): void {
    const { fields, lists } = entry;
    const properties = new Properties();
    const remarks = readRemarks(fields.remarks ?? '');
    const ids = mapIds(lists.idList ?? []);
    for (const [name, value] of ids.properties) properties.add(name, value);
    const isPerson = fields.sdnType === 'Individual';
    const ftmId = `ofac-${fields.uid}`;
    const primaryName = naturalName(fields);
    const akas = this.#aliases(lists.akaList ?? [], remarks.aliases, { isPerson, properties });
    this.#describe(entry, remarks.gender, properties);
    const links = [...remarks.links, ...vesselLinks(lists.vesselInfo ?? [])];
    const associations: Association[] = [];
    const entity: ListEntity = {
      addresses: (lists.addressList ?? []).map(addressLine).filter((line) => line !== ''),
      akas: akas.filter((name) => name !== primaryName),
      associations,
      categories: ['SAN'],
      citizenships: this.#citizenships(lists, properties),
      countries: this.#countries(lists, properties),
      dates_of_birth: this.#dates(lists.dateOfBirthList ?? [], properties),
      first_seen_at: header.releaseDate,
      flattened_associated_sanctioned: [],
      ftm_id: ftmId,
      identifiers: ids.identifiers,
      last_seen_at: header.releaseDate,
      places_of_birth: mainFirst(lists.placeOfBirthList ?? [], 'placeOfBirth'),
      primary_name: primaryName,
      primary_name_folded: foldText(primaryName),
      schema: SCHEMAS[fields.sdnType ?? ''] ?? this.#unknownType(properties, fields.sdnType),
      source_lists_hits: [
        { added_at: header.releaseDate, list: this.#sourceId, version: header.releaseDate },
      ],
    };
    this.#pending.push({ entity, associations, links, properties });
    for (const name of new Set([publishedName(fields), primaryName])) {
      register(this.#idByName, name, ftmId);
    }
    for (const aka of lists.akaList ?? []) register(this.#idByAlias, publishedName(aka), ftmId);
  }

  finish(header: OfacHeader, sink: ListSink): ReadList {
    for (const pending of this.#pending) {
      this.#resolve(pending);
      sink.entity(withProperties(pending.entity, pending.properties.sorted()));
    }
    const { recordCount: declaredCount, releaseDate } = header;
    return { declaredCount, kind: 'full', notes: this.#notes, releaseDate, skipped: [] };
  }

  #resolve(pending: Pending): void {
    const seen = new Set<string>();
    for (const link of pending.links) {
      const target = this.#find(link.name);
      if (target === undefined || target === AMBIGUOUS) {
        this.#note(target === undefined ? 'relation-unresolved' : 'relation-ambiguous');
        pending.properties.add('unresolved_relations', `${link.label}: ${link.name}`);
        continue;
      }
      if (target === pending.entity.ftm_id || seen.has(target)) continue;
      seen.add(target);
      pending.associations.push({
        label: link.label,
        strength: 1,
        target_ftm_id: target,
        type: link.label === 'Linked To' ? 'BUSINESS' : 'OWNER',
      });
    }
  }

  /**
   * A sentence's full stop may have been lost or gained: `HERJEZ LTDA.` stands as `HERJEZ LTDA`.
   */
  #find(name: string): string | undefined {
    const bare = name.replace(/\.$/, '');
    for (const index of [this.#idByName, this.#idByAlias]) {
      const id = index.get(name) ?? index.get(bare) ?? index.get(`${bare}.`);
      if (id !== undefined) return id;
    }
    return undefined;
  }

  #aliases(
    akas: readonly OfacFields[],
    fromRemarks: readonly string[],
    { isPerson, properties }: { isPerson: boolean; properties: Properties },
  ): string[] {
    const names = new Set<string>();
    for (const aka of akas) {
      const name = naturalName(aka);
      if (name === '') continue;
      names.add(name);
      if (aka.category === 'weak') properties.add('weak_aliases', name);
      if (aka.type === 'f.k.a.') properties.add('former_names', name);
      if (aka.type === 'n.k.a.') properties.add('current_names', name);
    }
    for (const alias of fromRemarks) {
      const name = isPerson ? givenNameFirst(alias) : alias;
      if (!names.has(name)) properties.add('weak_aliases', name);
      names.add(name);
    }
    return [...names];
  }

  #describe(entry: OfacEntry, gender: string | undefined, properties: Properties): void {
    const { fields, lists } = entry;
    for (const { program } of lists.programList ?? []) properties.add('programs', program);
    properties.add('title', fields.title);
    properties.add('remarks', fields.remarks);
    properties.add('gender', gender);
    for (const vessel of lists.vesselInfo ?? []) {
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

  /**
   * The format has one field for nationality and citizenship; the difference stays in properties.
   */
  #citizenships(lists: OfacEntry['lists'], properties: Properties): string[] {
    const citizenships = mainFirst(lists.citizenshipList ?? [], 'country');
    const nationalities = mainFirst(lists.nationalityList ?? [], 'country');
    for (const name of citizenships) properties.add('citizenship', name);
    for (const name of nationalities) properties.add('nationality', name);
    return this.#codes([...nationalities, ...citizenships], properties);
  }

  #countries(lists: OfacEntry['lists'], properties: Properties): string[] {
    const names = (lists.addressList ?? []).map((address) => address.country);
    for (const vessel of lists.vesselInfo ?? []) names.push(vessel.vesselFlag);
    names.push(...properties.values('nationality_of_registration'));
    return this.#codes(names, properties);
  }

  #codes(names: readonly (string | undefined)[], properties: Properties): string[] {
    const note = (kind: string) => this.#note(kind);
    return codesOf(names, { lookup: this.#lookup, note, properties });
  }

  #dates(items: readonly OfacFields[], properties: Properties): string[] {
    const dates = new Set<string>();
    for (const text of mainFirst(items, 'dateOfBirth')) {
      const date = parseOfacDate(text);
      if (date === undefined) {
        this.#note('date-unreadable');
        properties.add('unreadable_dates_of_birth', text);
        continue;
      }
      dates.add(date);
      if (/^\D/.test(text)) properties.add('dates_of_birth_as_published', text);
    }
    return [...dates];
  }

  #note(kind: string): void {
    this.#notes[kind] = (this.#notes[kind] ?? 0) + 1;
  }
}

function withProperties(
  entity: ListEntity,
  properties: Record<string, readonly string[]>,
): ListEntity {
  const { schema, source_lists_hits, ...before } = entity;
  return { ...before, properties, schema, source_lists_hits };
}

/** `First LAST`. */
function naturalName(fields: OfacFields): string {
  const { firstName, lastName } = fields;
  return firstName && lastName ? `${firstName} ${lastName}` : (lastName ?? firstName ?? '');
}

/** `LAST, First`: how OFAC's remarks name a person. */
function publishedName(fields: OfacFields): string {
  const { firstName, lastName } = fields;
  return firstName && lastName ? `${lastName}, ${firstName}` : (lastName ?? firstName ?? '');
}

function givenNameFirst(alias: string): string {
  const parts = alias.split(', ');
  return parts.length === 2 ? `${parts[1]} ${parts[0]}` : alias;
}

function register(index: Map<string, string>, name: string, id: string): void {
  const known = index.get(name);
  index.set(name, known === undefined || known === id ? id : AMBIGUOUS);
}

/** The main entry first, then the file's order. */
function mainFirst(items: readonly OfacFields[], field: string): string[] {
  const main = items.filter((item) => item.mainEntry === 'true');
  const others = items.filter((item) => item.mainEntry !== 'true');
  return [...new Set([...main, ...others].map((item) => item[field] ?? ''))].filter(Boolean);
}

function addressLine(address: OfacFields): string {
  const region = [address.stateOrProvince, address.postalCode].filter(Boolean).join(' ');
  const { address1, address2, address3, city, country } = address;
  return [address1, address2, address3, city, region, country].filter(Boolean).join(', ');
}

function vesselLinks(vessels: readonly OfacFields[]): RemarkLink[] {
  return vessels.flatMap(({ vesselOwner }) =>
    vesselOwner ? [{ label: 'Vessel Owner' as const, name: vesselOwner }] : [],
  );
}
