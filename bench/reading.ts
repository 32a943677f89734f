/**
 * How fast and in how much memory OFAC's lists are read. `ingest/ofac-sdn`: sdn.xml from bytes to
 * list format v1, in MB/s of CPU time, beside a plain sax pass over the same bytes;
 * `ingest/xml-scan`: our own pass; `ingest/ofac-advanced`: the other layout, of invented parties.
 * None of them keeps anything, as an import does not. `ingest/memory`: the peak of a process that
 * reads a large file. CPU time is of all threads: the collector's and the compiler's, too.
 */
import { createHash } from 'node:crypto';
import sax from 'sax';
import { readXml } from '#platform/xml/readXml';
import type { ListSink } from '#slices/ingestion';
import { type CountryTable, createCountryLookup } from '#slices/lists';
import countries from '../config/tables/countries.json' with { type: 'json' };
import { ofacReader } from '../src/sources/ofac/reader.ts';
import { advancedFile } from './ofacFiles.ts';
import { measureReadMemory } from './readMemory.ts';
import type { BenchOptions, BenchRow } from './row.ts';

const CHUNK_BYTES = 64 * 1024;
/** The best of so many, taken in turns, so that all meet the same machine. */
const ROUNDS = 5;
const PARTIES = { smoke: 100, full: 4_000 };
/** Size of the file whose reading is measured: a gigabyte with `--size 1m` and `--size 5m`. */
const MEGABYTES = { smoke: 2, lists: 100, '100k': 100, '1m': 1_000, '5m': 1_000 };

interface Input {
  readonly data: string;
  readonly bytes: Uint8Array;
}

export async function readingRows(input: Input, options: BenchOptions): Promise<BenchRow[]> {
  const parties = options.smoke ? PARTIES.smoke : PARTIES.full;
  const advanced = Buffer.from([...advancedFile({ count: parties })].join(''));
  const times: Record<'sax' | 'scan' | 'sdn' | 'advanced', number[]> = {
    sax: [],
    scan: [],
    sdn: [],
    advanced: [],
  };
  const checksums = { sdn: '', advanced: '' };
  const rounds = options.smoke ? 1 : ROUNDS;
  for (let round = 0; round < rounds; round++) {
    times.sax.push(await cpuSeconds(() => plainPass(input.bytes)));
    times.scan.push(await cpuSeconds(() => ownPass(input.bytes)));
    times.sdn.push(
      await cpuSeconds(async () => {
        checksums.sdn = await readAll(input.bytes);
      }),
    );
  }
  // Afterwards: code that two layouts have warmed up serves neither as well.
  for (let round = 0; round < rounds; round++) {
    times.advanced.push(
      await cpuSeconds(async () => {
        checksums.advanced = await readAll(advanced);
      }),
    );
  }
  const speed = (bytes: Uint8Array, of: readonly number[]) => bytes.length / 1e6 / Math.min(...of);
  const plain = speed(input.bytes, times.sax);
  const row = (id: string, data: string, ours: number): BenchRow => ({
    id: `ingest/${id}`,
    suite: 'ingest',
    data,
    size: options.size,
    ours,
    unit: 'MB/s',
    baseline: plain,
    baseline_name: 'plain sax pass',
    ratio: ours / plain,
  });
  return [
    { ...row('ofac-sdn', input.data, speed(input.bytes, times.sdn)), checksum: checksums.sdn },
    row('xml-scan', input.data, speed(input.bytes, times.scan)),
    {
      ...row('ofac-advanced', `${parties} invented parties`, speed(advanced, times.advanced)),
      checksum: checksums.advanced,
    },
    await memoryRow(options),
  ];
}

async function memoryRow(options: BenchOptions): Promise<BenchRow> {
  const megabytes = options.smoke ? MEGABYTES.smoke : MEGABYTES[options.size];
  const seen = await measureReadMemory('sdn', megabytes);
  return {
    id: 'ingest/memory',
    suite: 'ingest',
    data: `sdn.xml of ${seen.entities} invented entries, ${Math.round(seen.megabytes)} MB`,
    size: options.size,
    ours: seen.peakMegabytes,
    unit: 'MB resident at most',
    memory_mb: seen.peakMegabytes,
  };
}

async function cpuSeconds(step: () => Promise<void>): Promise<number> {
  const begun = process.cpuUsage();
  await step();
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1e6;
}

async function plainPass(bytes: Uint8Array): Promise<void> {
  const parser = sax.parser(true, { xmlns: false });
  const decoder = new TextDecoder();
  for await (const chunk of chunksOf(bytes)) parser.write(decoder.decode(chunk, { stream: true }));
  parser.close();
}

function ownPass(bytes: Uint8Array): Promise<void> {
  return readXml(chunksOf(bytes), { root: () => {}, open: () => {}, close: () => {} });
}

async function readAll(bytes: Uint8Array): Promise<string> {
  const reader = ofacReader(createCountryLookup(countries as CountryTable));
  const hash = createHash('sha256');
  const sink: ListSink = {
    entity: ({ ftm_id, primary_name }) => hash.update(ftm_id + primary_name),
    line: (_, line) => hash.update(line),
    added: () => {},
    removed: () => {},
  };
  await reader.read(chunksOf(bytes), { sourceId: 'OFAC_SDN', sink });
  return hash.digest('hex').slice(0, 16);
}

export async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    yield bytes.subarray(start, start + CHUNK_BYTES);
  }
}
