/**
 * A row of the national list to list format v1.
 *
 * - Every entry is category SAN. It is a person where its name stands under a heading for persons,
 * where it has a date of birth or an identity card, or where the type says so; a body where the
 * heading or the type say that. Without any such statement it is a person, and that is noted: most
 * are, and a search for persons must not miss one.
 * - The id is the reference, where there is such a column. A number in front of a row is only its
 * place, and changes when a row above is removed; then the id is made of the name, birth and
 * papers.
 */
import { sha256Hex } from '#platform/crypto';
import { foldText } from '#platform/foldText';
import type { CountryLookup, ListEntity } from '#slices/lists';
import { identifierMap } from '../entityParts.ts';
import { Properties } from '../properties.ts';
import { splitTrimmed } from '../trimEnds.ts';
import type { Role } from './columns.ts';
import { dateWithin, readDate, westernDigits } from './dates.ts';

export interface RowContext {
  readonly sourceId: string;
  readonly releaseDate: string;
  readonly countries: CountryLookup;
  readonly headings: readonly string[];
  readonly roles: readonly (Role | undefined)[];
  readonly note: (kind: string) => void;
}

const BETWEEN = /[;؛\n|]|\s\/\s/;
const PERSON = /personne physique|individu|person\b|natural|طبيعي|شخص$/iu;
const BODY =
  /morale|entit|soci[eé]t|organi[sz]ation|association|company|legal|معنوي|تنظيم|كيان|جمعية|شركة/iu;
const IDENTIFIERS: Readonly<Partial<Record<string, string>>> = {
  nationalId: 'national_id',
  passport: 'passport',
  registration: 'registration_number',
  taxId: 'tax_id',
};
const NO_NATIONALITY = /^(?:-+|inconnue?|unknown|غير معروفة?)$/iu;
const ID_CHARACTERS = 20;

class Draft {
  readonly akas: string[] = [];
  readonly dates: string[] = [];
  readonly places: string[] = [];
  readonly citizenships: string[] = [];
  readonly addresses: string[] = [];
  readonly identifiers: (readonly [string, string])[] = [];
  readonly properties = new Properties();
  /** By the column of their kind: a table in two scripts has two of each. */
  readonly lastNames: string[] = [];
  readonly firstNames: string[] = [];
  name = '';
  reference = '';
  listedOn: string | undefined;
  isPerson: boolean | undefined;
}

/** The reason, where the row is no entity. */
export function mapRow(cells: readonly string[], context: RowContext): ListEntity | string {
  const draft = new Draft();
  for (const [index, cell] of cells.entries()) {
    const text = cell.trim();
    const heading = context.headings[index] ?? '';
    const role = context.roles[index];
    const nth = context.roles.slice(0, index).filter((other) => other === role).length;
    if (text !== '') take(draft, { heading, nth, role, text }, context);
  }
  takeNameParts(draft);
  const primaryName = draft.name;
  if (!/\p{L}/u.test(primaryName)) return 'a row without a name';
  return toEntity(draft, primaryName, context);
}

interface Cell {
  readonly role: Role | undefined;
  readonly heading: string;
  /** Number among the columns of this role, from 0. */
  readonly nth: number;
  readonly text: string;
}

function take(draft: Draft, cell: Cell, context: RowContext): void {
  const { heading, role, text } = cell;
  const { properties } = draft;
  if (role === undefined) {
    context.note('column-unknown');
    properties.add(foldText(heading).replaceAll(' ', '_') || 'unnamed_column', text);
  } else if (typeof role === 'object') properties.add(role.property, text);
  else if (role === 'rank') return;
  else if (role === 'reference') takeReference(draft, text);
  else if (role === 'type') takeType(draft, text);
  else if (role === 'alias') draft.akas.push(...splitTrimmed(text, BETWEEN));
  else if (role === 'birthDate') takeDates(draft, text, context);
  else if (role === 'birthPlace') draft.places.push(text);
  else if (role === 'birth') takeBirth(draft, text, context);
  else if (role === 'nationality') takeNationalities(draft, text, context);
  else if (role === 'address') draft.addresses.push(...splitTrimmed(text, /[;؛\n|]/));
  else if (role === 'listedOn') {
    const date = readDate(text);
    if (date === undefined) context.note('date-unreadable');
    draft.listedOn ??= date;
    properties.add('listed_on', date ?? text);
  } else if (IDENTIFIERS[role] !== undefined) {
    const key = IDENTIFIERS[role] ?? role;
    for (const part of splitTrimmed(text, BETWEEN))
      draft.identifiers.push([key, westernDigits(part)]);
    if (role === 'nationalId') draft.isPerson ??= true;
  } else takeName(draft, cell);
}

/** The first one is the id. */
function takeReference(draft: Draft, text: string): void {
  if (draft.reference === '') draft.reference = text;
  else draft.properties.add('reference', text);
}

/** Last names and first names in their pairs: the name where no other is given, else aliases. */
function takeNameParts(draft: Draft): void {
  const { akas, firstNames, lastNames, properties } = draft;
  for (let nth = 0; nth < Math.max(firstNames.length, lastNames.length); nth++) {
    const [first = '', last = ''] = [firstNames[nth], lastNames[nth]];
    const name = `${first} ${last}`.trim();
    if (draft.name === '') draft.name = name;
    else if ((first !== '' && last !== '') || nth === 0) akas.push(name);
    else {
      properties.add('first_name', first);
      properties.add('last_name', last);
    }
  }
}

function takeName(draft: Draft, { nth, role, text }: Cell): void {
  if (role === 'lastName' || role === 'firstName') {
    draft[`${role}s`][nth] = text;
    draft.isPerson ??= true;
    return;
  }
  // One cell may hold the name in two scripts, a line each; the first is the name.
  const [first = '', ...others] = splitTrimmed(text, '\n');
  if (draft.name === '') draft.name = first;
  else draft.akas.push(first);
  draft.akas.push(...others);
  if (role === 'personName') draft.isPerson ??= true;
  if (role === 'bodyName') draft.isPerson ??= false;
}

function takeType(draft: Draft, text: string): void {
  draft.properties.add('type', text);
  if (BODY.test(text)) draft.isPerson = false;
  else if (PERSON.test(text)) draft.isPerson = true;
}

function takeDates(draft: Draft, text: string, { note }: RowContext): void {
  for (const part of splitTrimmed(text, BETWEEN)) {
    const date = readDate(part);
    if (date === undefined) {
      note('date-unreadable');
      draft.properties.add('unreadable_dates_of_birth', part);
    } else {
      draft.dates.push(date);
      draft.isPerson ??= true;
    }
  }
}

/** `12/03/1980 à Tunis`. With two dates it is unknown to which one the place belongs. */
function takeBirth(draft: Draft, text: string, context: RowContext): void {
  const found = dateWithin(text);
  if (!found || dateWithin(found.rest)) {
    takeDates(draft, text, context);
    return;
  }
  draft.dates.push(found.date);
  draft.isPerson ??= true;
  const place = found.rest.replace(/^(?:à|a|au|en|in|ب|في)\s+/iu, '');
  if (place !== '') draft.places.push(place);
}

function takeNationalities(draft: Draft, text: string, { countries, note }: RowContext): void {
  for (const part of splitTrimmed(text, /[;,،؛/\n|]|\bet\b/)) {
    if (NO_NATIONALITY.test(part)) continue;
    const code = countries(part) ?? ownCountry(part);
    if (code !== undefined) draft.citizenships.push(code);
    else {
      note('country-unknown');
      draft.properties.add('unknown_countries', part);
    }
  }
}

/** The national list's own nationality, in the languages that the country table does not have. */
const ownCountry = (text: string): string | undefined =>
  /^(?:tunisienn?e?|تونسية?|تونس|tunisie)$/iu.test(text.trim()) ? 'TN' : undefined;

function toEntity(draft: Draft, primaryName: string, context: RowContext): ListEntity {
  const { releaseDate, sourceId } = context;
  if (draft.isPerson === undefined) context.note('type-unknown');
  const firstSeen = draft.listedOn?.length === 10 ? draft.listedOn : releaseDate;
  const akas = [...new Set(draft.akas)].filter((name) => name !== '' && name !== primaryName);
  return {
    addresses: [...new Set(draft.addresses)],
    akas,
    associations: [],
    categories: ['SAN'],
    citizenships: [...new Set(draft.citizenships)],
    countries: [],
    dates_of_birth: [...new Set(draft.dates)],
    first_seen_at: [firstSeen, releaseDate].sort()[0] ?? releaseDate,
    flattened_associated_sanctioned: [],
    ftm_id: `tn-${draft.reference === '' ? digestOf(draft, primaryName) : draft.reference}`,
    identifiers: identifierMap(draft.identifiers),
    last_seen_at: releaseDate,
    places_of_birth: [...new Set(draft.places)],
    primary_name: primaryName,
    primary_name_folded: foldText(primaryName),
    ...draft.properties.takeProgrammes(),
    properties: draft.properties.sorted(),
    schema: draft.isPerson === false ? 'LegalEntity' : 'Person',
    source_lists_hits: [{ added_at: firstSeen, list: sourceId, version: releaseDate }],
  };
}

function digestOf(draft: Draft, primaryName: string): string {
  const parts = [foldText(primaryName), ...draft.dates, ...draft.identifiers.flat()];
  return sha256Hex(parts.join('\u0000')).slice(0, ID_CHARACTERS);
}
