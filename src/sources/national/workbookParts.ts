/**
 * The parts of a workbook, packed anew for exceljs, whose streaming reader wants the workbook,
 * styles and texts before the sheets, and the sheets under the names that Excel gives them. Writers
 * order and name them as they like; what it meets too early or under another name, it leaves out
 * or stumbles over.
 *
 * Which part is which is told by the relations (ECMA-376 part 2, 9.3), not by names.
 */
import { posix } from 'node:path';
import { DomainError } from '#domain/kernel';
import { readXml, type XmlAttributes } from '../xml/index.ts';
import { readableSheet, readableTexts } from './sheetText.ts';
import { unzip, zipStored } from './zipFile.ts';

const WORKBOOK = 'xl/workbook.xml';
const RELATIONS = 'xl/_rels/workbook.xml.rels';
const NO_TEXTS = Buffer.from('<sst/>');
const NO_RELATIONS = Buffer.from('<Relationships/>');

export async function workbookParts(file: Buffer): Promise<Buffer[]> {
  const parts = unzip(file);
  const [main] = await relationsOf(parts, '');
  if (!main) throw damaged('no workbook');
  const relations = await relationsOf(parts, main.target);
  const { is1904, sheetIds } = await workbookOf(partOf(parts, main.target));
  const sheets = sheetIds.flatMap((id) => {
    const relation = relations.find((one) => one.id === id);
    if (!relation) throw damaged('a sheet that is nowhere');
    // Others are charts.
    return relation.type === 'worksheet' ? [readableSheet(partOf(parts, relation.target))] : [];
  });
  const only = (type: string): Buffer | undefined => {
    const relation = relations.find((one) => one.type === type);
    return relation && partOf(parts, relation.target);
  };
  const styles = only('styles');
  return zipStored([
    [WORKBOOK, Buffer.from(`<workbook><workbookPr date1904="${Number(is1904)}"/></workbook>`)],
    [RELATIONS, NO_RELATIONS],
    ...(styles ? [['xl/styles.xml', styles] as const] : []),
    ['xl/sharedStrings.xml', readableTexts(only('sharedStrings') ?? NO_TEXTS)],
    ...sheets.map((sheet, index) => [`xl/worksheets/sheet${index + 1}.xml`, sheet] as const),
  ]);
}

interface Relation {
  readonly id: string;
  /** The last word of its URI, which is all in which the two dialects agree. */
  readonly type: string;
  readonly target: string;
}

/** Of a part to others; of the file itself (`''`), to its workbook alone. */
async function relationsOf(parts: Parts, source: string): Promise<Relation[]> {
  const { base, dir } = posix.parse(source);
  const relations: Relation[] = [];
  await readPart(partOf(parts, posix.join(dir, '_rels', `${base}.rels`)), (name, attributes) => {
    if (name !== 'Relationship' || attributes.get('TargetMode') === 'External') return;
    const target = posix.resolve('/', dir, attributes.get('Target') ?? '').slice(1);
    const type = attributes.get('Type')?.split('/').at(-1) ?? '';
    if (source !== '' || type === 'officeDocument') {
      relations.push({ id: attributes.get('Id') ?? '', target, type });
    }
  });
  return relations;
}

async function workbookOf(part: Buffer): Promise<{ is1904: boolean; sheetIds: string[] }> {
  const sheetIds: string[] = [];
  let is1904 = false;
  await readPart(part, (name, attributes) => {
    if (name === 'workbookPr') is1904 = /^(?:1|true)$/.test(attributes.get('date1904') ?? '');
    if (name !== 'sheet') return;
    const key = attributes.names().find((one) => one.endsWith(':id')) ?? '';
    sheetIds.push(attributes.get(key) ?? '');
  });
  return { is1904, sheetIds };
}

type Parts = ReadonlyMap<string, Buffer>;

function partOf(parts: Parts, name: string): Buffer {
  const part = parts.get(name);
  if (!part) throw damaged('a part that is missing');
  return part;
}

async function readPart(
  part: Buffer,
  open: (name: string, attributes: XmlAttributes) => void,
): Promise<void> {
  const chunks = (async function* () {
    yield part;
  })();
  await readXml(chunks, {
    close: () => undefined,
    open: (name, _, attributes) => open(name, attributes),
    root: () => undefined,
  });
}

const damaged = (what: string): DomainError =>
  new DomainError('list-damaged', { detail: `spreadsheet: ${what}` });
