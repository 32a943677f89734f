/**
 * The parts of a workbook, packed anew for exceljs. Its streaming reader needs the workbook, styles
 * and texts before the sheets, and the sheets under the names that Excel gives them. Writers choose
 * order and names freely; exceljs drops a part that comes too early or under another name, or fails
 * on it.
 *
 * The relations (ECMA-376 part 2, 9.3) say which part is which, not the names.
 */
import { posix } from 'node:path';
import { DomainError } from '#core/kernel';
import type { XmlAttributes } from '#platform/xml/ports';
import { readListXml } from '../readListXml.ts';
import { readablePart } from './sheetText.ts';
import { unzip, zipStored } from './zipFile.ts';

/** Lists have one, or one a kind of entry. */
const SHEETS_MAX = 100;
const WORKBOOK = 'xl/workbook.xml';
const RELATIONS = 'xl/_rels/workbook.xml.rels';
const NO_TEXTS = Buffer.from('<sst/>');
const NO_RELATIONS = Buffer.from('<Relationships/>');

export async function workbookParts(file: Buffer): Promise<Buffer[]> {
  const parts = unzip(file);
  const [main] = (await relationsOf(parts, '')).values();
  if (!main) throw damaged('no workbook');
  const relations = await relationsOf(parts, main.target);
  const { is1904, sheetIds } = await workbookOf(partOf(parts, main.target));
  const targets = sheetTargets(sheetIds, relations);
  const only = (type: string): string | undefined =>
    [...relations.values()].find((one) => one.type === type)?.target;
  const styles = only('styles');
  const texts = only('sharedStrings');
  const readable = (name: string): Buffer => readablePart(partOf(parts, name), name);
  return zipStored([
    [WORKBOOK, Buffer.from(`<workbook><workbookPr date1904="${Number(is1904)}"/></workbook>`)],
    [RELATIONS, NO_RELATIONS],
    ...(styles ? [['xl/styles.xml', readable(styles)] as const] : []),
    ['xl/sharedStrings.xml', texts ? readable(texts) : NO_TEXTS],
    ...targets.map(
      (name, index) => [`xl/worksheets/sheet${index + 1}.xml`, readable(name)] as const,
    ),
  ]);
}

/**
 * Paths of the worksheets, in order. A part that is named twice would be many for the size of one.
 */
function sheetTargets(ids: readonly string[], relations: Relations): string[] {
  const targets = new Set<string>();
  for (const id of ids) {
    const relation = relations.get(id);
    if (!relation) throw damaged('a sheet that is nowhere');
    // Others are charts.
    if (relation.type !== 'worksheet') continue;
    if (targets.has(relation.target)) throw damaged('a sheet that stands twice');
    targets.add(relation.target);
  }
  return [...targets];
}

interface Relation {
  /** The last word of its URI, the only part in which the two dialects agree. */
  readonly type: string;
  readonly target: string;
}

/** By id. */
type Relations = ReadonlyMap<string, Relation>;

/** Relations of a part to others; of the file itself (`''`), to its workbook alone. */
async function relationsOf(parts: Parts, source: string): Promise<Relations> {
  const { base, dir } = posix.parse(source);
  const relations = new Map<string, Relation>();
  await readPart(partOf(parts, posix.join(dir, '_rels', `${base}.rels`)), (name, attributes) => {
    if (name !== 'Relationship' || attributes.get('TargetMode') === 'External') return;
    const target = posix.resolve('/', dir, attributes.get('Target') ?? '').slice(1);
    const type = attributes.get('Type')?.split('/').at(-1) ?? '';
    if (source !== '' || type === 'officeDocument') {
      const id = attributes.get('Id') ?? '';
      if (relations.has(id)) throw damaged('a relation that stands twice');
      relations.set(id, { target, type });
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
    // It is unknown whether a hidden sheet is part of the list.
    if ((attributes.get('state') ?? 'visible') !== 'visible') {
      throw damaged('a hidden sheet: show it, or take it out');
    }
    const key = attributes.names().find((one) => one.endsWith(':id')) ?? '';
    sheetIds.push(attributes.get(key) ?? '');
    if (sheetIds.length > SHEETS_MAX) throw damaged(`over ${SHEETS_MAX} sheets`);
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
  await readListXml(chunks, {
    close: () => undefined,
    open: (name, _, attributes) => open(name, attributes),
    root: () => undefined,
  });
}

const damaged = (what: string): DomainError =>
  new DomainError('list-damaged', { detail: `spreadsheet: ${what}` });
