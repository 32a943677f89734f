/**
 * Records out of the XML of a message of ours, as it was filed. It is read by its text: the writer
 * sets no white space, and prefixes that never change, so that a record can be sent again to the
 * byte, with nothing but its DocSpec exchanged.
 */
import { DomainError } from '#core/kernel';
import { DIALECTS, type ReportSchema } from './dialects.ts';
import type { FiledType } from './filedRecords.ts';
import type { Xml } from './xmlWriter.ts';

const RECORDS = ['ReportingFI', 'Sponsor', 'AccountReport', 'PoolReport', 'NilReport'] as const;

/** A record as it stands in a message. */
export interface WrittenRecord {
  readonly kind: (typeof RECORDS)[number];
  readonly xml: Xml;
  readonly docRefId: string;
  readonly type: FiledType;
  readonly corrDocRefId?: string;
}

const TYPES: Readonly<Record<string, FiledType>> = {
  '0': 'resent',
  '1': 'new',
  '2': 'corrected',
  '3': 'void',
  '4': 'amended',
};
const INDIC = /:DocTypeIndic>[A-Z]+1?([0-4])</;
const DOC_REF = /:DocRefId>([^<]{1,200})</;
const CORR_REF = /:CorrDocRefId>([^<]{1,200})</;

const damaged = (): DomainError =>
  new DomainError('blob-damaged', { detail: 'the XML has no records of ours' });

/** The record before, in, and after its DocSpec. */
function partsOf(xml: Xml): readonly [string, string, string] {
  const end = xml.indexOf(':DocSpec>');
  const from = xml.lastIndexOf('<', end);
  const close = xml.indexOf(':DocSpec>', end + 1);
  if (end < 0 || close < 0) throw damaged();
  const to = close + ':DocSpec>'.length;
  return [xml.slice(0, from), xml.slice(from, to), xml.slice(to)];
}

/** The record without what tells its version: two of the same content are the same text. */
export const contentOf = (xml: Xml): string => withSpec(xml, '');

/** The record with another DocSpec. */
export const withSpec = (xml: Xml, spec: Xml): Xml => {
  const [front, , back] = partsOf(xml);
  return front + spec + back;
};

const beginOf = (schema: ReportSchema) =>
  new RegExp(`<${DIALECTS[schema].of.main}:(${RECORDS.join('|')})>`);
const BEGINS = Object.fromEntries(
  (Object.keys(DIALECTS) as ReportSchema[]).map((schema) => [schema, beginOf(schema)]),
) as Readonly<Record<ReportSchema, RegExp>>;

/** The records of a message, one in memory at a time. */
export async function* recordsIn(
  pieces: AsyncIterable<Uint8Array>,
  schema: ReportSchema,
): AsyncGenerator<WrittenRecord> {
  const { main } = DIALECTS[schema].of;
  const begin = BEGINS[schema];
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  for await (const piece of pieces) {
    text += decoder.decode(piece, { stream: true });
    for (;;) {
      const found = begin.exec(text);
      if (found === null) break;
      const kind = found[1] as WrittenRecord['kind'];
      const close = `</${main}:${kind}>`;
      const end = text.indexOf(close, found.index);
      if (end < 0) break;
      yield recordOf(kind, text.slice(found.index, end + close.length));
      text = text.slice(end + close.length);
    }
  }
}

function recordOf(kind: WrittenRecord['kind'], xml: Xml): WrittenRecord {
  const [, spec] = partsOf(xml);
  const type = TYPES[INDIC.exec(spec)?.[1] ?? ''];
  const docRefId = DOC_REF.exec(spec)?.[1];
  if (type === undefined || docRefId === undefined) throw damaged();
  const corrDocRefId = CORR_REF.exec(spec)?.[1];
  return { docRefId, kind, type, xml, ...(corrDocRefId !== undefined && { corrDocRefId }) };
}
