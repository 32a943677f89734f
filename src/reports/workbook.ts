/** A workbook beside its sheets: their names, the styles, and when it was made. */

import type { ZipEntry } from '#platform/zipStream';
import { type SheetPart, STYLES, xmlText } from './sheetXml.ts';

const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const CORE_TYPE = 'application/vnd.openxmlformats-package.core-properties+xml';

export function workbookParts({
  createdAt,
  sheets,
}: {
  /** RFC 3339. */
  readonly createdAt: string;
  readonly sheets: readonly SheetPart[];
}): ZipEntry[] {
  return [
    { content: [workbookXml(sheets)], path: 'xl/workbook.xml' },
    { content: [workbookRelations(sheets)], path: 'xl/_rels/workbook.xml.rels' },
    { content: [stylesXml()], path: 'xl/styles.xml' },
    { content: [coreXml(createdAt)], path: 'docProps/core.xml' },
    { content: [packageRelations()], path: '_rels/.rels' },
    { content: [contentTypes(sheets)], path: '[Content_Types].xml' },
  ];
}

function workbookXml(sheets: readonly SheetPart[]): string {
  const listed = sheets.map(
    ({ name }, at) => `<sheet name="${xmlText(name)}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`,
  );
  return (
    `${DECLARATION}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}">` +
    `<sheets>${listed.join('')}</sheets>` +
    `<definedNames>${sheets.map(printTitlesXml).join('')}</definedNames></workbook>`
  );
}

/** The heading and the first column stand on every page that is printed. */
function printTitlesXml({ name }: SheetPart, at: number): string {
  const sheet = `'${xmlText(name)}'`;
  return (
    `<definedName name="_xlnm.Print_Titles" localSheetId="${at}">` +
    `${sheet}!$A:$A,${sheet}!$1:$1</definedName>`
  );
}

function workbookRelations(sheets: readonly SheetPart[]): string {
  const targets = sheets.map(({ path }, at) =>
    relation(`rId${at + 1}`, `${OFFICE}/worksheet`, path.slice('xl/'.length)),
  );
  const styles = relation(`rId${sheets.length + 1}`, `${OFFICE}/styles`, 'styles.xml');
  return relations([...targets, styles]);
}

const packageRelations = (): string =>
  relations([
    relation('rId1', `${OFFICE}/officeDocument`, 'xl/workbook.xml'),
    relation('rId2', `${PACKAGE}/relationships/metadata/core-properties`, 'docProps/core.xml'),
  ]);

const relation = (id: string, type: string, target: string): string =>
  `<Relationship Id="${id}" Type="${type}" Target="${target}"/>`;

const relations = (all: readonly string[]): string =>
  `${DECLARATION}<Relationships xmlns="${PACKAGE}/relationships">${all.join('')}</Relationships>`;

/** Cell formats in the order of STYLES: plain, heading, right to left, heading of a review. */
function stylesXml(): string {
  const format = (font: number, alignment = '', fill = 0): string =>
    `<xf numFmtId="0" fontId="${font}" fillId="${fill}" borderId="0" xfId="0"${
      alignment === '' ? '/>' : ` applyAlignment="1">${alignment}</xf>`
    }`;
  const formats = ['', '', '', ''];
  formats[0] = format(0);
  formats[STYLES.heading] = format(1);
  formats[STYLES.reviewHeading] = format(1, '', 2);
  formats[STYLES.rightToLeft] = format(0, '<alignment horizontal="right" readingOrder="2"/>');
  return (
    `${DECLARATION}<styleSheet xmlns="${MAIN}">` +
    '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>' +
    '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>' +
    '<fills count="3"><fill><patternFill patternType="none"/></fill>' +
    '<fill><patternFill patternType="gray125"/></fill>' +
    '<fill><patternFill patternType="solid"><fgColor rgb="FFFFF2CC"/></patternFill></fill>' +
    '</fills>' +
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
    `<cellXfs count="${formats.length}">${formats.join('')}</cellXfs>` +
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>' +
    '</styleSheet>'
  );
}

function coreXml(createdAt: string): string {
  const time = (name: string): string =>
    `<dcterms:${name} xsi:type="dcterms:W3CDTF">${createdAt}</dcterms:${name}>`;
  return (
    `${DECLARATION}<cp:coreProperties xmlns:cp="${PACKAGE}/metadata/core-properties" ` +
    'xmlns:dcterms="http://purl.org/dc/terms/" ' +
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">' +
    `${time('created')}${time('modified')}</cp:coreProperties>`
  );
}

function contentTypes(sheets: readonly SheetPart[]): string {
  const override = (path: string, type: string): string =>
    `<Override PartName="/${path}" ContentType="${type}"/>`;
  return (
    `${DECLARATION}<Types xmlns="${PACKAGE}/content-types">` +
    '<Default Extension="rels" ' +
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    '<Default Extension="xml" ContentType="application/xml"/>' +
    override('xl/workbook.xml', `${TYPES}.sheet.main+xml`) +
    override('xl/styles.xml', `${TYPES}.styles+xml`) +
    override('docProps/core.xml', CORE_TYPE) +
    sheets.map(({ path }) => override(path, `${TYPES}.worksheet+xml`)).join('') +
    '</Types>'
  );
}
