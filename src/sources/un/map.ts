/**
 * Records of the Security Council to list format v1.
 *
 * - The id is the permanent reference number, `un-QDi.001`. It outlives a record's DATAID (a body
 * that was listed anew in 2018 and 2025 kept its number and got another DATAID), and the remarks of
 * this list and of others name subjects by it.
 * - Names are the published parts in their order. The original script, and text after a semicolon
 * or in parentheses in another script, are names like any other. Aliases of quality `Low` are
 * listed again in `properties.weak_aliases`.
 * - A date of birth that comes with an alias is one of the person's.
 */
import type { DomainError } from '#core/kernel';
import { documentNumbers, identifierType } from '../documentNumbers.ts';
import type { EntityDraft, ListDraft } from '../listDraft.ts';
import { birthDate, dateRange, isoPartialDate, partialDate, wordedDate } from '../partialDates.ts';
import { PROGRAMMES } from '../properties.ts';
import { namesInNote, namesOf } from '../publishedNames.ts';
import { trimEnd } from '../trimEnds.ts';
import type { XmlRecord } from '../xmlRecords.ts';

const NAME_PARTS = ['FIRST_NAME', 'SECOND_NAME', 'THIRD_NAME', 'FOURTH_NAME'];
/** The Council may change its numbering one day: every text that can be an id is accepted. */
const ID = /^[A-Za-z\d][A-Za-z\d.-]{0,31}$/;
/** In a number: `Qatari passport number 592667`, `00016161 (Yemen)`. */
const WORD = /\p{L}{3} |\p{Ll}{2}|\(|\bN[Oo]\.? ?\d/u;

/** Adds the record to the list; throws what `damage` makes of a record that is none. */
export function mapUnRecord(
  record: XmlRecord,
  list: ListDraft,
  damage: (what: string) => DomainError,
): void {
  const reference = record.text('REFERENCE_NUMBER');
  const id = reference === undefined ? (record.text('DATAID') ?? '') : trimEnd(reference, '.');
  if (!ID.test(id)) throw damage('REFERENCE_NUMBER: expected one such as QDi.001');
  if (list.find(`un-${id}`)) throw damage(`${id} came before`);
  const draft = list.entity(`un-${id}`);
  if (reference !== undefined) list.addReference(draft, id);
  draft.schema = record.name === 'INDIVIDUAL' ? 'Person' : 'Organization';
  addNames(record, draft);
  for (const alias of record.all(`${record.name}_ALIAS`)) addAlias(alias, draft);
  if (draft.primaryName === '') draft.primaryName = [...draft.akas].sort()[0] ?? '';
  if (draft.primaryName === '') throw damage(`${id} has no name`);
  for (const value of record.inner('NATIONALITY', 'VALUE')) draft.addCitizenships(value.value);
  for (const birth of record.all('INDIVIDUAL_DATE_OF_BIRTH')) addBirth(birth, draft);
  for (const place of record.all('INDIVIDUAL_PLACE_OF_BIRTH')) addPlace(place, draft);
  for (const document of record.all('INDIVIDUAL_DOCUMENT')) addDocument(document, draft);
  for (const address of record.all(`${record.name}_ADDRESS`)) addAddress(address, draft);
  addFacts(record, draft);
  draft.addUnknown(record.left());
}

function addNames(record: XmlRecord, draft: EntityDraft): void {
  const parts = NAME_PARTS.map((part) => record.text(part)).filter((text) => text !== 'na');
  draft.primaryName = parts.filter((part) => part !== undefined).join(' ');
  for (const name of namesOf(draft.primaryName)) draft.akas.add(name);
  for (const script of record.texts('NAME_ORIGINAL_SCRIPT')) {
    for (const name of namesOf(script)) draft.akas.add(name);
    draft.properties.add('name_original_script', script);
  }
}

function addAlias(alias: XmlRecord, draft: EntityDraft): void {
  const quality = alias.text('QUALITY');
  const note = alias.text('NOTE');
  const born = alias.text('DATE_OF_BIRTH');
  const place = [alias.text('CITY_OF_BIRTH'), alias.text('COUNTRY_OF_BIRTH')];
  const published = alias.text('ALIAS_NAME');
  const names = [...(published ? namesOf(published) : []), ...(note ? namesInNote(note) : [])];
  for (const name of names) {
    draft.akas.add(name);
    if (quality === 'Low') draft.properties.add('weak_aliases', name);
    if (quality === 'f.k.a.' || /(?:previously|formerly) listed/i.test(note ?? '')) {
      draft.properties.add('former_names', name);
    }
  }
  if (published && names.length > 1) draft.properties.add('aliases_as_published', published);
  if (born) {
    const { date, isAbout } = birthDate(born);
    draft.addDate(date, born, isAbout);
  }
  draft.addPlace(...place);
  const details = [born && `born ${born}`, ...place, note].filter(Boolean);
  if (details.length > 0) {
    draft.properties.add('alias_details', [published ?? '', ...details].join('; '));
  }
}

function addBirth(birth: XmlRecord, draft: EntityDraft): void {
  const type = birth.text('TYPE_OF_DATE');
  const note = birth.text('NOTE');
  const day = birth.text('DATE');
  const year = birth.text('YEAR');
  const [from, to] = [birth.text('FROM_YEAR'), birth.text('TO_YEAR')];
  const stated = statedDates({ day, year, from, to, note });
  for (const { date, text, isAbout } of stated) {
    const published = [type === 'EXACT' ? undefined : type, text, text === note ? undefined : note];
    const parts = published.filter((part) => part !== undefined);
    draft.addDate(date, parts.join(' '), isAbout || type !== 'EXACT' || note !== undefined);
  }
}

interface BirthParts {
  readonly day: string | undefined;
  readonly year: string | undefined;
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly note: string | undefined;
}

interface StatedDate {
  readonly date: string | undefined;
  readonly text: string;
  readonly isAbout?: boolean;
}

/**
 * The dates of a birth; usually one. A year beside a day is noted if it differs, or if the day
 * cannot be read.
 */
function statedDates({ day, year, from, to, note }: BirthParts): StatedDate[] {
  const stated: StatedDate[] = [];
  if (day !== undefined) stated.push({ ...birthDate(day), text: day });
  if (year !== undefined && !stated[0]?.date?.startsWith(year)) {
    const date = wordedDate(`${note ?? ''} ${year}`) ?? isoPartialDate(year);
    stated.push({ date, text: year });
  }
  if (from !== undefined && to !== undefined) {
    stated.push({
      date: dateRange(isoPartialDate(from), isoPartialDate(to)),
      text: `${from} ${to}`,
    });
  } else if (from !== undefined) stated.push({ date: undefined, text: `from ${from}` });
  else if (to !== undefined) stated.push({ date: undefined, text: `to ${to}` });
  if (stated.length > 0 || note === undefined) return stated;
  return [{ date: wordedDate(note) ?? wholeYear(note), text: note }];
}

/** `Between Aug. and Sep. 1977`: of a note in words the year is sure. */
function wholeYear(note: string): string | undefined {
  const years = note.match(/\b(?:19|20)\d{2}\b/g) ?? [];
  if (years.length !== 1 || /hijri/i.test(note)) return undefined;
  return partialDate({ year: Number(years[0]) });
}

function addPlace(place: XmlRecord, draft: EntityDraft): void {
  const parts = ['STREET', 'CITY', 'STATE_PROVINCE', 'COUNTRY'].map((part) => place.text(part));
  const note = place.text('NOTE');
  draft.addPlace(...parts, parts.some((part) => part !== undefined) ? undefined : note);
  draft.properties.add('place_of_birth_notes', note);
}

function addDocument(document: XmlRecord, draft: EntityDraft): void {
  const type = document.text('TYPE_OF_DOCUMENT');
  const second = document.text('TYPE_OF_DOCUMENT2');
  const number = document.text('NUMBER');
  const issued = document.text('DATE_OF_ISSUE');
  const note = document.text('NOTE');
  const places = ['ISSUING_COUNTRY', 'CITY_OF_ISSUE', 'COUNTRY_OF_ISSUE'].map((part) =>
    document.text(part),
  );
  const details = [second === type ? undefined : second, ...places];
  if (issued) details.push(`issued ${issued}`);
  details.push(note);
  const known = details.filter((detail) => detail !== undefined);
  if (number === undefined && type === undefined && known.length === 0) return;
  const stated = identifierType(second ?? '') ?? identifierType(type ?? '') ?? 'Document';
  const numbers = number !== undefined && WORD.test(number) ? documentNumbers(number) : [];
  if (numbers.length === 0) draft.addIdentifier(stated, number, [...new Set(known)]);
  for (const one of numbers) {
    const text = number === undefined || number === one.number ? [] : [number];
    draft.addIdentifier(one.type ?? stated, one.number, [...new Set([...text, ...known])]);
  }
}

function addAddress(address: XmlRecord, draft: EntityDraft): void {
  const parts = ['STREET', 'CITY', 'STATE_PROVINCE', 'ZIP_CODE'].map((part) => address.text(part));
  const country = address.text('COUNTRY');
  const note = address.text('NOTE');
  draft.addAddress(...parts, country, note && `(${note})`);
  draft.addCountries(country);
}

function addFacts(record: XmlRecord, draft: EntityDraft): void {
  const { properties } = draft;
  properties.add('data_id', record.text('DATAID'));
  properties.addAll(PROGRAMMES, record.texts('UN_LIST_TYPE'));
  properties.add('listed_on', record.text('LISTED_ON'));
  properties.add('submitted_on', record.text('SUBMITTED_ON'));
  properties.add('submitted_by', record.text('SUBMITTED_BY'));
  properties.add('gender', record.text('GENDER')?.toLowerCase());
  properties.addAll('title', values(record, 'TITLE'));
  properties.addAll('designation', values(record, 'DESIGNATION'));
  properties.addAll('updated_on', values(record, 'LAST_DAY_UPDATED'));
  for (const text of record.texts('COMMENTS1')) draft.addRemarks(text);
  record.ignore('VERSIONNUM', 'SORT_KEY', 'SORT_KEY_LAST_MOD', 'LIST_TYPE', 'NATIONALITY2');
}

function values(record: XmlRecord, name: string): string[] {
  return record.inner(name, 'VALUE').flatMap((one) => one.value ?? []);
}
