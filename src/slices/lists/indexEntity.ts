/**
 * A list entity as the engine takes it, from its line. The engine's side is IndexEntity of
 * src/engine/ports.ts; the two fit structurally, so neither imports the other.
 *
 * The line is taken apart, not parsed: an index needs a quarter of it, and a screening returns the
 * line's own text. Marks are found as in entityLine.ts, and for the same reason no value can be
 * mistaken for a member; test/slices/lists/indexEntity.test.ts compares this with a parser.
 */
import type { Category, ListEntity } from './entity.ts';
import { found, notALine } from './entityLine.ts';

/** Bits of `categories`, the engine's CATEGORY_BIT. */
const CATEGORY_BIT: Readonly<Record<Category, number>> = { SAN: 1, PEP: 2, RCA: 4, SI: 8, DI: 16 };

const INDEX_SCHEMA: Readonly<Record<ListEntity['schema'], IndexableEntity['schema']>> = {
  Person: 'Person',
  Company: 'Company',
  Organization: 'Company',
  LegalEntity: 'Company',
  Vessel: 'Other',
  Aircraft: 'Other',
  Position: 'Other',
};

export interface IndexableEntity {
  readonly id: string;
  readonly schema: 'Person' | 'Company' | 'Other';
  /** The primary name first; weak aliases and native scripts alike. */
  readonly names: readonly string[];
  readonly datesOfBirth: readonly string[];
  readonly nationalities: readonly string[];
  readonly gender?: 'f' | 'm';
  /** Numbers as published, whatever they are of. */
  readonly identifiers?: readonly string[];
  /** Those of them whose kind is a BIC. */
  readonly bics?: readonly string[];
  readonly categories: number;
  /** JCS of what a screening returns of the entity, beside the scores. */
  readonly card: string;
}

/** Reads a line of list format v1. Throws DomainError `list-damaged` for any other text. */
export function toIndexEntity(line: Buffer): IndexableEntity {
  const text = line.toString();
  const walk = new Walk(text);
  walk.to('],"akas":[');
  const akas = stringsOf(walk.to('],"associations":['));
  walk.to('],"categories":[');
  const categories = walk.to('],"citizenships":[');
  const citizenships = stringsOf(walk.to('],"countries":['));
  const countries = stringsOf(walk.to('],"dates_of_birth":['));
  const datesOfBirth = stringsOf(walk.to('],"first_seen_at":"'));
  walk.to('","flattened_associated_sanctioned":[');
  const paths = walk.to('],"ftm_id":"');
  const id = walk.to('","identifiers":{');
  const numbers = membersOf(walk.to('},"last_seen_at":"'));
  const bics = numbers.flatMap(([kind, number]) => (BIC_KIND.test(kind) ? [number] : []));
  walk.to('","places_of_birth":[');
  walk.to('],"primary_name":"');
  const name = walk.to('","primary_name_folded":"');
  const { hits, schema } = endOf(text, walk.place);
  return {
    id: stringOf(id),
    schema: INDEX_SCHEMA[schema as ListEntity['schema']],
    names: distinct([stringOf(name), ...akas]),
    datesOfBirth,
    // A person has citizenships; a body or a vessel has the countries that it belongs to.
    nationalities: schema === 'Person' ? citizenships : distinct([...citizenships, ...countries]),
    ...genderOf(text, walk.place),
    ...(numbers.length > 0 && { identifiers: numbers.map(([, number]) => number) }),
    ...(bics.length > 0 && { bics }),
    categories: bitsOf(categories),
    card:
      `{"categories":[${categories}],"flattened_associated_sanctioned":[${paths}]` +
      `,"ftm_id":"${id}","primary_name":"${name}","schema":"${schema}"` +
      `,"source_lists_hits":[${hits}]}`,
  };
}

/** Goes through a text from mark to mark. */
class Walk {
  readonly #text: string;
  place = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The text before the next such mark; continues after it. */
  to(mark: string): string {
    const start = this.place;
    const end = found(this.#text.indexOf(mark, start));
    this.place = end + mark.length;
    return this.#text.slice(start, end);
  }
}

const SCHEMA = '"schema":"';
const HITS = '","source_lists_hits":[';
const END = ']}';

/**
 * Reads the line's end, searched backwards: `properties`, the longest part, stands before it and is
 * not needed.
 */
function endOf(text: string, from: number): { readonly schema: string; readonly hits: string } {
  const hitsAt = found(text.lastIndexOf(HITS));
  const schemaAt = found(text.lastIndexOf(SCHEMA, hitsAt));
  if (schemaAt < from || !text.endsWith(END)) throw notALine();
  return {
    hits: text.slice(hitsAt + HITS.length, -END.length),
    schema: text.slice(schemaAt + SCHEMA.length, hitsAt),
  };
}

/** `SWIFT/BIC` and `SWIFT/BIC (2)` of OFAC and the EU, `swift_bic` of FtM. */
const BIC_KIND = /^(?:swift|bic\b)/i;
const NO_MEMBERS: readonly (readonly [string, string])[] = [];

/** Keys and values of an object of strings, from the text between its braces. */
function membersOf(members: string): readonly (readonly [string, string])[] {
  if (members === '') return NO_MEMBERS;
  return Object.entries(JSON.parse(`{${members}}`) as Record<string, string>);
}

const GENDER = '"gender":[';

/** The gender among the properties, from `from` on; none where the publisher gives both. */
function genderOf(text: string, from: number): Pick<IndexableEntity, 'gender'> {
  const at = text.indexOf(GENDER, from);
  if (at < 0) return {};
  const given = arrayAt(text, at + GENDER.length);
  const genders = new Set(stringsOf(given).map((gender) => gender.charAt(0).toLowerCase()));
  const [gender] = genders;
  return genders.size === 1 && (gender === 'f' || gender === 'm') ? { gender } : {};
}

/** The text up to the bracket that ends an array of strings. */
function arrayAt(text: string, start: number): string {
  let isInside = false;
  let at = start;
  for (; at < text.length; at++) {
    const char = text.charAt(at);
    if (isInside && char === '\\') at += 1;
    else if (char === '"') isInside = !isInside;
    else if (char === ']' && !isInside) break;
  }
  return text.slice(start, at);
}

/** The string whose text between quotes this is. */
const stringOf = (text: string): string =>
  text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;

const NONE: readonly string[] = [];

/**
 * The strings in a text between brackets. Without an escape every quote begins or ends a string.
 */
function stringsOf(text: string): readonly string[] {
  if (text === '') return NONE;
  if (text.includes('\\')) return JSON.parse(`[${text}]`) as readonly string[];
  return text.slice(1, -1).split('","');
}

const distinct = (texts: readonly string[]): readonly string[] =>
  texts.length < 2 ? texts : [...new Set(texts)];

const bitsOf = (categories: string): number =>
  (stringsOf(categories) as readonly Category[]).reduce(
    (bits, category) => bits | CATEGORY_BIT[category],
    0,
  );
