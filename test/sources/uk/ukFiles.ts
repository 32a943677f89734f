/** Small files in the four layouts of the United Kingdom: the same targets in each. */
const COLUMNS =
  'Name 6,Name 1,Name 2,Name 3,Name 4,Name 5,Title,DOB,Town of Birth,Country of Birth,' +
  'Nationality,Passport Details,NI Number,Position,Address 1,Address 2,Address 3,Address 4,' +
  'Address 5,Address 6,Post/Zip Code,Country,Other Information,Group Type,Alias Type,Regime,' +
  'Listed On,Last Updated,Group ID';

export type CsvCells = Readonly<Record<string, string>>;

/** Cells by column name; what is not given is empty. */
export function csvRow(cells: CsvCells): string {
  const filled: CsvCells = {
    'Alias Type': 'Prime Alias',
    'Group Type': 'Individual',
    'Last Updated': '02/01/2020',
    ...cells,
  };
  return line(COLUMNS.split(','), filled);
}

const line = (columns: readonly string[], cells: CsvCells): string =>
  columns
    .map((column) => {
      const cell = cells[column] ?? '';
      return /[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
    })
    .join(',');

export const csvFile = (rows: readonly string[], first = 'Last Updated,27/04/2020'): string =>
  [first, COLUMNS, ...rows, ''].join('\r\n');

export const conListXml = (
  targets: readonly string[],
  namespace = 'http://schemas.hmtreasury.gov.uk/ofsi/consolidatedlist',
): string =>
  `<?xml version="1.0" encoding="utf-8"?>
<ArrayOfFinancialSanctionsTarget xmlns:i="http://www.w3.org/2001/XMLSchema-instance"
  xmlns="${namespace}">${targets.join('\n')}</ArrayOfFinancialSanctionsTarget>`;

/** Elements by name; the nil one stands for all those that a row leaves empty. */
export const target = (elements: CsvCells): string =>
  `<FinancialSanctionsTarget><FCOId i:nil="true" />${Object.entries(elements)
    .map(([name, text]) => `<${name}>${text}</${name}>`)
    .join('')}</FinancialSanctionsTarget>`;

export const sanctionsList = (designations: readonly string[], generated = '02/10/2026'): string =>
  `<?xml version="1.0" encoding="utf-8"?>
<Designations xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <DateGenerated>${generated}</DateGenerated>${designations.join('\n')}</Designations>`;

export const designation = (inner: string): string => `<Designation>${inner}</Designation>`;

export const DESIGNATION_COLUMNS =
  'Last Updated,Unique ID,OFSI Group ID,UN Reference Number,Name 6,Name 1,Name 2,Name 3,Name 4,' +
  'Name 5,Name type,Alias strength,Title,Name non-latin script,Non-latin script type,' +
  'Non-latin script language,Regime Name,Designation Type,Designation source,Sanctions Imposed,' +
  'Other Information,UK Statement of Reasons,Address Line 1,Address Line 2,Address Line 3,' +
  'Address Line 4,Address Line 5,Address Line 6,Address Postal Code,Address Country,' +
  'Phone number,Website,Email address,Date Designated,D.O.B,Nationality(/ies),' +
  'National Identifier number,National Identifier additional information,Passport number,' +
  'Passport additional information,Position,Gender,Town of birth,Country of birth,' +
  'Type of entity,Subsidiaries,Parent company,Business registration number (s),IMO number,' +
  'Current owner/operator (s),Previous owner/operator (s),Current believed flag of ship,' +
  'Previous flags,Type of ship,Tonnage of ship,Length of ship,Year Built,' +
  'Hull identification number (HIN)';

/** Cells by column name; what is not given is empty. */
export const designationRow = (cells: CsvCells, columns = DESIGNATION_COLUMNS): string =>
  line(columns.split(','), {
    'Designation Type': 'Individual',
    'Name type': 'Primary Name',
    ...cells,
  });

export const designationsCsv = (
  rows: readonly string[],
  { columns = DESIGNATION_COLUMNS, first = 'Report Date: 02-Oct-2026' } = {},
): string => [first, columns, ...rows, ''].join('\r\n');
