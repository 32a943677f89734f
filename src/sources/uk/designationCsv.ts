/**
 * The UK Sanctions List as CSV, `UK-Sanctions-List.csv`: `Report Date: 21-Oct-2025`, a line of
 * column names, then for every designation a row for each pairing of its names, addresses and other
 * repeated values. Rows of one designation may lie apart. UTF-8, since names stand in their own
 * scripts beside the Latin ones.
 */
import { dayFirstDate, wordedDate } from '../partialDates.ts';
import { PROGRAMMES } from '../properties.ts';
import { type CsvRows, columnName, type Damage, damaged } from './csvFile.ts';
import { addDesignation, type Designation } from './designation.ts';
import type { UkTargets } from './target.ts';

/** Without one of these columns a designation would become another target, or lose a name. */
const REQUIRED = [
  ...['Unique ID', 'OFSI Group ID', 'Designation Type', 'Name type'],
  ...['Name 1', 'Name 2', 'Name 3', 'Name 4', 'Name 5', 'Name 6'],
] as const;
const OPTIONAL = [
  ...['Last Updated', 'UN Reference Number', 'Alias strength', 'Title', 'Name non-latin script'],
  ...['Regime Name', 'Designation source', 'Sanctions Imposed', 'Other Information'],
  ...['UK Statement of Reasons', 'Address Line 1', 'Address Line 2', 'Address Line 3'],
  ...['Address Line 4', 'Address Line 5', 'Address Line 6', 'Address Postal Code'],
  ...['Address Country', 'Phone number', 'Website', 'Email address', 'Date Designated', 'D.O.B'],
  ...['Nationality(/ies)', 'National Identifier number'],
  ...['National Identifier additional information', 'Passport number'],
  ...['Passport additional information', 'Position', 'Gender', 'Town of birth'],
  ...['Country of birth', 'Type of entity', 'Subsidiaries', 'Parent company'],
  ...['Business registration number (s)', 'IMO number', 'Current owner/operator (s)'],
  ...['Previous owner/operator (s)', 'Current believed flag of ship', 'Previous flags'],
  ...['Type of ship', 'Tonnage of ship', 'Length of ship', 'Year Built'],
  'Hull identification number (HIN)',
] as const;
/** Columns about the writing of a name, not about the target. */
const IGNORED = ['Non-latin script type', 'Non-latin script language'] as const;

type Column = (typeof REQUIRED)[number] | (typeof OPTIONAL)[number];
type Row = (column: Column) => string | undefined;

/** Capitals, spaces and signs of the headings have changed over the years: they do not count. */
const folded = (heading: string): string => heading.toLowerCase().replace(/[^a-z0-9]/g, '');
const COLUMNS: ReadonlyMap<string, Column> = new Map([
  ...[...REQUIRED, ...OPTIONAL].map((column) => [folded(column), column] as const),
  // The former name of the column, and still its name in the XML.
  [folded('Individual, Entity, Ship'), 'Designation Type'],
]);
const IGNORED_COLUMNS: ReadonlySet<string> = new Set(IGNORED.map(folded));

const REPORT_DATE = /^\ufeff?"?Report Date"?[:,] ?"?([^",]*)"?,*$/i;

/** Undefined where the first line is not this list's. */
export function designationRows(firstLine: string, targets: UkTargets): CsvRows | undefined {
  const [, date] = REPORT_DATE.exec(firstLine) ?? [];
  if (date === undefined) return undefined;
  const day = wordedDate(date.replaceAll('-', ' ')) ?? dayFirstDate(date.trim());
  if (day?.length !== 10) throw damaged('line 1: Report Date: expected a day as 21-Oct-2025');
  return new DesignationRows(targets, day);
}

class DesignationRows implements CsvRows {
  readonly isUtf8Only = true;
  readonly releaseDate: string;
  readonly #targets: UkTargets;
  #headings: readonly string[] = [];
  readonly #index = new Map<Column, number>();
  /** Columns that are not known, by their place. */
  readonly #unknown: number[] = [];
  /** Group ids by unique id, as in the first row of each. */
  readonly #groups = new Map<string, string | undefined>();

  constructor(targets: UkTargets, releaseDate: string) {
    this.#targets = targets;
    this.releaseDate = releaseDate;
  }

  takeHeadings(headings: readonly string[], damage: Damage): void {
    this.#headings = headings;
    for (const [index, heading] of headings.entries()) {
      const name = folded(heading);
      const column = COLUMNS.get(name);
      if (column === undefined) {
        if (!IGNORED_COLUMNS.has(name)) this.#unknown.push(index);
      } else if (this.#index.has(column)) {
        throw damage(`${columnName(headings, index)}: ${column} comes twice`);
      } else this.#index.set(column, index);
    }
    const missing = REQUIRED.filter((column) => !this.#index.has(column));
    if (missing.length > 0) throw damage(`columns missing: ${missing.join(', ')}`);
    this.#targets.noteMissingColumns(OPTIONAL.filter((column) => !this.#index.has(column)).length);
  }

  takeRow(cells: readonly string[], damage: Damage): void {
    const row: Row = (column) => cells[this.#index.get(column) ?? -1] || undefined;
    const uniqueId = row('Unique ID') ?? '';
    if (!/^[A-Za-z0-9./-]{1,32}$/.test(uniqueId)) {
      throw damage('column Unique ID: expected a reference as AFG0001');
    }
    this.#refuseOtherGroup(uniqueId, row('OFSI Group ID'), damage);
    const target = addDesignation(designationOf(uniqueId, row), this.#targets, damage);
    const unknown = this.#unknown.filter((index) => cells[index] !== '');
    target.draft.addUnknown(unknown.map((index) => `${this.#nameOf(index)}: ${cells[index]}`));
  }

  #nameOf(index: number): string {
    return this.#headings[index] || `column ${index + 1}`;
  }

  /** The group id is the entity's: a row with another one would be taken for another target's. */
  #refuseOtherGroup(uniqueId: string, groupId: string | undefined, damage: Damage): void {
    if (!this.#groups.has(uniqueId)) this.#groups.set(uniqueId, groupId);
    const before = this.#groups.get(uniqueId);
    if (before === groupId) return;
    const what = `${uniqueId} had ${shown(before)} before, got ${shown(groupId)}`;
    throw damage(`column OFSI Group ID: ${what}`);
  }

  finish(): void {
    if (this.#groups.size === 0) throw damaged('line 3: expected a row, got the end of the file');
    this.#targets.finish(false, damaged);
  }
}

/** In a row whose cells were moved this cell may contain a name: an error names none. */
function shown(groupId: string | undefined): string {
  if (groupId === undefined) return 'none';
  return /^\d{1,9}$/.test(groupId) ? groupId : 'no number';
}

function designationOf(uniqueId: string, row: Row): Designation {
  return {
    addresses: [{ country: row('Address Country'), lines: addressLinesOf(row) }],
    birthPlaces: [{ country: row('Country of birth'), town: row('Town of birth') }],
    dates: [row('D.O.B')],
    days: [
      ['designated_on', row('Date Designated')],
      ['updated_on', row('Last Updated')],
    ],
    documents: documentsOf(row),
    facts: [
      ['title', row('Title')],
      ['designation', row('Position')],
      ['organization_type', row('Type of entity')],
      ['subsidiaries', row('Subsidiaries')],
      ['previous_owners', row('Previous owner/operator (s)')],
      ['previous_flags', row('Previous flags')],
      ['vessel_type', row('Type of ship')],
      ['tonnage', row('Tonnage of ship')],
      ['length', row('Length of ship')],
      ['year_built', row('Year Built')],
    ],
    flags: [row('Current believed flag of ship')],
    genders: [row('Gender')],
    groupId: row('OFSI Group ID'),
    imoNumbers: [row('IMO number')],
    kind: row('Designation Type'),
    measures: row('Sanctions Imposed'),
    names: [{ parts: namePartsOf(row), quality: row('Alias strength'), type: row('Name type') }],
    nationalities: [row('Nationality(/ies)')],
    nonLatinNames: [row('Name non-latin script')],
    owners: [row('Current owner/operator (s)')],
    parents: [row('Parent company')],
    remarks: [
      ['remarks', row('Other Information')],
      ['statement_of_reasons', row('UK Statement of Reasons')],
    ],
    uniqueId,
    unReference: row('UN Reference Number'),
    values: [
      [PROGRAMMES, row('Regime Name')],
      ['listing_type', row('Designation source')],
      ['phones', row('Phone number')],
      ['emails', row('Email address')],
      ['websites', row('Website')],
    ],
  };
}

const namePartsOf = (row: Row): (string | undefined)[] => [
  ...[row('Name 1'), row('Name 2'), row('Name 3'), row('Name 4'), row('Name 5'), row('Name 6')],
];

const addressLinesOf = (row: Row): (string | undefined)[] => [
  ...[row('Address Line 1'), row('Address Line 2'), row('Address Line 3')],
  ...[row('Address Line 4'), row('Address Line 5'), row('Address Line 6')],
  row('Address Postal Code'),
];

const documentsOf = (row: Row): Designation['documents'] => [
  {
    details: row('Passport additional information'),
    number: row('Passport number'),
    type: 'Passport',
  },
  {
    details: row('National Identifier additional information'),
    number: row('National Identifier number'),
    type: 'National ID',
  },
  { number: row('Business registration number (s)'), type: 'Registration number' },
  { number: row('Hull identification number (HIN)'), type: 'Hull number' },
];
