/** The UK Sanctions List as XML: one `Designation` each, with everything in elements of its own. */
import type { DomainError } from '#core/kernel';
import { PROGRAMMES } from '../properties.ts';
import type { XmlRecord } from '../xmlRecords.ts';
import { addDesignation, type Designation, type Fact } from './designation.ts';
import type { UkName, UkTargets } from './target.ts';

const NAME_PARTS = ['Name1', 'Name2', 'Name3', 'Name4', 'Name5', 'Name6'];
const ADDRESS_LINES = [1, 2, 3, 4, 5, 6].map((number) => `AddressLine${number}`);

type Path = readonly [list: string, item: string];
const PERSON_FACTS: readonly (readonly [property: string, ...Path])[] = [
  ['designation', 'Positions', 'Position'],
  ['title', 'Titles', 'Title'],
];
const ENTITY_FACTS: typeof PERSON_FACTS = [
  ['organization_type', 'TypeOfEntities', 'TypeOfEntity'],
  ['subsidiaries', 'Subsidiaries', 'Subsidiary'],
];
const SHIP_FACTS: typeof PERSON_FACTS = [
  ['previous_owners', 'PreviousOwnerOperators', 'PreviousOwnerOperator'],
  ['previous_flags', 'PreviousFlags', 'PreviousFlag'],
  ['vessel_type', 'TypeOfShipDetails', 'TypeOfShip'],
  ['tonnage', 'TonnageOfShipDetails', 'TonnageOfShip'],
  ['length', 'LengthOfShipDetails', 'LengthOfShip'],
  ['year_built', 'YearsBuilt', 'YearBuilt'],
];
const CONTACTS: typeof PERSON_FACTS = [
  ['phones', 'PhoneNumbers', 'PhoneNumber'],
  ['emails', 'EmailAddresses', 'EmailAddress'],
  ['websites', 'Websites', 'Website'],
];

/** @param seen unique ids of the designations before this one */
export function addDesignationXml(
  record: XmlRecord,
  { targets, seen }: { readonly targets: UkTargets; readonly seen: Set<string> },
  damage: (what: string) => DomainError,
): void {
  const uniqueId = record.text('UniqueID');
  if (uniqueId === undefined) throw damage('it has no UniqueID');
  if (seen.has(uniqueId)) throw damage(`target ${uniqueId} came before`);
  seen.add(uniqueId);
  const target = addDesignation(designationOf(uniqueId, record), targets, damage);
  // The same measures as flags, one element each.
  for (const indicators of record.all('SanctionsImposedIndicators')) indicators.ignoreAll();
  target.draft.addUnknown(record.left());
}

function designationOf(uniqueId: string, record: XmlRecord): Designation {
  const persons = record.inner('IndividualDetails', 'Individual');
  const entities = record.inner('EntityDetails', 'Entity');
  const ships = record.inner('ShipDetails', 'Ship');
  return {
    addresses: record.inner('Addresses', 'Address').map(addressOf),
    birthPlaces: persons
      .flatMap((one) => one.inner('BirthDetails', 'Location'))
      .map((one) => ({ country: one.text('CountryOfBirth'), town: one.text('TownOfBirth') })),
    dates: texts(persons, 'DOBs', 'DOB'),
    days: [
      ['designated_on', record.text('DateDesignated')],
      ['updated_on', record.text('LastUpdated')],
    ],
    documents: documentsOf(persons, entities, ships),
    facts: [
      ...facts([record], [['title', 'Titles', 'Title']]),
      ...facts(persons, PERSON_FACTS),
      ...facts(entities, ENTITY_FACTS),
      ...facts(ships, SHIP_FACTS),
    ],
    flags: texts(ships, 'CurrentBelievedFlagOfShips', 'CurrentBelievedFlagOfShip'),
    genders: texts(persons, 'Genders', 'Gender'),
    groupId: record.text('OFSIGroupID'),
    imoNumbers: texts(ships, 'IMONumbers', 'IMONumber'),
    kind: record.text('IndividualEntityShip'),
    measures: record.text('SanctionsImposed'),
    names: record.inner('Names', 'Name').map(nameOf),
    nationalities: texts(persons, 'Nationalities', 'Nationality'),
    nonLatinNames: record.inner('NonLatinNames', 'NonLatinName').map(nonLatinNameOf),
    owners: texts(ships, 'CurrentOwnerOperators', 'CurrentOwnerOperator'),
    parents: texts(entities, 'ParentCompanies', 'ParentCompany'),
    remarks: [
      ['remarks', record.text('OtherInformation')],
      ['statement_of_reasons', record.text('UKStatementofReasons')],
    ],
    uniqueId,
    unReference: record.text('UNReferenceNumber'),
    values: [
      [PROGRAMMES, record.text('RegimeName')],
      ['listing_type', record.text('DesignationSource')],
      ...facts([record], CONTACTS),
    ],
  };
}

function nameOf(name: XmlRecord): UkName {
  return {
    parts: NAME_PARTS.map((part) => name.text(part)),
    quality: name.text('AliasStrength'),
    type: name.text('NameType'),
  };
}

function nonLatinNameOf(name: XmlRecord): string | undefined {
  name.ignore('NonLatinScriptType', 'NonLatinScriptLanguage');
  return name.text('NameNonLatinScript');
}

function addressOf(address: XmlRecord): Designation['addresses'][number] {
  const postCode = address.text('AddressPostalCode') ?? address.text('PostCode');
  return {
    country: address.text('AddressCountry'),
    lines: [...ADDRESS_LINES.map((line) => address.text(line)), postCode],
  };
}

function documentsOf(
  persons: readonly XmlRecord[],
  entities: readonly XmlRecord[],
  ships: readonly XmlRecord[],
): Designation['documents'] {
  const passports = persons.flatMap((one) => one.inner('PassportDetails', 'Passport'));
  const ids = persons.flatMap((one) =>
    one.inner('NationalIdentifierDetails', 'NationalIdentifier'),
  );
  const registrations = texts(
    entities,
    'BusinessRegistrationNumbers',
    'BusinessRegistrationNumber',
  );
  const hulls = texts(ships, 'HullIdentificationNumbers', 'HullIdentificationNumber');
  return [
    ...passports.map((one) => ({
      details: one.text('PassportAdditionalInformation'),
      number: one.text('PassportNumber'),
      type: 'Passport',
    })),
    ...ids.map((one) => ({
      details: one.text('NationalIdentifierAdditionalInformation'),
      number: one.text('NationalIdentifierNumber'),
      type: 'National ID',
    })),
    ...registrations.map((number) => ({ number, type: 'Registration number' })),
    ...hulls.map((number) => ({ number, type: 'Hull number' })),
  ];
}

const texts = (records: readonly XmlRecord[], ...[list, item]: Path): (string | undefined)[] =>
  records.flatMap((record) => record.inner(list, item)).map((one) => one.value);

const facts = (records: readonly XmlRecord[], of: typeof PERSON_FACTS): Fact[] =>
  of.flatMap(([property, ...path]) =>
    texts(records, ...path).map((text): Fact => [property, text]),
  );
