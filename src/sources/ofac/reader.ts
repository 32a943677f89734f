/**
 * OFAC_SDN and OFAC_CONSOLIDATED: the file in, list format v1 out. OFAC publishes either list in
 * two layouts, and the root of the file says which layout it is. Its entries show at the end which
 * list it is: a file of the other list is refused before anything is published.
 */

import type { XmlAttributes, XmlHandler } from '#platform/xml/ports';
import type { ListReader, ListSink, ReadList } from '#slices/ingestion';
import type { CountryLookup } from '#slices/lists';
import { readListXml } from '../readListXml.ts';
import { ScratchFile, type ScratchOptions } from '../scratchFile.ts';
import { AdvancedReader, isAdvanced } from './advanced/read.ts';
import { ListIdentity } from './listIdentity.ts';
import { OfacMapper } from './map.ts';
import { type OfacEntry, OfacReader } from './read.ts';
import { UidList } from './uidList.ts';

/** `keptBytesMax`: how much of what waits for the end of the file may stay in memory. */
export function ofacReader(
  countries: CountryLookup,
  { keptBytesMax }: Pick<ScratchOptions, 'keptBytesMax'> = {},
): ListReader {
  return {
    format: 'OFAC SDN XML or SDN_ADVANCED XML',
    read: async (chunks, { sourceId, sink, onBytes, scratchFolder }) => {
      const scratch = new ScratchFile({ folder: scratchFolder, keptBytesMax });
      try {
        const file = new OfacFile({ sourceId, countries, sink, scratch });
        await readListXml(settling(chunks, scratch), file, onBytes ? { onBytes } : {});
        return await file.finish();
      } finally {
        await scratch.close();
      }
    },
  };
}

/** Waits until data of a chunk is on the disk before it requests the next one. */
async function* settling(
  chunks: AsyncIterable<Uint8Array>,
  scratch: ScratchFile,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    yield chunk;
    await scratch.settle();
  }
}

interface FileOptions {
  readonly sourceId: string;
  readonly countries: CountryLookup;
  readonly sink: ListSink;
  readonly scratch: ScratchFile;
}

class OfacFile implements XmlHandler {
  readonly #options: FileOptions;
  readonly #mapper: OfacMapper;
  readonly #sdn: OfacReader;
  readonly #identity: ListIdentity;
  #advanced: AdvancedReader | undefined;

  constructor(options: FileOptions) {
    this.#options = options;
    const uids = new UidList();
    const mapper = new OfacMapper({ ...options, uids });
    this.#mapper = mapper;
    this.#identity = new ListIdentity(options.sourceId);
    this.#sdn = new OfacReader(uids, (entry, header) => {
      this.#identity.addPrograms(programsOf(entry));
      mapper.add(entry, header);
    });
  }

  root(name: string, namespace: string, attributes: XmlAttributes): void {
    if (isAdvanced(name, namespace)) {
      this.#advanced = new AdvancedReader({ ...this.#options, identity: this.#identity });
    }
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

  async finish(): Promise<ReadList> {
    if (this.#advanced) return this.#advanced.finish(this.#options.sink);
    const header = this.#sdn.finish();
    this.#identity.finish();
    return this.#mapper.finish(header);
  }
}

function programsOf({ lists }: OfacEntry): string[] {
  const programs: string[] = [];
  for (const { program } of lists.programList ?? []) if (program) programs.push(program);
  return programs;
}
