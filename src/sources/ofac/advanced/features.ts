/**
 * Features: everything that is said of a party beyond its names, from its birth to its tonnage. The
 * type's name decides what becomes of one; a type that no line below knows is kept as a property
 * under its own name.
 */
import type { CountryLookup } from '#domain/lists';
import { foldText } from '#platform/foldText';
import type { Properties } from '../../properties.ts';
import { childOf, childrenOf, childText, type XmlRecord } from '../../xml/index.ts';
import { codesOf } from '../countryCodes.ts';
import type { OfacFields } from '../layout.ts';
import { readPeriod } from './datePeriod.ts';
import type { AddressLine } from './locations.ts';
import type { References } from './references.ts';

export interface FeatureContext {
  readonly references: References;
  readonly lookup: CountryLookup;
  readonly location: (id: string) => AddressLine | undefined;
  readonly note: (kind: string) => void;
  readonly properties: Properties;
}

export interface PartyFeatures {
  readonly addresses: Set<string>;
  readonly citizenships: Set<string>;
  readonly countries: Set<string>;
  readonly dates: Set<string>;
  readonly placesOfBirth: Set<string>;
  readonly ids: OfacFields[];
}

/** One version of one feature. */
interface Version {
  readonly type: string;
  readonly record: XmlRecord;
  /** Texts, and the meanings of references. */
  readonly details: readonly string[];
  readonly locations: readonly AddressLine[];
}

type Rule = (version: Version, features: PartyFeatures, context: FeatureContext) => void;

const IDENTIFIERS = beginsWith(
  'digital currency|swift|bic\\b|bik\\b|d-u-n-s|micex|isin|mmsi|maritime mobile|vessel maritime',
  'aircraft tail|aircraft.*serial|aircraft construction',
);

const RULES: readonly (readonly [RegExp, Rule])[] = [
  [/^birth ?date|^date of birth/i, dateOfBirth],
  [/^place of birth/i, placeOfBirth],
  [
    /^nationality country|^nationality$/i,
    (version, features, context) => citizenship('nationality', version, features, context),
  ],
  [
    /^citizenship/i,
    (version, features, context) => citizenship('citizenship', version, features, context),
  ],
  [/^location|^address/i, address],
  [/flag$|^nationality of registration/i, flag],
  [IDENTIFIERS, identifier],
];

/** Types whose property has another name than the type: that of OFAC's other layout. */
const PROPERTIES: readonly (readonly [RegExp, string])[] = [
  [/^vessel call ?sign/i, 'call_sign'],
  [/^vessel tonnage/i, 'tonnage'],
  [/^vessel gross/i, 'gross_registered_tonnage'],
  [/^website/i, 'websites'],
  [/^e-?mail/i, 'emails'],
  [/^(?:phone|telephone|fax)/i, 'phones'],
  [/^organization established/i, 'established'],
  [/^(?:organization|target) type/i, 'organization_type'],
];
const DETAILS = beginsWith(
  'additional sanctions|secondary sanctions|ifca|executive order|caatsa|issuer|equity',
  'transactions prohibited|listing date|effective date|purchase',
);

export function readFeatures(profile: XmlRecord, context: FeatureContext): PartyFeatures {
  const features: PartyFeatures = {
    addresses: new Set(),
    citizenships: new Set(),
    countries: new Set(),
    dates: new Set(),
    placesOfBirth: new Set(),
    ids: [],
  };
  for (const feature of childrenOf(profile, 'Feature')) {
    const type = context.references.text('FeatureType', feature);
    const rule = RULES.find(([pattern]) => pattern.test(type))?.[1] ?? keep;
    for (const record of childrenOf(feature, 'FeatureVersion')) {
      const version = readVersion(type, record, context);
      rule(version, features, context);
      comment(version, context);
    }
  }
  return features;
}

function readVersion(type: string, record: XmlRecord, context: FeatureContext): Version {
  const details = childrenOf(record, 'VersionDetail').flatMap((detail) => {
    const referred = context.references.text('DetailReference', detail);
    return [detail.text, referred].filter(Boolean);
  });
  const locations = childrenOf(record, 'VersionLocation').flatMap((item) => {
    const location = context.location(item.attributes.get('LocationID') ?? '');
    if (!location) context.note('location-missing');
    return location ?? [];
  });
  return { type, record, details, locations };
}

function dateOfBirth({ record }: Version, features: PartyFeatures, context: FeatureContext): void {
  for (const period of childrenOf(record, 'DatePeriod')) {
    const calendar = context.references.text('CalendarType', period);
    const read = /^(?:gregorian|\?|$)/i.test(calendar) ? readPeriod(period) : undefined;
    if (!read) {
      context.note('date-unreadable');
      context.properties.add('unreadable_dates_of_birth', asWritten(period, calendar));
      continue;
    }
    features.dates.add(read.date);
    if (!read.isApproximate) continue;
    context.properties.add('dates_of_birth_as_published', `circa ${read.date}`);
  }
}

/** `1380-2-30 Hijri`. */
function asWritten(period: XmlRecord, calendar: string): string {
  const points = ['Start', 'End'].flatMap((boundary) =>
    ['From', 'To'].map((point) => childOf(childOf(period, boundary), point)),
  );
  const days = points.flatMap((point) =>
    point ? ['Year', 'Month', 'Day'].map((part) => childText(point, part)).join('-') : [],
  );
  return [[...new Set(days)].join('/'), calendar].join(' ').trim();
}

function placeOfBirth(version: Version, features: PartyFeatures): void {
  for (const detail of version.details) features.placesOfBirth.add(detail);
  for (const { line, countries } of version.locations) {
    const place = line === '' ? countries.join(', ') : line;
    if (place !== '') features.placesOfBirth.add(place);
  }
}

/** The format has one field for both; which it was stays in properties. */
function citizenship(
  property: 'nationality' | 'citizenship',
  version: Version,
  features: PartyFeatures,
  context: FeatureContext,
): void {
  const names = countriesOf(version);
  for (const name of names) context.properties.add(property, name);
  for (const code of codesOf(names, context)) features.citizenships.add(code);
}

function address(version: Version, features: PartyFeatures, context: FeatureContext): void {
  for (const { line, countries, details } of version.locations) {
    const text = line === '' ? countries.join(', ') : line;
    if (text !== '') features.addresses.add(text);
    for (const detail of details) context.properties.add('address_details', detail);
    for (const code of codesOf(countries, context)) features.countries.add(code);
  }
  for (const detail of version.details) context.properties.add('address_details', detail);
}

function flag(version: Version, features: PartyFeatures, context: FeatureContext): void {
  const names = countriesOf(version);
  const property = snakeCase(version.type);
  for (const name of names) context.properties.add(property, name);
  for (const code of codesOf(names, context)) features.countries.add(code);
}

function identifier(version: Version, features: PartyFeatures): void {
  for (const idNumber of version.details) features.ids.push({ idType: version.type, idNumber });
}

function keep(version: Version, _features: PartyFeatures, { properties }: FeatureContext): void {
  const { type } = version;
  const dates = childrenOf(version.record, 'DatePeriod').map((period) => readPeriod(period)?.date);
  const places = version.locations.map(({ line, countries }) => line || countries.join(', '));
  const values = [...version.details, ...dates, ...places];
  const isDetail = DETAILS.test(type);
  const known = PROPERTIES.find(([pattern]) => pattern.test(type))?.[1];
  const property = isDetail ? 'sanction_details' : (known ?? snakeCase(type));
  for (const value of values) {
    if (value === undefined) continue;
    properties.add(property, isDetail ? `${type.replace(/:$/, '')}: ${value}` : value);
  }
  if (values.length === 0) properties.add(property, type);
}

function comment({ type, record }: Version, { references, properties }: FeatureContext): void {
  const text = childText(record, 'Comment');
  if (text !== '') properties.add('feature_comments', `${type}: ${text}`);
  const reliability = references.text('Reliability', record);
  if (reliability === '' || /^(?:unknown|high|confirmed)/i.test(reliability)) return;
  properties.add('feature_reliability', `${type}: ${reliability}`);
}

const countriesOf = (version: Version): string[] => [
  ...version.locations.flatMap((location) => location.countries),
  ...version.details,
];

function beginsWith(...beginnings: readonly string[]): RegExp {
  return new RegExp(`^(?:${beginnings.join('|')})`, 'i');
}

const snakeCase = (type: string): string => foldText(type).replaceAll(' ', '_') || 'feature';
