/**
 * An entity of a vendor's feed to list format v1. Its members have the format's own names; `id` is
 * the vendor's. Arrays may be left out, a value may stand for an array of one, and an unknown
 * member goes to `properties`, so a vendor can add fields without a loss. Values are sorted: the
 * order of a vendor's arrays means nothing.
 */
import { canonicalJson } from '#platform/canonicalJson';
import { foldText } from '#platform/foldText';
import type { Association, Category, CountryLookup, ListEntity } from '#slices/lists';
import { compare, distinct, identifierMap } from '../entityParts.ts';
import { CATEGORIES as IN_ORDER, RELATIONS, SCHEMAS } from '../formatWords.ts';
import { isObject } from '../isObject.ts';
import { dateRange, isoPartialDate } from '../partialDates.ts';
import { PROGRAMMES } from '../properties.ts';
import type { Members } from './record.ts';
import { itemsOf, VendorValues } from './values.ts';

/** Names that vendors give to the categories. */
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
const SEEN = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?Z)?$/;
const ASSOCIATION = new Set(['label', 'strength', 'target_id', 'type']);
const KNOWN = new Set([
  ...['id', 'op', 'schema', 'primary_name', 'akas', 'dates_of_birth', 'places_of_birth'],
  ...['citizenships', 'countries', 'identifiers', 'categories', 'addresses', 'associations'],
  ...['first_seen_at', 'last_seen_at', 'programmes', 'properties'],
]);

export interface VendorContext {
  readonly sourceId: string;
  readonly releaseDate: string;
  readonly countries: CountryLookup;
  /** Counts what was kept as published. */
  readonly note: (kind: string) => void;
}

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
  const values = new VendorValues(members, context.note);
  const categories = readCategories(values, context);
  // Without a category the entity would count as sanctioned, so the vendor has to state one.
  if (categories.length === 0) return 'categories: expected at least one that is known';
  const { releaseDate, sourceId } = context;
  keepOtherMembers(values, members);
  values.properties.addAll(PROGRAMMES, values.texts('programmes'));
  const firstSeen = seen(values, members, 'first_seen_at') ?? releaseDate;
  return {
    addresses: values.texts('addresses'),
    akas: values.texts('akas', 'name-unreadable').filter((name) => name !== primaryName),
    associations: associations(values, context),
    categories,
    citizenships: codes(values, 'citizenships', context),
    countries: codes(values, 'countries', context),
    dates_of_birth: dates(values),
    first_seen_at: firstSeen,
    flattened_associated_sanctioned: [],
    ftm_id: ftmId,
    identifiers: identifierMap(values.pairs('identifiers')),
    last_seen_at: seen(values, members, 'last_seen_at') ?? releaseDate,
    places_of_birth: values.texts('places_of_birth'),
    primary_name: primaryName,
    primary_name_folded: foldText(primaryName),
    ...values.properties.takeProgrammes(),
    properties: values.properties.sorted(),
    schema,
    source_lists_hits: [{ added_at: firstSeen.slice(0, 10), list: sourceId, version: releaseDate }],
  };
}

function readCategories(values: VendorValues, { note }: VendorContext): Category[] {
  const categories = new Set<Category>();
  for (const text of values.texts('categories')) {
    const key = text.toUpperCase().replaceAll(/[\s-]/g, '_');
    const category = Object.hasOwn(CATEGORIES, key) ? CATEGORIES[key] : undefined;
    if (category) categories.add(category);
    else note('category-unknown');
    if (category !== text) values.properties.add('categories_as_published', text);
  }
  return IN_ORDER.filter((category) => categories.has(category));
}

function associations(values: VendorValues, { note }: VendorContext): Association[] {
  const found = new Map<string, Association>();
  for (const item of values.objects('associations', 'association-unreadable')) {
    const { label, strength, target_id, type: stated } = item;
    const target = vendorId({ id: target_id });
    const type = RELATIONS.find((one) => one === stated);
    const isShare = typeof strength === 'number' && strength > 0 && strength <= 1;
    const isLabel = typeof label === 'string';
    const isWhole = (isShare || strength == null) && (isLabel || label == null);
    if (type === undefined || target === undefined || !isWhole) {
      values.keepUnreadable('associations', item, 'association-unreadable');
    }
    if (type === undefined || target === undefined) continue;
    const association = {
      label: isLabel ? label : type.toLowerCase(),
      strength: isShare ? strength : 0.5,
      target_ftm_id: target,
      type,
    };
    found.set(canonicalJson(association), association);
    if (Object.keys(item).some((name) => !ASSOCIATION.has(name))) {
      note('member-unknown');
      values.properties.add('association_details', canonicalJson(item));
    }
  }
  return [...found].sort(([a], [b]) => compare(a, b)).map(([, association]) => association);
}

function codes(
  values: VendorValues,
  name: 'citizenships' | 'countries',
  { countries, note }: VendorContext,
): string[] {
  const found: string[] = [];
  for (const text of values.texts(name)) {
    const code = countries(text.length === 2 ? text.toUpperCase() : text);
    if (code !== undefined) found.push(code);
    else {
      note('country-unknown');
      values.properties.add('unknown_countries', text);
    }
  }
  return distinct(found);
}

function dates(values: VendorValues): string[] {
  const found: string[] = [];
  for (const text of values.scalars('dates_of_birth')) {
    const date = DATE.test(text) ? readDate(text) : undefined;
    if (date !== undefined) found.push(date);
    else values.keepUnreadable('dates_of_birth', text, 'date-unreadable');
  }
  return distinct(found);
}

/** Undefined for a day that is none, and for a range of which the end comes first. */
function readDate(text: string): string | undefined {
  const [from = '', to] = text.split('/');
  if (to === undefined) return isoPartialDate(from);
  return dateRange(isoPartialDate(from), isoPartialDate(to));
}

function keepOtherMembers(values: VendorValues, members: Members): void {
  const { properties: given } = members;
  if (isObject(given)) {
    for (const [name, value] of Object.entries(given)) values.keep(name, value);
  } else for (const item of itemsOf(given)) values.keepUnreadable('properties', item);
  for (const [name, value] of Object.entries(members)) {
    if (!KNOWN.has(name)) values.keep(name, value, 'member-unknown');
  }
}

function seen(
  values: VendorValues,
  members: Members,
  name: 'first_seen_at' | 'last_seen_at',
): string | undefined {
  let found: string | undefined;
  for (const item of itemsOf(members[name])) {
    const day = typeof item === 'string' ? SEEN.exec(item)?.[1] : undefined;
    const isTime = day !== undefined && !Number.isNaN(Date.parse(String(item)));
    if (isTime && isoPartialDate(day) !== undefined) found ??= String(item);
    else values.keepUnreadable(name, item, 'date-unreadable');
  }
  return found;
}
