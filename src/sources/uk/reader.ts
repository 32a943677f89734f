/**
 * HMT_OFSI: the United Kingdom's sanctions in any of the layouts: the Treasury's list (ConList), or
 * the Foreign Office's UK Sanctions List, which replaced it in January 2026, each as CSV or XML.
 * The first letter distinguishes CSV from XML, the root element one XML from the other, the first
 * line one CSV from the other.
 */
import { DomainError } from '#core/kernel';
import type { ListReader } from '#slices/ingestion';
import type { CountryLookup } from '#slices/lists';
import { countBytes } from '../countBytes.ts';
import { ListDraft } from '../listDraft.ts';
import { dayFirstDate, isoPartialDate } from '../partialDates.ts';
import { type RecordsHandler, readXmlRecords, type XmlRecord } from '../xmlRecords.ts';
import { conListRows } from './conListCsv.ts';
import { addConListRow, FIELDS, IGNORED } from './conListRow.ts';
import { damaged, readUkCsv } from './csvFile.ts';
import { designationRows } from './designationCsv.ts';
import { addDesignationXml } from './designationXml.ts';
import { UkTargets } from './target.ts';

const CON_LIST_NAMESPACE = 'http://schemas.hmtreasury.gov.uk/ofsi/consolidatedlist';

export function ukReader(countries: CountryLookup): ListReader {
  return {
    format: 'OFSI consolidated list or UK Sanctions List, CSV or XML',
    read: async (chunks, { sourceId, sink, onBytes }) => {
      const list = new ListDraft({ sourceId, countries });
      const targets = new UkTargets(list);
      const { isXml, bytes } = await peeked(countBytes(chunks, onBytes));
      if (!isXml) return list.finish({ releaseDate: await readCsv(bytes, targets) }, sink);
      const file = new UkXmlFile(targets);
      await readXmlRecords(bytes, file, { depth: 2 });
      return list.finish({ releaseDate: file.finish() }, sink);
    },
  };
}

const readCsv = (bytes: AsyncIterable<Uint8Array>, targets: UkTargets): Promise<string> =>
  readUkCsv(bytes, [
    (firstLine) => designationRows(firstLine, targets),
    (firstLine) => conListRows(firstLine, targets),
  ]);

class UkXmlFile implements RecordsHandler {
  readonly #targets: UkTargets;
  readonly #seen = new Set<string>();
  #isConList = false;
  #generated: string | undefined;
  #latestChange = '';
  #count = 0;

  constructor(targets: UkTargets) {
    this.#targets = targets;
  }

  root(name: string, namespace: string): void {
    this.#isConList = name === 'ArrayOfFinancialSanctionsTarget';
    if (this.#isConList && namespace === CON_LIST_NAMESPACE) return;
    if (name === 'Designations' && namespace === '') return;
    const got = `${name.slice(0, 100)} of namespace '${namespace.slice(0, 200)}'`;
    const detail = `expected a sanctions list of the United Kingdom, got ${got}`;
    throw new DomainError('list-foreign', { detail });
  }

  record(record: XmlRecord): void {
    if (!this.#isConList && record.name === 'DateGenerated') {
      const text = record.value ?? '';
      this.#generated = dayFirstDate(text) ?? isoPartialDate(text);
      return;
    }
    this.#count++;
    const expected = this.#isConList ? 'FinancialSanctionsTarget' : 'Designation';
    const damage = (what: string) => damaged(`${expected} ${this.#count}: ${what}`);
    if (record.name !== expected) throw damage(`unexpected ${record.name}`);
    if (this.#isConList) this.#takeRow(record, damage);
    else addDesignationXml(record, { seen: this.#seen, targets: this.#targets }, damage);
  }

  /** The Treasury's XML does not say of when it is: its latest change does. */
  finish(): string {
    this.#targets.finish(false, damaged);
    const releaseDate = this.#isConList ? this.#latestChange : this.#generated;
    if (releaseDate?.length === 10) return releaseDate;
    throw damaged(this.#isConList ? 'no LastUpdated in the file' : 'DateGenerated: expected a day');
  }

  #takeRow(record: XmlRecord, damage: (what: string) => DomainError): void {
    const row = record.renamed(FIELDS);
    record.ignore(...IGNORED);
    addConListRow(row, this.#targets, damage);
    const facts = { groupId: row.groupId, uniqueId: undefined, kind: row.kind };
    this.#targets.target(facts, damage).draft.addUnknown(record.left());
    const changed = isoPartialDate(row.updatedOn ?? '') ?? dayFirstDate(row.updatedOn ?? '') ?? '';
    if (changed > this.#latestChange) this.#latestChange = changed;
  }
}

/** Finds the first byte that is neither white space nor a byte order mark. */
async function peeked(
  chunks: AsyncIterable<Uint8Array>,
): Promise<{ isXml: boolean; bytes: AsyncIterable<Uint8Array> }> {
  const iterator = chunks[Symbol.asyncIterator]();
  const seen: Uint8Array[] = [];
  let first: number | undefined;
  while (first === undefined) {
    const next = await iterator.next();
    if (next.done) break;
    seen.push(next.value);
    first = next.value.find((byte) => byte > 0x20 && ![0xef, 0xbb, 0xbf].includes(byte));
  }
  return { isXml: first === 0x3c, bytes: continued(seen, iterator) };
}

async function* continued(
  seen: readonly Uint8Array[],
  iterator: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* seen;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}
