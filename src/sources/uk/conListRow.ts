/**
 * The Treasury's list (ConList) has one row for every pairing of a target's names, dates and
 * addresses, in CSV and in XML. Both name the same fields differently; here they are one.
 */
import type { DomainError } from '#core/kernel';
import { numberedParts } from '../countryCells.ts';
import { PROGRAMMES } from '../properties.ts';
import type { UkTarget, UkTargets } from './target.ts';

/** Field names of this file, by column of the CSV of either year, and by element of the XML. */
export const FIELDS: Readonly<Record<string, string>> = {
  ...numbered(['Name ', 'Name', 'name'], 6, 'name'),
  ...numbered(['Address ', 'Address'], 6, 'address'),
  Title: 'title',
  'Name Non-Latin Script': 'nonLatin',
  NameNonLatinScript: 'nonLatin',
  DOB: 'dob',
  Individual_DateOfBirth: 'dob',
  'Town of Birth': 'town',
  Individual_TownOfBirth: 'town',
  'Country of Birth': 'birthCountry',
  Individual_CountryOfBirth: 'birthCountry',
  Nationality: 'nationality',
  Individual_Nationality: 'nationality',
  'Passport Number': 'passport',
  Individual_PassportNumber: 'passport',
  'Passport Details': 'passportDetails',
  Individual_PassportDetails: 'passportDetails',
  'National Identification Number': 'ni',
  Individual_NINumber: 'ni',
  'NI Number': 'niDetails',
  'National Identification Details': 'niDetails',
  Individual_NIDetails: 'niDetails',
  Position: 'position',
  Individual_Position: 'position',
  Individual_Gender: 'gender',
  Entity_Type: 'entityType',
  Entity_BusinessRegNumber: 'registration',
  Entity_ParentCompany: 'parent',
  Entity_Subsidiaries: 'subsidiaries',
  Ship_IMONumber: 'imo',
  Ship_Flag: 'flag',
  Ship_PreviousFlags: 'previousFlags',
  Ship_Type: 'shipType',
  Ship_Tonnage: 'tonnage',
  Ship_Length: 'length',
  Ship_YearBuilt: 'yearBuilt',
  Ship_CurrentOwners: 'owners',
  Ship_PreviousOwners: 'previousOwners',
  Ship_HullIdentificationNumber: 'hull',
  'Post/Zip Code': 'postCode',
  PostCode: 'postCode',
  Country: 'country',
  PhoneNumber: 'phone',
  EmailAddress: 'email',
  Website: 'website',
  'Other Information': 'other',
  OtherInformation: 'other',
  UKStatementOfReasons: 'reasons',
  'Group Type': 'kind',
  GroupTypeDescription: 'kind',
  'Alias Type': 'aliasType',
  AliasType: 'aliasType',
  'Alias Quality': 'aliasQuality',
  AliasQuality: 'aliasQuality',
  Regime: 'regime',
  RegimeName: 'regime',
  'Listed On': 'listedOn',
  DateListed: 'listedOn',
  'UK Sanctions List Date Designated': 'designatedOn',
  DateDesignated: 'designatedOn',
  'Last Updated': 'updatedOn',
  LastUpdated: 'updatedOn',
  'Group ID': 'groupId',
  GroupID: 'groupId',
  UKSanctionsListRef: 'uniqueId',
  UNRef: 'unReference',
  ListingType: 'listingType',
  GroupStatus: 'groupStatus',
  GroupSanctions: 'sanctions',
};

/** Columns about the row or about the writing of a name, not about the target. */
export const IGNORED: ReadonlySet<string> = new Set([
  'Non-Latin Script Type',
  'Non-Latin Script Language',
  'NonLatinScriptType',
  'NonLatinScriptLanguage',
  'GrpStatus',
  'FullName',
  'FullAddress',
  'DateAdditionalSanctions',
]);

/** Values by field name; empty ones are absent. */
export type ConListRow = Readonly<Record<string, string>>;

/** Facts that a cell may number, and the property that each becomes. */
const FACTS: readonly (readonly [string, string])[] = [
  ['title', 'title'],
  ['position', 'designation'],
  ['gender', 'gender'],
  ['entityType', 'organization_type'],
  ['parent', 'parent_companies'],
  ['subsidiaries', 'subsidiaries'],
  ['previousFlags', 'previous_flags'],
  ['shipType', 'vessel_type'],
  ['tonnage', 'tonnage'],
  ['length', 'length'],
  ['yearBuilt', 'year_built'],
  ['owners', 'vessel_owner'],
  ['previousOwners', 'previous_owners'],
  ['phone', 'phones'],
  ['email', 'emails'],
  ['website', 'websites'],
  ['regime', PROGRAMMES],
  ['listingType', 'listing_type'],
  ['groupStatus', 'group_status'],
  ['sanctions', 'sanction_details'],
];

export function addConListRow(
  row: ConListRow,
  targets: UkTargets,
  damage: (what: string) => DomainError,
): void {
  if (!/^\d{1,9}$/.test(row.groupId ?? '')) throw damage('group id: expected a number');
  const target = targets.target(
    { groupId: row.groupId, uniqueId: undefined, kind: row.kind },
    damage,
  );
  if (row.uniqueId) target.reference(row.uniqueId);
  target.name({
    parts: [row.name1, row.name2, row.name3, row.name4, row.name5, row.name6],
    type: row.aliasType,
    quality: row.aliasQuality,
  });
  target.nonLatinName(row.nonLatin);
  addPerson(row, target);
  addShip(row, target);
  const { address1, address2, address3, address4, address5, address6, postCode } = row;
  target.address(
    [address1, address2, address3, address4, address5, address6, postCode],
    row.country,
  );
  for (const [field, property] of FACTS) target.facts(property, row[field]);
  for (const number of numberedParts(row.registration ?? '')) {
    target.document('Registration number', number, undefined);
  }
  target.unReference(row.unReference);
  target.day('listed_on', row.listedOn);
  target.day('designated_on', row.designatedOn);
  target.day('updated_on', row.updatedOn);
  target.remarks(row.other, 'remarks');
  target.remarks(row.reasons, 'statement_of_reasons');
}

function addPerson(row: ConListRow, target: UkTarget): void {
  target.date(row.dob);
  target.birthPlaces(row.town, row.birthCountry);
  target.draft.addCitizenships(row.nationality);
  addDocuments(target, 'Passport', row.passport, row.passportDetails);
  addDocuments(target, 'National ID', row.ni, row.niDetails);
}

/** Since 2022 numbers have a field of their own, before they stood in the details. */
function addDocuments(
  target: UkTarget,
  type: string,
  numbers: string | undefined,
  details: string | undefined,
): void {
  if (numbers === undefined) {
    target.documents(type, details);
    return;
  }
  const texts = numberedParts(details ?? '');
  const parts = numberedParts(numbers);
  for (const [index, number] of parts.entries()) {
    // Details that are not numbered as the numbers are may be about any of them.
    target.document(type, number, texts.length === parts.length ? texts[index] : details);
  }
}

function addShip(row: ConListRow, target: UkTarget): void {
  target.imo(row.imo);
  if (row.hull) target.draft.addIdentifier('Hull number', row.hull);
  target.facts('vessel_flag', row.flag);
  target.draft.addCountries(row.flag);
  for (const owner of numberedParts(row.owners ?? '')) {
    const relation = { label: 'current owner', type: 'OWNER' as const, isFirm: true };
    target.draft.addRelation({ ...relation, target: { name: owner } });
  }
  for (const parent of numberedParts(row.parent ?? '')) {
    const relation = { label: 'parent company', type: 'OWNER' as const, isFirm: true };
    target.draft.addRelation({ ...relation, target: { name: parent } });
  }
}

function numbered(
  prefixes: readonly string[],
  count: number,
  field: string,
): Record<string, string> {
  const fields: Record<string, string> = {};
  for (let number = 1; number <= count; number++) {
    for (const prefix of prefixes) fields[`${prefix}${number}`] = `${field}${number}`;
  }
  return fields;
}
