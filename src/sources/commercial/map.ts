/**
 * An entity of a vendor's feed to list format v1. Its members carry the format's own names; `id` is
 * the vendor's. Arrays may be left out, a text may stand for an array of one, and a member that is
 * not known goes to `properties` where it is text, so that a vendor can add fields without a gap.
 */
import type { Association, Category, CountryLookup, ListEntity } from '#domain/lists';
import { foldText } from '#platform/foldText';
import { identifierMap } from '../entityParts.ts';
import { RELATIONS, SCHEMAS } from '../formatWords.ts';
import { Properties } from '../properties.ts';

/** What vendors call the categories. */
const CATEGORIES: Readonly<Record<string, Category>> = {
  ADVERSE_MEDIA: 'SI',
  DI: 'DI',
  DISQUALIFIED: 'DI',
  PEP: 'PEP',
  RCA: 'RCA',
  SAN: 'SAN',
  SANCTION: 'SAN',
  SANCTIONS: 'SAN',
  SI: 'SI',
  SPECIAL_INTEREST: 'SI',
};
const DATE = /^\d{4}(?:-\d{2}(?:-\d{2})?)?(?:\/\d{4}(?:-\d{2}(?:-\d{2})?)?)?$/;
const SEEN = /^\d{4}-\d{2}-\d{2}(?:T[\d:.]{5,15}Z)?$/;
const KNOWN = new Set([
  ...['id', 'op', 'schema', 'primary_name', 'akas', 'dates_of_birth', 'places_of_birth'],
  ...['citizenships', 'countries', 'identifiers', 'categories', 'addresses', 'associations'],
  ...['first_seen_at', 'last_seen_at', 'properties'],
]);

export interface VendorContext {
  readonly sourceId: string;
  readonly releaseDate: string;
  readonly countries: CountryLookup;
  /** Counts what was kept as published. */
  readonly note: (kind: string) => void;
}

type Members = Readonly<Record<string, unknown>>;

/** The entity's id in this list; undefined where the vendor gave it none. */
export function vendorId(members: Members): string | undefined {
  const { id } = members;
  const text = typeof id === 'number' && Number.isSafeInteger(id) ? String(id) : id;
  return typeof text === 'string' && text !== '' ? `cw-${text}` : undefined;
}

/** The reason, where it cannot be read. */
export function mapVendorEntity(members: Members, context: VendorContext): ListEntity | string {
  const ftmId = vendorId(members);
  if (ftmId === undefined) return 'id: expected a text';
  const { primary_name: primaryName } = members;
  if (typeof primaryName !== 'string' || primaryName.trim() === '') {
    return 'primary_name: expected a text';
  }
  const schema = SCHEMAS.find((one) => one === members.schema);
  if (schema === undefined) {
    return `schema: expected one of ${SCHEMAS.join(', ')}`;
  }
  const properties = new Properties();
  const categories = readCategories(members, properties, context);
  // Without one it would count as sanctioned: the vendor has to say what it is.
  if (categories.length === 0) return 'categories: expected at least one that is known';
  const { releaseDate, sourceId } = context;
  const firstSeen = seen(members.first_seen_at) ?? releaseDate;
  const entity: ListEntity = {
    addresses: texts(members.addresses),
    akas: texts(members.akas).filter((name) => name !== primaryName),
    associations: associations(members, context),
    categories,
    citizenships: codes(members, 'citizenships', { context, properties }),
    countries: codes(members, 'countries', { context, properties }),
    dates_of_birth: dates(members, properties, context),
    first_seen_at: firstSeen,
    flattened_associated_sanctioned: [],
    ftm_id: ftmId,
    identifiers: identifiers(members.identifiers),
    last_seen_at: seen(members.last_seen_at) ?? releaseDate,
    places_of_birth: texts(members.places_of_birth),
    primary_name: primaryName,
    primary_name_folded: foldText(primaryName),
    properties: otherMembers(members, properties, context),
    schema,
    source_lists_hits: [{ added_at: firstSeen.slice(0, 10), list: sourceId, version: releaseDate }],
  };
  return entity;
}

function readCategories(
  members: Members,
  properties: Properties,
  { note }: VendorContext,
): Category[] {
  const categories = new Set<Category>();
  for (const text of texts(members.categories)) {
    const key = text.toUpperCase().replaceAll(/[\s-]/g, '_');
    const category = Object.hasOwn(CATEGORIES, key) ? CATEGORIES[key] : undefined;
    if (category) categories.add(category);
    else note('category-unknown');
    if (category !== text) properties.add('categories_as_published', text);
  }
  return [...categories];
}

function associations(members: Members, { note }: VendorContext): Association[] {
  const { associations: items } = members;
  if (!Array.isArray(items)) return [];
  return items.flatMap((item: unknown): Association[] => {
    const { label, strength, target_id, type: stated } = (item ?? {}) as Members;
    const target = vendorId({ id: target_id });
    const type = RELATIONS.find((one) => one === stated);
    if (type === undefined || target === undefined) {
      note('association-unreadable');
      return [];
    }
    const isShare = typeof strength === 'number' && strength > 0 && strength <= 1;
    return [
      {
        label: typeof label === 'string' ? label : type.toLowerCase(),
        strength: isShare ? strength : 0.5,
        target_ftm_id: target,
        type,
      },
    ];
  });
}

function codes(
  members: Members,
  name: 'citizenships' | 'countries',
  { context, properties }: { context: VendorContext; properties: Properties },
): string[] {
  const found = new Set<string>();
  for (const text of texts(members[name])) {
    const code = context.countries(text.length === 2 ? text.toUpperCase() : text);
    if (code !== undefined) found.add(code);
    else {
      context.note('country-unknown');
      properties.add('unknown_countries', text);
    }
  }
  return [...found];
}

function dates(members: Members, properties: Properties, { note }: VendorContext): string[] {
  return texts(members.dates_of_birth).filter((text) => {
    if (DATE.test(text)) return true;
    note('date-unreadable');
    properties.add('unreadable_dates_of_birth', text);
    return false;
  });
}

function identifiers(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  const pairs = Object.entries(value).flatMap(([key, item]) =>
    texts(item).map((text): [string, string] => [key, text]),
  );
  return identifierMap(pairs);
}

function otherMembers(
  members: Members,
  properties: Properties,
  { note }: VendorContext,
): Record<string, readonly string[]> {
  const given = members.properties;
  if (typeof given === 'object' && given !== null) {
    for (const [name, value] of Object.entries(given)) properties.addAll(name, texts(value));
  }
  for (const [name, value] of Object.entries(members)) {
    if (KNOWN.has(name)) continue;
    if (texts(value).length === 0) note('member-unknown');
    properties.addAll(name, texts(value));
  }
  return properties.sorted();
}

/** Distinct texts of an array or of a text; what is neither is none. */
function texts(value: unknown): string[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  const found = items.filter((item): item is string => typeof item === 'string' && item !== '');
  return [...new Set(found)];
}

const seen = (value: unknown): string | undefined =>
  typeof value === 'string' && SEEN.test(value) ? value : undefined;
