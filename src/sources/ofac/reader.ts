/**
 * OFAC_SDN and OFAC_CONSOLIDATED: the file in, list format v1 out. OFAC publishes either list in
 * two layouts, and the root of the file tells which one it is.
 */
import type { CountryLookup, ListReader, ListSink, ReadList } from '#domain/lists';
import { readXml, type XmlAttributes, type XmlHandler } from '../xml/index.ts';
import { AdvancedReader, isAdvanced } from './advanced/read.ts';
import { OfacMapper } from './map.ts';
import { OfacReader } from './read.ts';

export function ofacReader(countries: CountryLookup): ListReader {
  return {
    format: 'OFAC SDN XML or SDN_ADVANCED XML',
    read: async (chunks, { sourceId, sink, onBytes }) => {
      const file = new OfacFile({ sourceId, countries, sink });
      await readXml(chunks, file, onBytes ? { onBytes } : {});
      return file.finish();
    },
  };
}

interface FileOptions {
  readonly sourceId: string;
  readonly countries: CountryLookup;
  readonly sink: ListSink;
}

class OfacFile implements XmlHandler {
  readonly #options: FileOptions;
  readonly #mapper: OfacMapper;
  readonly #sdn: OfacReader;
  #advanced: AdvancedReader | undefined;

  constructor(options: FileOptions) {
    this.#options = options;
    const mapper = new OfacMapper(options);
    this.#mapper = mapper;
    this.#sdn = new OfacReader((entry, header) => mapper.add(entry, header));
  }

  root(name: string, namespace: string, attributes: XmlAttributes): void {
    if (isAdvanced(name, namespace)) this.#advanced = new AdvancedReader(this.#options);
    (this.#advanced ?? this.#sdn).root(name, namespace, attributes);
  }

  open(name: string, depth: number, attributes: XmlAttributes): void {
    if (this.#advanced) this.#advanced.open(name, depth, attributes);
    else this.#sdn.open(name, depth);
  }

  close(name: string, text: string, depth: number): void {
    if (this.#advanced) this.#advanced.close(name, text, depth);
    else this.#sdn.close(name, text, depth);
  }

  finish(): ReadList {
    if (this.#advanced) return this.#advanced.finish(this.#options.sink);
    return this.#mapper.finish(this.#sdn.finish());
  }
}
