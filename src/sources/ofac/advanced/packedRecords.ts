/**
 * Locations and documents as they wait for the parties that name them: without the names of their
 * members, and words that come again and again as numbers. A file has one or two for each party.
 */
import type { OfacFields } from '../layout.ts';
import type { Phrases } from '../packed.ts';
import type { AddressLine } from './locations.ts';

type Word = number | string;
/** Most have no details. */
export type PackedLocation = readonly [
  line: string,
  countries: readonly Word[],
  details?: readonly string[],
];
/** Member and value in turns. */
export type PackedDocument = readonly Word[];

/** Members of a document whose values are few. */
const REPEATED: ReadonlySet<string> = new Set(['idCountry', 'idType']);

export function packLocation(
  { countries, details, line }: AddressLine,
  phrases: Phrases,
): PackedLocation {
  const words = countries.map((country) => phrases.pack(country));
  return details.length === 0 ? [line, words] : [line, words, details];
}

export const unpackLocation = (
  [line, countries, details = []]: PackedLocation,
  phrases: Phrases,
): AddressLine => ({ countries: countries.map((word) => phrases.unpack(word)), details, line });

export const packDocument = (fields: OfacFields, phrases: Phrases): PackedDocument =>
  Object.entries(fields).flatMap(([member, value]) =>
    value === undefined
      ? []
      : [phrases.pack(member), REPEATED.has(member) ? phrases.pack(value) : value],
  );

export function unpackDocument(packed: PackedDocument, phrases: Phrases): OfacFields {
  const fields: Record<string, string> = {};
  for (let at = 0; at < packed.length; at += 2) {
    fields[phrases.unpack(packed[at] ?? '')] = phrases.unpack(packed[at + 1] ?? '');
  }
  return fields;
}
