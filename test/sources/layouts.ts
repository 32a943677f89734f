/** One small file of every layout that is read, its records in any order. */
import exceljs from 'exceljs';
import { advancedFile } from '../../bench/ofacFiles.ts';
import { pdfFile } from './national/pdfFile.ts';
import { entry, sdnFile } from './ofac/sdnFile.ts';
import {
  conListXml,
  csvFile,
  csvRow,
  designation,
  designationRow,
  designationsCsv,
  sanctionsList,
  target,
} from './uk/ukFiles.ts';
import { entity, individual, unFile } from './un/unFile.ts';

const RECORDS = 12;
const numbers = Array.from({ length: RECORDS }, (_, index) => index + 1);
const NAMES = 'Ann Bo Cy Di Ed Flo Gus Hal Ida Jo Kim Lee'.split(' ');
const nameOf = (number: number): string => `Velmorani ${NAMES[number - 1]}`;
export type Order = (numbers: readonly number[]) => number[];

export interface Layout {
  readonly source: string;
  readonly kind: 'xml' | 'text' | 'binary';
  readonly file: (order: Order) => string | Uint8Array | Promise<Uint8Array>;
  /** What Excel saves as "Unicode text" is read. */
  readonly readsUtf16?: boolean;
  /** A text of the file that says something wrong about the file, instead of another. */
  readonly lies?: readonly (readonly [from: string | RegExp, to: string])[];
}

const json = (lines: readonly object[]): string =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join('');

export const LAYOUTS: Readonly<Record<string, Layout>> = {
  'OFAC, sdn.xml': {
    file: (order) =>
      sdnFile({
        entries: order(numbers).map((uid) => entry({ lastName: nameOf(uid), uid })),
      }),
    kind: 'xml',
    lies: [[`<Record_Count>${RECORDS}`, `<Record_Count>${RECORDS + 1}`]],
    source: 'OFAC_SDN',
  },
  'OFAC, SDN_ADVANCED': {
    // Its parties, profiles and entries refer to each other: the order is the publisher's.
    file: () => [...advancedFile({ count: RECORDS })].join(''),
    kind: 'xml',
    lies: [['ID="2" ProfileID="2"', 'ID="2" ProfileID="99"']],
    source: 'OFAC_CONSOLIDATED',
  },
  'Security Council': {
    file: (order) =>
      unFile({
        entities: [entity({ reference: 'QDe.001' })],
        individuals: order(numbers).map((number) =>
          individual({
            name: nameOf(number).toUpperCase(),
            reference: `QDi.${String(number).padStart(3, '0')}`,
          }),
        ),
      }),
    kind: 'xml',
    lies: [['QDi.003', 'QDi.002']],
    source: 'UN_SC',
  },
  'European Union': {
    file: (order) => `<?xml version="1.0" encoding="UTF-8"?>
<export xmlns="http://eu.europa.ec/fpi/fsd/export" generationDate="2022-03-18T14:52:26.947+01:00">
${order(numbers)
  .map(
    (number) => `<sanctionEntity euReferenceNumber="EU.${number}.1" logicalId="${number}">
<subjectType code="person"/><nameAlias wholeName="${nameOf(number)}" strong="true" logicalId="1"/>
</sanctionEntity>`,
  )
  .join('\n')}</export>`,
    kind: 'xml',
    lies: [['logicalId="3"', 'logicalId="2"']],
    source: 'EU_CFSP',
  },
  'United Kingdom, CSV': {
    file: (order) =>
      csvFile(
        order(numbers).map((number) =>
          csvRow({ 'Group ID': `${7000 + number}`, 'Name 6': nameOf(number) }),
        ),
      ),
    kind: 'text',
    lies: [
      ['Group ID', 'Number'],
      ['Last Updated,27/04/2020', 'Last Updated,45/45/2020'],
    ],
    source: 'HMT_OFSI',
  },
  'United Kingdom, ConList.xml': {
    file: (order) =>
      conListXml(
        order(numbers).map((number) =>
          target({
            Name6: nameOf(number),
            GroupTypeDescription: 'Individual',
            AliasType: 'Primary name',
            LastUpdated: '2022-03-05T00:00:00',
            GroupID: `${7000 + number}`,
          }),
        ),
      ),
    kind: 'xml',
    lies: [['<GroupID>7003', '<GroupID>none']],
    source: 'HMT_OFSI',
  },
  'United Kingdom, UK Sanctions List': {
    file: (order) =>
      sanctionsList(
        order(numbers).map((number) =>
          designation(`<UniqueID>AFG${String(number).padStart(4, '0')}</UniqueID>
            <IndividualEntityShip>Entity</IndividualEntityShip><Names><Name>
            <Name6>${nameOf(number)}</Name6><NameType>Primary Name</NameType></Name></Names>`),
        ),
        '02/01/2026',
      ),
    kind: 'xml',
    lies: [['<DateGenerated>02/01/2026', '<DateGenerated>soon']],
    source: 'HMT_OFSI',
  },
  'United Kingdom, UK Sanctions List, CSV': {
    file: (order) =>
      designationsCsv(
        order(numbers).map((number) =>
          designationRow({
            'Designation Type': 'Entity',
            'Name 6': nameOf(number),
            'Unique ID': `AFG${String(number).padStart(4, '0')}`,
          }),
        ),
        { first: 'Report Date: 02-Jan-2026' },
      ),
    kind: 'text',
    lies: [
      ['Unique ID', 'Number'],
      ['AFG0003', ''],
      ['Report Date: 02-Jan-2026', 'Report Date: 45-Jan-2026'],
    ],
    source: 'HMT_OFSI',
  },
  'FtM JSON lines': {
    file: (order) =>
      json(
        order(numbers).map((number) => ({
          caption: nameOf(number),
          id: `NK-${number}`,
          last_seen: '2024-06-01T10:57:03',
          properties: { name: [nameOf(number)], topics: ['sanction'] },
          schema: 'Person',
        })),
      ),
    kind: 'text',
    lies: [['"schema":"Person"}\n{', '"schema":"Person"}{']],
    source: 'OPEN_AGGREGATE',
  },
  'a vendor’s feed': {
    file: (order) =>
      json([
        { entity_count: RECORDS, kind: 'full', release_date: '2026-01-02' },
        ...order(numbers).map((number) => ({
          categories: ['SAN'],
          id: `P-${number}`,
          primary_name: nameOf(number),
          schema: 'Person',
        })),
      ]),
    kind: 'text',
    lies: [[`"entity_count":${RECORDS}`, `"entity_count":${RECORDS - 1}`]],
    source: 'COMMERCIAL_WATCHLIST',
  },
  'list format v1': {
    file: (order) =>
      json([
        {
          $schema: 'urn:compliance-platform:list-format:v1',
          entity_count: RECORDS,
          release_date: '2026-01-01',
          source: 'DEMO',
        },
        ...order(numbers).map((number) => ({
          categories: ['SAN'],
          ftm_id: `demo-${number}`,
          primary_name: nameOf(number),
          schema: 'Person',
        })),
      ]),
    kind: 'text',
    lies: [
      [`"entity_count":${RECORDS}`, `"entity_count":${RECORDS + 1}`],
      ['"release_date":"2026-01-01"', '"release_date":"2025-13-45"'],
    ],
    source: 'DEMO',
  },
  'national, CSV': {
    file: (order) =>
      [
        'Liste nationale, mise à jour : 12/01/2026',
        'Nom et prénom;Date de naissance;N° CIN',
        ...order(numbers).map((number) => `${nameOf(number)};12/03/1980;${1_000_000 + number}`),
        '',
      ].join('\r\n'),
    kind: 'text',
    readsUtf16: true,
    lies: [
      ['12/01/2026', 'hier'],
      ['Nom et prénom', 'Produit'],
    ],
    source: 'BCT_TN',
  },
  'national, spreadsheet': {
    file: async (order) => {
      const workbook = new exceljs.Workbook();
      const sheet = workbook.addWorksheet('Liste');
      sheet.addRow(['Liste nationale, mise à jour : 12/01/2026']);
      sheet.addRow(['Nom et prénom', 'Date de naissance', 'N° CIN']);
      for (const number of order(numbers))
        sheet.addRow([nameOf(number), '12/03/1980', `${1_000_000 + number}`]);
      return Buffer.from(await workbook.xlsx.writeBuffer());
    },
    kind: 'binary',
    source: 'BCT_TN',
  },
  'national, PDF': {
    file: (order) => {
      const at = (y: number, cells: readonly string[]) =>
        cells.map((text, index) => ({ text, x: [40, 90, 300][index] ?? 0, y }));
      return pdfFile([
        [
          { text: 'Liste nationale du 12/01/2026', x: 250, y: 570 },
          ...at(540, ['No', 'Nom et prénom', 'Date de naissance']),
          ...order(numbers).flatMap((number, row) =>
            at(520 - row * 24, [`${row + 1}`, nameOf(number), '12/03/1980']),
          ),
        ],
      ]);
    },
    kind: 'binary',
    source: 'BCT_TN',
  },
};
