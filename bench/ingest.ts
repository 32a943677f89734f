/**
 * How fast a list is read (reading.ts), and `ingest/ofac-import`: the whole run, from the file to a
 * published version that can be searched, in milliseconds, cold start included; `ingest/ofac-again`
 * the same in the process that has done it twice, as a worker that is older than a day.
 * Not measured: the network, and storage other than the blobs' folder.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSnapshotAside, inspectIndex } from '#engine';
import { systemClock } from '#platform/clock';
import { signerFromSeed } from '#platform/crypto';
import { systemRandom } from '#platform/random';
import { type ImportPorts, importList, type ListReader } from '#slices/ingestion';
import { type CountryTable, createCountryLookup, type ListSource } from '#slices/lists';
import countries from '../config/tables/countries.json' with { type: 'json' };
import { ofacReader } from '../src/sources/ofac/reader.ts';
import { openFolderBlobStore } from '../src/storage/blob/folder.ts';
import { TRUSTED } from '../test/slices/lists/trustedVersions.ts';
import { ofacFile } from './data.ts';
import { syntheticEntities } from './names.ts';
import { chunksOf, readingRows } from './reading.ts';
import type { BenchOptions, BenchRow } from './row.ts';

const ENTRIES = { smoke: 200, full: 15_000 };

interface Input {
  readonly data: string;
  readonly bytes: Uint8Array;
}

export async function rows(options: BenchOptions): Promise<BenchRow[]> {
  const input = await readInput(options.smoke);
  const reader = ofacReader(createCountryLookup(countries as CountryTable));
  const reading = await readingRows(input, options);
  const first = await importRow('ofac-import', input, { options, reader });
  await importRow('ofac-warming', input, { options, reader });
  return [...reading, first, await importRow('ofac-again', input, { options, reader })];
}

async function readInput(smoke: boolean): Promise<Input> {
  const file = smoke ? undefined : await ofacFile();
  if (file) return { data: 'OFAC SDN XML 2024-07-02', bytes: await readFile(file) };
  const count = smoke ? ENTRIES.smoke : ENTRIES.full;
  return { data: `${count} synthetic entries`, bytes: Buffer.from(syntheticXml(count)) };
}

async function importRow(
  name: string,
  { data, bytes }: Input,
  { options, reader }: { readonly options: BenchOptions; readonly reader: ListReader },
): Promise<BenchRow> {
  const directory = await mkdtemp(join(tmpdir(), 'compliance-bench-blobs-'));
  try {
    const ports = await benchPorts(directory);
    const cpu = process.cpuUsage();
    const begun = performance.now();
    const read = chunksOf(bytes);
    const run = await importList({ sourceId: 'OFAC_SDN', read, reader, ports, actor: 'cli:bench' });
    const ms = performance.now() - begun;
    const { system, user } = process.cpuUsage(cpu);
    const seconds = ((system + user) / 1e6).toFixed(1);
    console.warn(`${name}: ${seconds} s of processor`, run.durationsMs);
    const checksum = run.version.contentDigest.slice(0, 16);
    const memory_mb = process.memoryUsage.rss() / 1e6;
    const head = { id: `ingest/${name}`, suite: 'ingest', data, size: options.size };
    return { ...head, ours: ms, unit: 'ms', memory_mb, checksum };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function benchPorts(directory: string): Promise<ImportPorts> {
  const none: ListSource | undefined = undefined;
  return {
    lists: {
      findSource: async () => none,
      findVersion: async () => undefined,
      listVersions: async () => [],
    },
    blobs: await openFolderBlobStore({ directory }),
    commit: async () => undefined,
    signed: TRUSTED,
    signer: signerFromSeed(new Uint8Array(32)),
    clock: systemClock,
    random: systemRandom,
    buildSnapshot: buildSnapshotAside,
    spoolDirectory: directory,
    inspectSnapshot: async (...index) => inspectIndex(...index),
  };
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
