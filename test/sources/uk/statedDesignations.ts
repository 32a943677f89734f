/**
 * One designation, written as each of the two files of the UK Sanctions List has it: in the XML
 * every name, address and number in elements of its own, in the CSV a row for every pairing.
 */
import { type CsvCells, designation, designationRow } from './ukFiles.ts';

interface Group {
  /** Elements around those of the group. */
  readonly path: readonly string[];
  /** The element of each column. */
  readonly elements: CsvCells;
}

const person = (...path: readonly string[]) => ['IndividualDetails', 'Individual', ...path];
const entity = (...path: readonly string[]) => ['EntityDetails', 'Entity', ...path];
const ship = (...path: readonly string[]) => ['ShipDetails', 'Ship', ...path];
const one = (path: readonly string[], column: string, element: string): Group => ({
  elements: { [column]: element },
  path,
});

const GROUPS = {
  itself: {
    elements: {
      'Date Designated': 'DateDesignated',
      'Designation Type': 'IndividualEntityShip',
      'Designation source': 'DesignationSource',
      'Last Updated': 'LastUpdated',
      'OFSI Group ID': 'OFSIGroupID',
      'Other Information': 'OtherInformation',
      'Regime Name': 'RegimeName',
      'Sanctions Imposed': 'SanctionsImposed',
      'UK Statement of Reasons': 'UKStatementofReasons',
      'UN Reference Number': 'UNReferenceNumber',
      'Unique ID': 'UniqueID',
    },
    path: [],
  },
  names: {
    elements: {
      'Alias strength': 'AliasStrength',
      'Name 1': 'Name1',
      'Name 2': 'Name2',
      'Name 3': 'Name3',
      'Name 4': 'Name4',
      'Name 5': 'Name5',
      'Name 6': 'Name6',
      'Name type': 'NameType',
    },
    path: ['Names', 'Name'],
  },
  scripts: {
    elements: {
      'Name non-latin script': 'NameNonLatinScript',
      'Non-latin script language': 'NonLatinScriptLanguage',
      'Non-latin script type': 'NonLatinScriptType',
    },
    path: ['NonLatinNames', 'NonLatinName'],
  },
  addresses: {
    elements: {
      'Address Country': 'AddressCountry',
      'Address Line 1': 'AddressLine1',
      'Address Line 2': 'AddressLine2',
      'Address Line 3': 'AddressLine3',
      'Address Line 4': 'AddressLine4',
      'Address Line 5': 'AddressLine5',
      'Address Line 6': 'AddressLine6',
      'Address Postal Code': 'AddressPostalCode',
    },
    path: ['Addresses', 'Address'],
  },
  births: {
    elements: { 'Country of birth': 'CountryOfBirth', 'Town of birth': 'TownOfBirth' },
    path: person('BirthDetails', 'Location'),
  },
  passports: {
    elements: {
      'Passport additional information': 'PassportAdditionalInformation',
      'Passport number': 'PassportNumber',
    },
    path: person('PassportDetails', 'Passport'),
  },
  nationalIds: {
    elements: {
      'National Identifier additional information': 'NationalIdentifierAdditionalInformation',
      'National Identifier number': 'NationalIdentifierNumber',
    },
    path: person('NationalIdentifierDetails', 'NationalIdentifier'),
  },
  titles: one(['Titles'], 'Title', 'Title'),
  phones: one(['PhoneNumbers'], 'Phone number', 'PhoneNumber'),
  websites: one(['Websites'], 'Website', 'Website'),
  emails: one(['EmailAddresses'], 'Email address', 'EmailAddress'),
  dates: one(person('DOBs'), 'D.O.B', 'DOB'),
  nationalities: one(person('Nationalities'), 'Nationality(/ies)', 'Nationality'),
  positions: one(person('Positions'), 'Position', 'Position'),
  genders: one(person('Genders'), 'Gender', 'Gender'),
  types: one(entity('TypeOfEntities'), 'Type of entity', 'TypeOfEntity'),
  subsidiaries: one(entity('Subsidiaries'), 'Subsidiaries', 'Subsidiary'),
  parents: one(entity('ParentCompanies'), 'Parent company', 'ParentCompany'),
  registrations: one(
    entity('BusinessRegistrationNumbers'),
    'Business registration number (s)',
    'BusinessRegistrationNumber',
  ),
  imoNumbers: one(ship('IMONumbers'), 'IMO number', 'IMONumber'),
  owners: one(ship('CurrentOwnerOperators'), 'Current owner/operator (s)', 'CurrentOwnerOperator'),
  formerOwners: one(
    ship('PreviousOwnerOperators'),
    'Previous owner/operator (s)',
    'PreviousOwnerOperator',
  ),
  flags: one(
    ship('CurrentBelievedFlagOfShips'),
    'Current believed flag of ship',
    'CurrentBelievedFlagOfShip',
  ),
  formerFlags: one(ship('PreviousFlags'), 'Previous flags', 'PreviousFlag'),
  shipTypes: one(ship('TypeOfShipDetails'), 'Type of ship', 'TypeOfShip'),
  tonnages: one(ship('TonnageOfShipDetails'), 'Tonnage of ship', 'TonnageOfShip'),
  lengths: one(ship('LengthOfShipDetails'), 'Length of ship', 'LengthOfShip'),
  years: one(ship('YearsBuilt'), 'Year Built', 'YearBuilt'),
  hulls: one(
    ship('HullIdentificationNumbers'),
    'Hull identification number (HIN)',
    'HullIdentificationNumber',
  ),
} satisfies Readonly<Record<string, Group>>;

export type GroupName = keyof typeof GROUPS;
/** Cells by column, for each time that the designation has the group. */
export type Stated = Readonly<Partial<Record<GroupName, readonly CsvCells[]>>>;

const groupsOf = (stated: Stated): [Group, readonly CsvCells[]][] =>
  (Object.keys(GROUPS) as GroupName[]).map((name) => [GROUPS[name], stated[name] ?? []]);

export const columnsOf = (stated: Stated): string[] =>
  groupsOf(stated).flatMap(([, times]) => times.flatMap(Object.keys));

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

export const xmlOf = (stated: Stated): string =>
  designation(
    groupsOf(stated)
      .flatMap(([group, times]) => times.map((cells) => groupXml(group, cells)))
      .join('\n'),
  );

function groupXml({ elements, path }: Group, cells: CsvCells): string {
  const inner = Object.entries(cells).map(([column, text]) => {
    const name = elements[column];
    return `<${name}>${escaped(text)}</${name}>`;
  });
  const open = path.map((name) => `<${name}>`).join('');
  const close = path
    .map((name) => `</${name}>`)
    .toReversed()
    .join('');
  return `${open}${inner.join('')}${close}`;
}

/** Every pairing of everything that the designation has several of. */
export function rowsOf(stated: Stated): string[] {
  let rows: CsvCells[] = [{ 'Designation Type': '', 'Name type': '' }];
  for (const [, times] of groupsOf(stated)) {
    if (times.length > 0)
      rows = times.flatMap((cells) => rows.map((row) => ({ ...row, ...cells })));
  }
  return rows.map((row) => designationRow(row));
}
