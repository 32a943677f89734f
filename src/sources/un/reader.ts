/**
 * UN_SC: the Security Council's consolidated list, `CONSOLIDATED_LIST` without a namespace, with
 * one section of individuals and one of entities. The file declares no count. A section that is
 * missing or empty is damage, since an editor that saved a cut file could have closed its elements.
 */
import { DomainError } from '#core/kernel';
import type { XmlAttributes } from '#platform/xml/ports';
import type { ListReader } from '#slices/ingestion';
import type { CountryLookup } from '#slices/lists';
import { ListDraft } from '../listDraft.ts';
import { isoPartialDate } from '../partialDates.ts';
import { type RecordsHandler, readXmlRecords, type XmlRecord } from '../xmlRecords.ts';
import { mapUnRecord } from './map.ts';

const SECTIONS: Readonly<Record<string, string>> = {
  INDIVIDUALS: 'INDIVIDUAL',
  ENTITIES: 'ENTITY',
};

export function unReader(countries: CountryLookup): ListReader {
  return {
    format: 'UN consolidated list XML',
    read: async (chunks, { sourceId, sink, onBytes }) => {
      const list = new ListDraft({ sourceId, countries });
      const file = new UnFile(list);
      await readXmlRecords(chunks, file, { depth: 3, ...(onBytes ? { onBytes } : {}) });
      return list.finish({ releaseDate: file.finish() }, sink);
    },
  };
}

class UnFile implements RecordsHandler {
  readonly #list: ListDraft;
  readonly #counts = new Map<string, number>();
  #releaseDate = '';

  constructor(list: ListDraft) {
    this.#list = list;
  }

  root(name: string, namespace: string, attributes: XmlAttributes): void {
    if (name !== 'CONSOLIDATED_LIST' || namespace !== '') {
      const detail = `expected CONSOLIDATED_LIST of the United Nations, got ${name.slice(0, 100)}`;
      throw new DomainError('list-foreign', { detail });
    }
    const generated = isoPartialDate(attributes.get('dateGenerated') ?? '');
    if (generated?.length !== 10) throw damaged('dateGenerated: expected a day');
    this.#releaseDate = generated;
  }

  record(record: XmlRecord, section: string): void {
    if (SECTIONS[section] !== record.name) {
      throw damaged(`unexpected ${record.name} in ${section}`);
    }
    const count = (this.#counts.get(section) ?? 0) + 1;
    this.#counts.set(section, count);
    mapUnRecord(record, this.#list, (what) => damaged(`${record.name} ${count}: ${what}`));
  }

  finish(): string {
    for (const section of Object.keys(SECTIONS)) {
      if (!this.#counts.has(section)) throw damaged(`${section}: expected at least one record`);
    }
    return this.#releaseDate;
  }
}

const damaged = (detail: string) => new DomainError('list-damaged', { detail });
