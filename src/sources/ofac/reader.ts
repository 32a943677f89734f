/**
 * OFAC_SDN and OFAC_CONSOLIDATED: the file in, list format v1 out. OFAC publishes either list in
 * two layouts, and the root of the file tells which one it is.
 */
import type { CountryLookup, ListReader, ListSink, ReadList } from '#domain/lists';
import { readXml, type XmlAttributes, type XmlHandler } from '../xml/index.ts';
import { AdvancedReader, isAdvanced } from './advanced/read.ts';
import { OfacMapper } from './map.ts';
import { OfacReader } from './read.ts';

interface OfacLayout extends XmlHandler {
  finish(sink: ListSink): ReadList;
}

export function ofacReader(countries: CountryLookup): ListReader {
  return {
    format: 'OFAC SDN XML or SDN_ADVANCED XML',
    read: async (chunks, { sourceId, sink, onBytes }) => {
      const file = new OfacFile({ sourceId, countries });
      await readXml(chunks, file, onBytes ? { onBytes } : {});
      return file.finish(sink);
    },
  };
}

class OfacFile implements OfacLayout {
  readonly #options: { readonly sourceId: string; readonly countries: CountryLookup };
  #layout: OfacLayout;

  constructor(options: { readonly sourceId: string; readonly countries: CountryLookup }) {
    this.#options = options;
    this.#layout = sdnLayout(options);
  }

  root(name: string, namespace: string, attributes: XmlAttributes): void {
    if (isAdvanced(name, namespace)) this.#layout = new AdvancedReader(this.#options);
    this.#layout.root(name, namespace, attributes);
  }

  open(name: string, depth: number, attributes: XmlAttributes): void {
    this.#layout.open(name, depth, attributes);
  }

  close(name: string, text: string, depth: number): void {
    this.#layout.close(name, text, depth);
  }

  finish(sink: ListSink): ReadList {
    return this.#layout.finish(sink);
  }
}

function sdnLayout(options: { sourceId: string; countries: CountryLookup }): OfacLayout {
  const mapper = new OfacMapper(options);
  const reader = new OfacReader((entry, header) => mapper.add(entry, header));
  return {
    root: (name, namespace) => reader.root(name, namespace),
    open: (name, depth) => reader.open(name, depth),
    close: (name, text, depth) => reader.close(name, text, depth),
    finish: (sink) => mapper.finish(reader.finish(), sink),
  };
}
