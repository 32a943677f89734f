/**
 * EU_CFSP: the Commission's consolidated list of financial sanctions, XML 1.1. Nearly everything
 * stands in attributes. The file declares no count; its generation date is the release.
 */
import { DomainError } from '#core/kernel';
import type { XmlAttributes } from '#platform/xml/ports';
import type { ListReader } from '#slices/ingestion';
import type { CountryLookup } from '#slices/lists';
import { ListDraft } from '../listDraft.ts';
import { isoPartialDate } from '../partialDates.ts';
import { type RecordsHandler, readXmlRecords, type XmlRecord } from '../xmlRecords.ts';
import { EuMapper } from './map.ts';

/** Which regulation brought which detail: a third of the file, and not about the subject. */
const SKIPPED = new Set(['regulationSummary']);
const NAMESPACE = 'http://eu.europa.ec/fpi/fsd/export';

export function euReader(countries: CountryLookup): ListReader {
  return {
    format: 'EU consolidated list XML 1.1',
    read: async (chunks, { sourceId, sink, onBytes }) => {
      const list = new ListDraft({ sourceId, countries });
      const file = new EuFile(new EuMapper(list, countries));
      const options = { depth: 2, skipped: SKIPPED, ...(onBytes ? { onBytes } : {}) };
      await readXmlRecords(chunks, file, options);
      return list.finish({ releaseDate: file.finish() }, sink);
    },
  };
}

class EuFile implements RecordsHandler {
  readonly #mapper: EuMapper;
  #releaseDate = '';
  #count = 0;

  constructor(mapper: EuMapper) {
    this.#mapper = mapper;
  }

  root(name: string, namespace: string, attributes: XmlAttributes): void {
    if (name !== 'export' || namespace !== NAMESPACE) {
      const got = `${name.slice(0, 100)} of namespace '${namespace.slice(0, 200)}'`;
      throw new DomainError('list-foreign', { detail: `expected export of the EU, got ${got}` });
    }
    const generated = isoPartialDate(attributes.get('generationDate') ?? '');
    if (generated?.length !== 10) throw damaged('generationDate: expected a day');
    this.#releaseDate = generated;
  }

  record(record: XmlRecord): void {
    this.#count++;
    const damage = (what: string) => damaged(`sanctionEntity ${this.#count}: ${what}`);
    if (record.name !== 'sanctionEntity') throw damage(`unexpected ${record.name}`);
    this.#mapper.add(record, damage);
  }

  finish(): string {
    this.#mapper.finish();
    return this.#releaseDate;
  }
}

const damaged = (detail: string) => new DomainError('list-damaged', { detail });
