/**
 * Features: everything that is said of a party beyond its names, from its birth to its tonnage. The
 * type's name decides what becomes of one; a type that no line below knows is kept as a property
 * under its own name.
 */
import type { CountryLookup } from '#slices/lists';
import type { Properties } from '../../properties.ts';
import { childOf, childrenOf, childText, type XmlRecord } from '../../recordBuilder.ts';
import { codesOf } from '../countryCodes.ts';
import { addFact, FLAG_PROPERTIES, factOf, propertyName } from '../facts.ts';
import type { OfacFields } from '../layout.ts';
import { memoizedByName } from '../memoizeByName.ts';
import { readPeriod } from './datePeriod.ts';
import { type AddressLine, placeOf } from './locations.ts';
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
  /** Names of countries, as published. */
  readonly citizenships: Set<string>;
  readonly nationalities: Set<string>;
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

type Part = 'dates' | 'details' | 'locations';

/** What to do with a version, and which parts of it that uses: the others are kept as they are. */
interface Rule {
  readonly takes: readonly Part[];
  readonly take: (version: Version, features: PartyFeatures, context: FeatureContext) => void;
}

const IDENTIFIERS = new RegExp(
  '^(?:digital currency|swift|bic\\b|bik\\b|d-u-n-s|micex|isin|mmsi|maritime mobile|' +
    'vessel maritime|(?:previous )?aircraft tail|aircraft (?:construction|mode s)|' +
    'aircraft.*serial)',
  'i',
);

const WHERE: readonly Part[] = ['details', 'locations'];
const KEPT: Rule = { takes: ['dates', 'details', 'locations'], take: keep };
const FLAG: Rule = { takes: WHERE, take: flag };

const RULES: readonly (readonly [RegExp, Rule])[] = [
  [/^birth ?date|^date of birth/i, { takes: ['dates'], take: dateOfBirth }],
  [/^place of birth/i, { takes: WHERE, take: placeOfBirth }],
  [/^nationality country|^nationality$/i, { takes: WHERE, take: addTo('nationalities') }],
  [/^citizenship/i, { takes: WHERE, take: addTo('citizenships') }],
  [/^location|^address/i, { takes: WHERE, take: address }],
  [/flag$/i, FLAG],
  [IDENTIFIERS, { takes: ['details'], take: identifier }],
];

const ruleOf = memoizedByName((type: string): Rule => {
  const rule = RULES.find(([pattern]) => pattern.test(type))?.[1];
  return rule ?? (FLAG_PROPERTIES.includes(factOf(type)) ? FLAG : KEPT);
});

export function readFeatures(profile: XmlRecord, context: FeatureContext): PartyFeatures {
  const features: PartyFeatures = {
    addresses: new Set(),
    citizenships: new Set(),
    countries: new Set(),
    dates: new Set(),
    nationalities: new Set(),
    placesOfBirth: new Set(),
    ids: [],
  };
  for (const feature of childrenOf(profile, 'Feature')) {
    const type = context.references.text('FeatureType', feature);
    const rule = ruleOf(type);
    for (const record of childrenOf(feature, 'FeatureVersion')) {
      const version = readVersion(type, record, context);
      rule.take(version, features, context);
      keepRest(version, rule, context);
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
    const { date, text } = readDates(period, context.references);
    if (date === undefined) {
      context.note('date-unreadable');
      context.properties.add('unreadable_dates_of_birth', text);
      continue;
    }
    features.dates.add(date);
    if (text !== date) context.properties.add('dates_of_birth_as_published', text);
  }
}

/**
 * The dates in the text's form. Undefined where the format has no such date; the text says `circa`,
 * or what was written.
 */
function readDates(period: XmlRecord, references: References): { date?: string; text: string } {
  const calendar = references.text('CalendarType', period);
  const read = /^(?:gregorian|\?|$)/i.test(calendar) ? readPeriod(period) : undefined;
  if (!read) return { text: asWritten(period, calendar) };
  return { date: read.date, text: read.isApproximate ? `circa ${read.date}` : read.date };
}

/** `1380-2-30 Hijri`; '' where there is no date at all. */
function asWritten(period: XmlRecord, calendar: string): string {
  const points = ['Start', 'End'].flatMap((boundary) =>
    ['From', 'To'].map((point) => childOf(childOf(period, boundary), point)),
  );
  const days = points.flatMap((point) =>
    point ? ['Year', 'Month', 'Day'].map((part) => childText(point, part)).join('-') : [],
  );
  return days.length === 0 ? '' : `${[...new Set(days)].join('/')} ${calendar}`.trim();
}

function placeOfBirth(version: Version, features: PartyFeatures): void {
  for (const detail of version.details) features.placesOfBirth.add(detail);
  for (const location of version.locations) {
    const place = placeOf(location);
    if (place !== '') features.placesOfBirth.add(place);
  }
}

/** The format has one field for both; which it was stays in properties. */
function addTo(field: 'nationalities' | 'citizenships'): Rule['take'] {
  return (version, features) => {
    for (const name of countriesOf(version)) features[field].add(name);
  };
}

function address(version: Version, features: PartyFeatures, context: FeatureContext): void {
  for (const location of version.locations) {
    const line = placeOf(location);
    if (line !== '') features.addresses.add(line);
    for (const code of codesOf(location.countries, context)) features.countries.add(code);
  }
  for (const detail of version.details) context.properties.add('address_details', detail);
}

function flag(version: Version, features: PartyFeatures, context: FeatureContext): void {
  const names = countriesOf(version);
  const property = factOf(version.type) || propertyName(version.type);
  for (const name of names) context.properties.add(property, name);
  for (const code of codesOf(names, context)) features.countries.add(code);
}

function identifier(version: Version, features: PartyFeatures): void {
  for (const idNumber of version.details) features.ids.push({ idType: version.type, idNumber });
}

function keep(version: Version, _features: PartyFeatures, context: FeatureContext): void {
  const { type, details, locations } = version;
  const values = [...details, ...datesOf(version, context), ...locations.map(placeOf)];
  const property = factOf(type) || propertyName(type);
  const { properties } = context;
  const bare = type.replace(/:$/, '').trim();
  for (const value of values) addFact(properties, property, { type: bare, value });
  if (values.length === 0) properties.add(property, type);
}

/**
 * Keeps the parts that the rule of its type does not use, and the statements about the version
 * itself.
 */
function keepRest(version: Version, { takes }: Rule, context: FeatureContext): void {
  const { type, record, details, locations } = version;
  const { references, properties } = context;
  for (const location of locations) properties.addAll('address_details', location.details);
  const rest = [
    ...(takes.includes('details') ? [] : details),
    ...(takes.includes('dates') ? [] : datesOf(version, context)),
    ...(takes.includes('locations') ? [] : locations.map(placeOf)),
  ];
  for (const value of rest) properties.add('feature_details', `${type}: ${value}`);
  const text = childText(record, 'Comment');
  if (text !== '') properties.add('feature_comments', `${type}: ${text}`);
  const reliability = references.text('Reliability', record);
  if (reliability === '' || /^(?:unknown|high|confirmed)/i.test(reliability)) return;
  properties.add('feature_reliability', `${type}: ${reliability}`);
}

function datesOf({ record }: Version, { references }: FeatureContext): string[] {
  const periods = childrenOf(record, 'DatePeriod');
  return periods.map((period) => readDates(period, references).text).filter(Boolean);
}

/** A place that names no country is kept with the countries that are not known. */
const countriesOf = (version: Version): string[] => [
  ...version.locations.flatMap((location) =>
    location.countries.length === 0 ? [placeOf(location)] : location.countries,
  ),
  ...version.details,
];
