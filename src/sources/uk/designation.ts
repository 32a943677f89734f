/**
 * The Foreign Office's UK Sanctions List: one `Designation` a target, with everything in elements
 * of its own. Dates of birth that are known in part stand as `dd/mm/1945`.
 */
import type { DomainError } from '#domain/kernel';
import type { XmlRecord } from '../xmlRecords.ts';
import type { UkTarget, UkTargets } from './target.ts';

const NAME_PARTS = ['Name1', 'Name2', 'Name3', 'Name4', 'Name5', 'Name6'];
const ADDRESS_LINES = [1, 2, 3, 4, 5, 6].map((number) => `AddressLine${number}`);

/** @param seen unique ids of the designations before this one */
export function addDesignation(
  record: XmlRecord,
  { targets, seen }: { readonly targets: UkTargets; readonly seen: Set<string> },
  damage: (what: string) => DomainError,
): void {
  const uniqueId = record.text('UniqueID');
  if (uniqueId === undefined) throw damage('it has no UniqueID');
  if (seen.has(uniqueId)) throw damage(`target ${uniqueId} came before`);
  seen.add(uniqueId);
  const group = record.text('OFSIGroupID');
  const groupId = group !== undefined && /^\d{1,9}$/.test(group) ? group : undefined;
  const kind = record.text('IndividualEntityShip');
  // One group under two regimes is two designations of one target.
  const target = targets.target({ groupId, uniqueId, kind }, damage);
  target.reference(uniqueId);
  for (const name of record.inner('Names', 'Name')) addName(name, target);
  for (const name of record.inner('NonLatinNames', 'NonLatinName')) {
    target.nonLatinName(name.text('NameNonLatinScript'));
    name.ignore('NonLatinScriptType', 'NonLatinScriptLanguage');
  }
  for (const title of record.inner('Titles', 'Title')) target.facts('title', title.value);
  for (const address of record.inner('Addresses', 'Address')) addAddress(address, target);
  addContacts(record, target);
  for (const one of record.inner('IndividualDetails', 'Individual')) addPerson(one, target);
  for (const one of record.inner('EntityDetails', 'Entity')) addEntity(one, target);
  for (const one of record.inner('ShipDetails', 'Ship')) addShip(one, target);
  addFacts(record, target);
  target.draft.addUnknown(record.left());
}

function addName(name: XmlRecord, target: UkTarget): void {
  target.name({
    parts: NAME_PARTS.map((part) => name.text(part)),
    type: name.text('NameType'),
    quality: name.text('AliasStrength'),
  });
}

function addAddress(address: XmlRecord, target: UkTarget): void {
  const lines = ADDRESS_LINES.map((line) => address.text(line));
  const country = address.text('AddressCountry');
  target.address(
    [...lines, address.text('AddressPostalCode') ?? address.text('PostCode')],
    country,
  );
}

function addContacts(record: XmlRecord, target: UkTarget): void {
  const { properties } = target.draft;
  for (const one of record.inner('PhoneNumbers', 'PhoneNumber'))
    properties.add('phones', one.value);
  for (const one of record.inner('EmailAddresses', 'EmailAddress'))
    properties.add('emails', one.value);
  for (const one of record.inner('Websites', 'Website')) properties.add('websites', one.value);
}

function addPerson(person: XmlRecord, target: UkTarget): void {
  for (const date of person.inner('DOBs', 'DOB')) target.date(date.value);
  for (const one of person.inner('Nationalities', 'Nationality')) {
    target.draft.addCitizenships(one.value);
  }
  for (const one of person.inner('Positions', 'Position')) target.facts('designation', one.value);
  for (const one of person.inner('Genders', 'Gender')) {
    target.facts('gender', one.value?.toLowerCase());
  }
  for (const one of person.inner('Titles', 'Title')) target.facts('title', one.value);
  for (const place of person.inner('BirthDetails', 'Location')) {
    target.birthPlaces(place.text('TownOfBirth'), place.text('CountryOfBirth'));
  }
  for (const passport of person.inner('PassportDetails', 'Passport')) {
    const details = passport.text('PassportAdditionalInformation');
    target.document('Passport', passport.text('PassportNumber'), details);
  }
  for (const id of person.inner('NationalIdentifierDetails', 'NationalIdentifier')) {
    const details = id.text('NationalIdentifierAdditionalInformation');
    target.document('National ID', id.text('NationalIdentifierNumber'), details);
  }
}

function addEntity(entity: XmlRecord, target: UkTarget): void {
  for (const one of entity.inner('TypeOfEntities', 'TypeOfEntity')) {
    target.facts('organization_type', one.value);
  }
  for (const one of entity.inner('BusinessRegistrationNumbers', 'BusinessRegistrationNumber')) {
    target.document('Registration number', one.value, undefined);
  }
  for (const one of entity.inner('ParentCompanies', 'ParentCompany')) {
    addOwner(target, 'parent company', 'parent_companies', one.value);
  }
  for (const one of entity.inner('Subsidiaries', 'Subsidiary')) {
    target.facts('subsidiaries', one.value);
  }
}

function addShip(ship: XmlRecord, target: UkTarget): void {
  for (const one of ship.inner('IMONumbers', 'IMONumber')) {
    target.imo(one.value);
  }
  for (const one of ship.inner('HullIdentificationNumbers', 'HullIdentificationNumber')) {
    target.document('Hull number', one.value, undefined);
  }
  for (const one of ship.inner('CurrentOwnerOperators', 'CurrentOwnerOperator')) {
    addOwner(target, 'current owner', 'vessel_owner', one.value);
  }
  for (const one of ship.inner('CurrentBelievedFlagOfShips', 'CurrentBelievedFlagOfShip')) {
    target.facts('vessel_flag', one.value);
    target.draft.addCountries(one.value);
  }
  for (const [list, item, property] of [
    ['PreviousOwnerOperators', 'PreviousOwnerOperator', 'previous_owners'],
    ['PreviousFlags', 'PreviousFlag', 'previous_flags'],
    ['TypeOfShipDetails', 'TypeOfShip', 'vessel_type'],
    ['TonnageOfShipDetails', 'TonnageOfShip', 'tonnage'],
    ['LengthOfShipDetails', 'LengthOfShip', 'length'],
    ['YearsBuilt', 'YearBuilt', 'year_built'],
  ] as const) {
    for (const one of ship.inner(list, item)) target.facts(property, one.value);
  }
}

function addOwner(
  target: UkTarget,
  label: string,
  property: string,
  name: string | undefined,
): void {
  if (name === undefined) return;
  target.draft.properties.add(property, name);
  target.draft.addRelation({ label, type: 'OWNER', isFirm: true, target: { name } });
}

function addFacts(record: XmlRecord, target: UkTarget): void {
  const { properties } = target.draft;
  target.unReference(record.text('UNReferenceNumber'));
  properties.add('programs', record.text('RegimeName'));
  properties.add('listing_type', record.text('DesignationSource'));
  const imposed = record.text('SanctionsImposed') ?? '';
  properties.addAll(
    'sanction_details',
    imposed
      .split('|')
      .map((one) => one.trim())
      .filter(Boolean),
  );
  target.day('designated_on', record.text('DateDesignated'));
  target.day('updated_on', record.text('LastUpdated'));
  target.remarks(record.text('OtherInformation'), 'remarks');
  target.remarks(record.text('UKStatementofReasons'), 'statement_of_reasons');
  // The same measures as flags, one element each.
  for (const indicators of record.all('SanctionsImposedIndicators')) indicators.ignoreAll();
}
