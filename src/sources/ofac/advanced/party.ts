/** DistinctParty to list format v1, with all that the file has stated when the party ends. */
import { foldText } from '#platform/foldText';
import type { CountryLookup, ListEntity } from '#slices/lists';
import { distinct } from '../../entityParts.ts';
import { Properties } from '../../properties.ts';
import { childOf, childrenOf, childText, type XmlRecord } from '../../recordBuilder.ts';
import { codesOf } from '../countryCodes.ts';
import { mapIds } from '../identifiers.ts';
import type { OfacFields } from '../layout.ts';
import { linksOf } from '../links.ts';
import { givenNameFirst } from '../ofacNames.ts';
import { type RemarkLink, readRemarks } from '../remarks.ts';
import { readFeatures } from './features.ts';
import type { AddressLine } from './locations.ts';
import { type PartyNames, readNames } from './names.ts';
import { damaged, numberOf, type References } from './references.ts';

export interface PartyContext {
  readonly sourceId: string;
  readonly releaseDate: string;
  readonly lookup: CountryLookup;
  readonly references: References;
  readonly location: (id: string) => AddressLine | undefined;
  /** The documents of an identity. */
  readonly documents: (identityId: string) => readonly OfacFields[];
  readonly note: (kind: string) => void;
}

export interface MappedParty {
  readonly profileId: number;
  readonly entity: Omit<ListEntity, 'associations' | 'properties'>;
  readonly properties: Record<string, readonly string[]>;
  /** Who is named and not numbered. */
  readonly links: readonly RemarkLink[];
}

export interface ReadParty {
  readonly mapped: MappedParty;
  readonly names: PartyNames;
}

/** For members that most parties do not have. */
const NONE: readonly never[] = [];

export const ftmIdOf = (profileId: number): string => `ofac-${profileId}`;

/** One entity for each profile: OFAC's parties have one each. */
export function mapProfile(
  party: XmlRecord,
  profile: XmlRecord,
  unknown: readonly string[],
  context: PartyContext,
): ReadParty {
  const properties = new Properties();
  const profileId = numberOf(profile, 'ID');
  for (const record of [party, profile]) {
    for (const comment of childrenOf(record, 'Comment')) properties.add('remarks', comment.text);
  }
  const fixedRef = party.attributes.get('FixedRef') ?? '';
  if (fixedRef !== String(profileId)) properties.add('fixed_ref', fixedRef);
  for (const line of unknown) properties.add('unknown_elements', line);
  const names = readNames(profile, context.references, properties);
  if (names.primary === '') throw damaged(`profile ${profileId} has no name`);
  const features = readFeatures(profile, { ...context, properties });
  const nationalities = sorted(features.nationalities);
  const citizenships = sorted(features.citizenships);
  properties.addAll('nationality', nationalities);
  properties.addAll('citizenship', citizenships);
  const documents = childrenOf(profile, 'Identity').flatMap((identity) =>
    context.documents(identity.attributes.get('ID') ?? ''),
  );
  const { identifiers } = mapIds([...documents, ...features.ids], properties, context.note);
  for (const reference of childrenOf(profile, 'ExternalReference')) {
    properties.add('external_references', externalReference(reference, context.references));
  }
  const { releaseDate, sourceId } = context;
  const schema = schemaOf(profile, context, properties);
  const remarks = properties.values('remarks').map(readRemarks);
  for (const { gender } of remarks) properties.add('gender', gender);
  const links = remarks.flatMap((remark) => remark.links);
  const aliases = remarks.flatMap((remark) => remark.aliases);
  const entity = {
    addresses: sorted(features.addresses),
    akas: akasOf(names, aliases, { schema, properties }),
    categories: ['SAN'] as const,
    citizenships: codesOf([...nationalities, ...citizenships], { ...context, properties }),
    countries: sorted(features.countries),
    dates_of_birth: sorted(features.dates),
    first_seen_at: releaseDate,
    flattened_associated_sanctioned: [],
    ftm_id: ftmIdOf(profileId),
    identifiers,
    last_seen_at: releaseDate,
    places_of_birth: sorted(features.placesOfBirth),
    primary_name: names.primary,
    primary_name_folded: foldText(names.primary),
    schema,
    source_lists_hits: [{ added_at: releaseDate, list: sourceId, version: releaseDate }],
  };
  const all = linksOf(links, properties);
  const mapped = { profileId, entity, properties: properties.asAdded(), links: all };
  return { mapped, names };
}

/** Remarks give nicknames that are no names of the file. */
function akasOf(
  { primary, akas }: PartyNames,
  aliases: readonly string[],
  context: { readonly schema: ListEntity['schema']; readonly properties: Properties },
): readonly string[] {
  if (aliases.length === 0) return akas;
  const isPerson = context.schema === 'Person';
  const names = new Set(akas);
  for (const alias of aliases) {
    const name = isPerson ? givenNameFirst(alias) : alias;
    if (!names.has(name)) context.properties.add('weak_aliases', name);
    names.add(name);
  }
  names.delete(primary);
  return distinct(names);
}

function schemaOf(
  profile: XmlRecord,
  { references, note }: PartyContext,
  properties: Properties,
): ListEntity['schema'] {
  const subTypeId = profile.attributes.get('PartySubTypeID') ?? '';
  const subType = references.textOf('PartySubType', subTypeId);
  const typeId = references.attribute('PartySubType', subTypeId, 'PartyTypeID') ?? '';
  const type = references.textOf('PartyType', typeId);
  if (/^vessel/i.test(subType)) return 'Vessel';
  if (/^aircraft/i.test(subType)) return 'Aircraft';
  if (/^individual|^person/i.test(type)) return 'Person';
  if (/^entity|^organi[sz]ation/i.test(type)) return 'Company';
  properties.add('party_type', `${type}: ${subType}`);
  note('unknown-party-type');
  return 'LegalEntity';
}

function externalReference(reference: XmlRecord, references: References): string {
  const links = childrenOf(reference, 'SubLink').map((link) =>
    [childText(link, 'Description'), childText(link, 'DirectURL')].filter(Boolean).join('; '),
  );
  const parts = [
    references.text('ExRefType', reference),
    childText(reference, 'ExRefValue'),
    childOf(reference, 'DirectURL')?.text ?? '',
    childText(reference, 'Comment'),
    ...links.sort(),
  ];
  return parts.filter(Boolean).join('; ');
}

const sorted = (values: ReadonlySet<string>): readonly string[] =>
  values.size === 0 ? NONE : [...values].sort();
