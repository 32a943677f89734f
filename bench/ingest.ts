/**
 * How fast a list is read: `ingest/ofac-sdn` is OFAC's sdn.xml from bytes to list format v1, in
 * MB/s, beside a plain sax pass over the same bytes that keeps nothing; `ingest/ofac-import` is the
 * whole run, from the file to a published version that can be searched, in milliseconds.
 * Not measured: the network, and storage other than the blobs' folder.
 */
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sax from 'sax';
import {
  type CountryTable,
  createCountryLookup,
  type ImportPorts,
  importList,
  type ListReader,
  type ListSource,
  readWholeList,
  type WholeList,
} from '#domain/lists';
import { buildSnapshotFrom, createEngine } from '#engine';
import { systemClock } from '#platform/clock';
import { signerFromSeed } from '#platform/crypto';
import { systemRandom } from '#platform/random';
import countries from '../config/tables/countries.json' with { type: 'json' };
import { ofacReader } from '../src/sources/ofac/reader.ts';
import { openFolderBlobStore } from '../src/storage/blob/folder.ts';
import { ofacFile } from './data.ts';
import { syntheticEntities } from './names.ts';
import type { BenchOptions, BenchRow } from './row.ts';

const CHUNK_BYTES = 64 * 1024;
/** The best of so many, taken in turns, so that both meet the same machine. */
const ROUNDS = 5;
const ENTRIES = { smoke: 200, full: 15_000 };

interface Input {
  readonly data: string;
  readonly bytes: Uint8Array;
}

export async function rows(options: BenchOptions): Promise<BenchRow[]> {
  const input = await readInput(options.smoke);
  const reader = ofacReader(createCountryLookup(countries as CountryTable));
  return [await readingRow(input, reader, options), await importRow(input, reader, options)];
}

async function readInput(smoke: boolean): Promise<Input> {
  const file = smoke ? undefined : await ofacFile();
  if (file) return { data: 'OFAC SDN XML 2024-07-02', bytes: await readFile(file) };
  const count = smoke ? ENTRIES.smoke : ENTRIES.full;
  return { data: `${count} synthetic entries`, bytes: Buffer.from(syntheticXml(count)) };
}

async function readingRow(
  { data, bytes }: Input,
  reader: ListReader,
  options: BenchOptions,
): Promise<BenchRow> {
  const ours: number[] = [];
  const plain: number[] = [];
  let checksum = '';
  for (let round = 0; round < (options.smoke ? 1 : ROUNDS); round++) {
    plain.push(await timed(() => plainPass(bytes)));
    ours.push(
      await timed(async () => {
        checksum = checksumOf(
          await readWholeList(reader, chunksOf(bytes), { sourceId: 'OFAC_SDN' }),
        );
      }),
    );
  }
  const speed = (times: readonly number[]) => bytes.length / 1e6 / (Math.min(...times) / 1_000);
  return {
    id: 'ingest/ofac-sdn',
    suite: 'ingest',
    data,
    size: options.size,
    ours: speed(ours),
    unit: 'MB/s',
    baseline: speed(plain),
    baseline_name: 'plain sax pass',
    ratio: speed(ours) / speed(plain),
    checksum,
  };
}

async function importRow(
  { data, bytes }: Input,
  reader: ListReader,
  options: BenchOptions,
): Promise<BenchRow> {
  const directory = await mkdtemp(join(tmpdir(), 'compliance-bench-blobs-'));
  const engine = createEngine({ threads: 0, queueMax: 1 });
  try {
    const ports = await benchPorts(directory, (snapshot) => engine.load(snapshot));
    let checksum = '';
    const ms = await timed(async () => {
      const read = chunksOf(bytes);
      const run = await importList({ sourceId: 'OFAC_SDN', read, reader, ports, actor: 'bench' });
      checksum = run.version.contentDigest.slice(0, 16);
    });
    const memory_mb = process.memoryUsage.rss() / 1e6;
    const head = { id: 'ingest/ofac-import', suite: 'ingest', data, size: options.size };
    return { ...head, ours: ms, unit: 'ms', memory_mb, checksum };
  } finally {
    await engine.close();
    await rm(directory, { recursive: true, force: true });
  }
}

async function benchPorts(
  directory: string,
  load: (snapshot: SharedArrayBuffer) => {
    entityCount: number;
    nameCount: number;
    release(): void;
  },
): Promise<ImportPorts> {
  const none: ListSource | undefined = undefined;
  return {
    lists: { findSource: async () => none, listVersions: async () => [] },
    blobs: await openFolderBlobStore({ directory }),
    commit: async () => undefined,
    signer: signerFromSeed(new Uint8Array(32)),
    clock: systemClock,
    random: systemRandom,
    buildSnapshot: buildSnapshotFrom,
    spoolDirectory: directory,
    inspectSnapshot: (snapshot) => {
      const index = load(snapshot);
      const { entityCount, nameCount } = index;
      index.release();
      return { entityCount, nameCount };
    },
  };
}

async function timed(step: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await step();
  return performance.now() - begun;
}

async function plainPass(bytes: Uint8Array): Promise<void> {
  const parser = sax.parser(true, { xmlns: false });
  const decoder = new TextDecoder();
  for await (const chunk of chunksOf(bytes)) parser.write(decoder.decode(chunk, { stream: true }));
  parser.close();
}

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    yield bytes.subarray(start, start + CHUNK_BYTES);
  }
}

function checksumOf(list: WholeList): string {
  const hash = createHash('sha256');
  for (const entity of list.entities) hash.update(JSON.stringify(entity));
  return hash.digest('hex').slice(0, 16);
}

/** The layout of sdn.xml with invented names, where the real file is absent. */
function syntheticXml(count: number): string {
  const entries = syntheticEntities(count).map((entity, index) => {
    const akas = entity.names
      .slice(1)
      .map((name) =>
        [
          '      <aka>',
          '        <type>a.k.a.</type>',
          '        <category>strong</category>',
          `        <lastName>${name}</lastName>`,
          '      </aka>\n',
        ].join('\n'),
      );
    const akaList = akas.length > 0 ? `    <akaList>\n${akas.join('')}    </akaList>\n` : '';
    return [
      '  <sdnEntry>',
      `    <uid>${index + 1}</uid>`,
      `    <lastName>${entity.names[0]}</lastName>`,
      '    <sdnType>Entity</sdnType>',
      `${akaList}  </sdnEntry>\n`,
    ].join('\n');
  });
  return `<?xml version="1.0"?>
<sdnList xmlns="http://tempuri.org/sdnList.xsd">
  <publshInformation>
    <Publish_Date>01/01/2026</Publish_Date>
    <Record_Count>${count}</Record_Count>
  </publshInformation>
${entries.join('')}</sdnList>
`.replaceAll('&', '&amp;');
}
