/**
 * The Commission's records to list format v1.
 *
 * - The id is the logical id, `eu-13`, which every format of this list carries; the reference
 *   `EU.27.28` is an identifier.
 * - A subject under several regimes stands once for each, under one logical id: the records are
 *   one entity with the names, dates and regulations of all.
 * - The primary name is the strongest of the names without a language of their own, or in English;
 *   spellings in the languages of the Union and in other scripts are names beside it.
 * - Which regulation brought which name (`regulationSummary`) is left to the Official Journal.
 */
import type { DomainError } from '#core/kernel';
import type { CountryLookup, ListEntity } from '#slices/lists';
import type { EntityDraft, ListDraft } from '../listDraft.ts';
import { dateRange, isoPartialDate, partialDate } from '../partialDates.ts';
import { PROGRAMMES } from '../properties.ts';
import { namesInNote, namesOf } from '../publishedNames.ts';
import type { XmlRecord } from '../xmlRecords.ts';

const OF_THE_DETAIL = ['regulationLanguage', 'logicalId'];
const IDENTIFIER_TYPES: Readonly<Record<string, string>> = {
  passport: 'Passport',
  id: 'National ID',
  ssn: 'Social security number',
  regnumber: 'Registration number',
  fiscalcode: 'Tax number',
  imo: 'IMO',
  swiftbic: 'SWIFT/BIC',
};
const CONTACTS: Readonly<Record<string, string>> = {
  PHONE: 'phones',
  FAX: 'phones',
  EMAIL: 'emails',
  WEB: 'websites',
};
const FLAGS = ['diplomatic', 'knownExpired', 'knownFalse', 'reportedLost', 'revokedByIssuer'];

const SCHEMAS: Readonly<Record<string, ListEntity['schema']>> = {
  enterprise: 'Organization',
  person: 'Person',
};
/** Languages of the Union whose script is not the Latin one: Bulgarian, Greek. */
const OTHER_SCRIPT_LANGUAGES: ReadonlySet<string> = new Set(['BG', 'EL']);

interface NameChoice {
  readonly name: string;
  /** The smaller, the more it is the main one; ties go by the logical id. */
  readonly rank: number;
}

export class EuMapper {
  readonly #list: ListDraft;
  readonly #countries: CountryLookup;
  readonly #kinds = new Map<EntityDraft, string>();
  readonly #choices = new Map<EntityDraft, NameChoice>();

  constructor(list: ListDraft, countries: CountryLookup) {
    this.#list = list;
    this.#countries = countries;
  }

  add(record: XmlRecord, damage: (what: string) => DomainError): void {
    const logicalId = record.attribute('logicalId') ?? '';
    const reference = record.attribute('euReferenceNumber') ?? '';
    const [subject] = record.all('subjectType');
    const kind = subject?.attribute('code') ?? '';
    subject?.ignore('classificationCode');
    if (!/^\d{1,12}$/.test(logicalId)) throw damage('logicalId: expected a number');
    if (kind === '') throw damage(`logicalId ${logicalId} has no subjectType`);
    const draft = this.#list.entity(`eu-${logicalId}`);
    const known = this.#kinds.get(draft);
    if (known !== undefined && known !== `${kind} ${reference}`) {
      throw damage(`logicalId ${logicalId} came before with another reference or subjectType`);
    }
    draft.schema = SCHEMAS[kind] ?? this.#unknownKind(draft, kind);
    this.#kinds.set(draft, `${kind} ${reference}`);
    if (known === undefined && reference !== '') draft.addIdentifier('EU reference', reference);
    // Listed under several programmes: one entity, so that the counts agree with the file.
    if (known !== undefined) this.#list.notes.add('record-of-known-entity');
    for (const alias of record.all('nameAlias')) this.#addName(alias, draft);
    if (!this.#choices.has(draft)) throw damage(`logicalId ${logicalId} has no name`);
    this.#addFacts(record, draft);
    for (const birth of record.all('birthdate')) this.#addBirth(birth, draft);
    for (const one of record.all('citizenship')) this.#addCitizenship(one, draft);
    for (const one of record.all('identification')) this.#addIdentification(one, draft);
    for (const address of record.all('address')) this.#addAddress(address, draft);
    draft.addUnknown(record.left());
  }

  /** A kind that the layout does not know yet is no reason to be without the list. */
  #unknownKind(draft: EntityDraft, kind: string): ListEntity['schema'] {
    draft.properties.add('subject_type', kind);
    if (!this.#kinds.has(draft)) this.#list.notes.add('unknown-subject-type');
    return 'LegalEntity';
  }

  finish(): void {
    for (const [draft, choice] of this.#choices) draft.primaryName = choice.name;
  }

  #addName(alias: XmlRecord, draft: EntityDraft): void {
    const parts = ['firstName', 'middleName', 'lastName'].map((part) => alias.attribute(part));
    const published = alias.attribute('wholeName') ?? parts.filter(Boolean).join(' ');
    const remarks = alias.texts('remark');
    const language = alias.attribute('nameLanguage') ?? '';
    const isWeak =
      alias.attribute('strong') === 'false' || remarks.some((r) => /low quality/i.test(r));
    const { properties } = draft;
    const names = namesOf(published, OTHER_SCRIPT_LANGUAGES.has(language));
    if (names.length > 1) properties.add('aliases_as_published', published);
    for (const name of [...names, ...remarks.flatMap(namesInNote)]) {
      draft.akas.add(name);
      if (isWeak) properties.add('weak_aliases', name);
    }
    for (const remark of remarks) {
      if (!/quality alias/i.test(remark))
        properties.add('alias_details', `${published}; ${remark}`);
    }
    properties.add('title', alias.attribute('title'));
    properties.add('designation', alias.attribute('function'));
    properties.add('gender', GENDERS[alias.attribute('gender') ?? '']);
    this.#choose(draft, { published, language, isWeak, id: Number(alias.attribute('logicalId')) });
    alias.ignore(...OF_THE_DETAIL);
  }

  #choose(
    draft: EntityDraft,
    name: { published: string; language: string; isWeak: boolean; id: number },
  ): void {
    if (name.published === '') return;
    const isForeign = name.language !== '' && name.language !== 'EN';
    const isOtherScript = !/\p{Script=Latin}/u.test(name.published);
    const steps = Number(name.isWeak) * 4 + Number(isOtherScript) * 2 + Number(isForeign);
    const rank = steps * 1e12 + (name.id || 0);
    const known = this.#choices.get(draft);
    const isBefore =
      known && (known.rank < rank || (known.rank === rank && known.name <= name.published));
    if (isBefore) return;
    this.#choices.set(draft, { name: name.published, rank });
  }

  #addFacts(record: XmlRecord, draft: EntityDraft): void {
    const { properties } = draft;
    properties.add('listed_on', record.attribute('designationDate'));
    properties.add('designation_details', record.attribute('designationDetails'));
    const unitedNations = record.attribute('unitedNationId');
    if (unitedNations) this.#list.addReference(draft, unitedNations);
    for (const text of record.texts('remark')) draft.addRemarks(text);
    for (const regulation of record.all('regulation')) {
      const [programme, title, kind, body, published, force] = [
        'programme',
        'numberTitle',
        'regulationType',
        'organisationType',
        'publicationDate',
        'entryIntoForceDate',
      ].map((name) => regulation.attribute(name));
      properties.add(PROGRAMMES, programme);
      const parts = [title, kind, body, published, force && `in force ${force}`];
      const line = [...parts, regulation.text('publicationUrl')].filter(Boolean).join('; ');
      properties.add('legal_basis', line);
      regulation.ignore('logicalId');
    }
  }

  #addBirth(birth: XmlRecord, draft: EntityDraft): void {
    const remarks = birth.texts('remark').sort();
    const [day, year, from, to] = ['birthdate', 'year', 'yearRangeFrom', 'yearRangeTo'].map(
      (name) => birth.attribute(name),
    );
    const [month, dayOfMonth] = ['monthOfYear', 'dayOfMonth'].map((name) => birth.attribute(name));
    const calendar = birth.attribute('calendarType') ?? 'GREGORIAN';
    const isCirca = birth.attribute('circa') === 'true';
    // A day without its month is useless; the year is certain.
    const isMonthless = Number(dayOfMonth ?? 0) > 0 && Number(month ?? 0) === 0;
    const isAbout = isCirca || (isMonthless && day === undefined);
    const parts = {
      day: isMonthless ? 0 : Number(dayOfMonth ?? 0),
      month: Number(month ?? 0),
      year: Number(year),
    };
    const written = [dayOfMonth, isMonthless ? 'mm' : month, year].filter(Boolean).join('/');
    const known = [isCirca ? 'circa' : '', day ?? written];
    if (from ?? to) known.push(`${from ?? ''}-${to ?? ''}`);
    if (calendar !== 'GREGORIAN') known.push(calendar);
    const published = [...known, ...remarks].filter((part) => part !== '').join(' ');
    if (day ?? year ?? from ?? to) {
      const date = day ? isoPartialDate(day) : (range(from, to) ?? partialDate(parts));
      // A day is always in our calendar, even where another one is named; a bare year may not be.
      const isOther = calendar !== 'GREGORIAN' && (date === undefined || date < '1800');
      draft.addDate(isOther ? undefined : date, published, isAbout || remarks.length > 0);
    } else draft.properties.addAll('birth_remarks', remarks);
    const place = ['place', 'city', 'zipCode', 'region'].map((name) => birth.attribute(name));
    draft.addPlace(...place, this.#country(birth)?.name);
    birth.ignore(...OF_THE_DETAIL);
  }

  #addCitizenship(citizenship: XmlRecord, draft: EntityDraft): void {
    const country = this.#country(citizenship);
    for (const remark of citizenship.texts('remark')) {
      draft.properties.add('citizenship_remarks', remark);
    }
    draft.properties.add('citizenship_regions', citizenship.attribute('region'));
    if (country?.code) draft.citizenships.add(country.code);
    if (country?.code) draft.properties.add('nationality', country.name);
    else draft.addCitizenships(country?.name);
    citizenship.ignore(...OF_THE_DETAIL);
  }

  #addIdentification(one: XmlRecord, draft: EntityDraft): void {
    const code = one.attribute('identificationTypeCode') ?? 'other';
    const description = one.attribute('identificationTypeDescription');
    const latin = one.attribute('latinNumber');
    const number = one.attribute('number') ?? latin;
    const details = [this.#country(one)?.name, one.attribute('region'), one.attribute('issuedBy')];
    for (const [name, word] of [
      ['issueDate', 'issued'],
      ['validFrom', 'valid from'],
      ['validTo', 'valid to'],
      ['nameOnDocument', 'name on document'],
    ] as const) {
      const value = one.attribute(name);
      if (value) details.push(`${word} ${value}`);
    }
    for (const flag of FLAGS) if (one.attribute(flag) === 'true') details.push(FLAG_WORDS[flag]);
    if (latin && latin !== number) details.push(`in Latin letters ${latin}`);
    // Their order means nothing: another one is no change.
    details.push(...one.texts('remark').sort());
    const known = details.filter((detail) => detail !== undefined);
    const type = IDENTIFIER_TYPES[code] ?? description ?? code;
    // `IMO 9187629`: the other lists have the digits.
    const imo = type === 'IMO' ? /^\D*(\d{7})$/.exec(number ?? '')?.[1] : undefined;
    draft.addIdentifier(type, imo ?? number, known);
    one.ignore(...OF_THE_DETAIL);
  }

  #addAddress(address: XmlRecord, draft: EntityDraft): void {
    const [street, box, zip, city, place, region] = [
      'street',
      'poBox',
      'zipCode',
      'city',
      'place',
      'region',
    ].map((name) => address.attribute(name));
    const country = this.#country(address);
    const poBox = box && /^\d/.test(box) ? `PO Box ${box}` : box;
    draft.addAddress(street, poBox, place, zip, city, region, country?.name);
    if (country?.code) draft.countries.add(country.code);
    else draft.addCountries(country?.name);
    for (const remark of address.texts('remark')) draft.properties.add('address_remarks', remark);
    for (const contact of address.all('contactInfo')) {
      const kind = contact.attribute('key') ?? '';
      draft.properties.add(CONTACTS[kind] ?? 'contacts', contact.attribute('value'));
      contact.ignore(...OF_THE_DETAIL);
    }
    address.ignore(...OF_THE_DETAIL, 'asAtListingTime');
  }

  /** The country; `00` and UNKNOWN stand for an unknown one. */
  #country(record: XmlRecord): { code: string | undefined; name: string } | undefined {
    const code = record.attribute('countryIso2Code') ?? '';
    const name = record.attribute('countryDescription') ?? '';
    const known = this.#countries(code) ?? this.#countries(name);
    if (known === undefined && (name === '' || name === 'UNKNOWN')) return undefined;
    return { code: known, name };
  }
}

const GENDERS: Readonly<Record<string, string>> = { M: 'male', F: 'female' };
const FLAG_WORDS: Readonly<Record<string, string>> = {
  diplomatic: 'diplomatic',
  knownExpired: 'known to be expired',
  knownFalse: 'known to be false',
  reportedLost: 'reported lost',
  revokedByIssuer: 'revoked by its issuer',
};

/** With one end alone nothing is known that could be compared. */
const range = (from: string | undefined, to: string | undefined): string | undefined =>
  dateRange(isoPartialDate(from ?? ''), isoPartialDate(to ?? ''));
