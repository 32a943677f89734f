/**
 * One import in a process of its own, for pipeline.ts: `pipelineRun.ts FOLDER full|delta`. The
 * folder holds the files, the blobs and, between the two runs, the source as it is in force.
 */
import { createReadStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '#platform/clock';
import { signerFromSeed } from '#platform/crypto';
import { growHeapsSlowly } from '#platform/heapGrowth';
import { systemRandom } from '#platform/random';
import { type ImportPorts, importList } from '#slices/ingestion';
import { type CountryTable, type ListSource, sourceTable } from '#slices/lists';
import countries from '../config/tables/countries.json' with { type: 'json' };
import { INDEX_TOOLS } from '../src/app/adapters/indexTools.ts';
import { ftmReader } from '../src/sources/ftm/reader.ts';
import { openFolderBlobStore } from '../src/storage/blob/folder.ts';
import { TRUSTED } from '../test/slices/lists/trustedVersions.ts';

/** What is printed at the end. */
export interface PipelineFigures {
  readonly ms: number;
  readonly cpuMs: number;
  readonly peakRssMb: number;
  readonly checksum: string;
  readonly stagesMs: Readonly<Record<string, number>>;
}

const SOURCE = 'OPEN_AGGREGATE';

growHeapsSlowly(); // as the command line and the workers do
const [, , folder = '', kind = 'full'] = process.argv;
const state = join(folder, 'source.json');
const before =
  kind === 'delta' ? (JSON.parse(await readFile(state, 'utf8')) as ListSource) : undefined;
let after = before;

const { isLaterFormat: _, ...tools } = INDEX_TOOLS;
const ports: ImportPorts = {
  blobs: await openFolderBlobStore({ directory: join(folder, 'blobs') }),
  ...tools,
  clock: systemClock,
  commit: async (_chain, { changes }) => {
    const put = changes.find(({ table }) => table === sourceTable.name);
    after = (put?.record as ListSource | undefined) ?? after;
  },
  lists: {
    findSource: async () => before,
    findVersion: async () => undefined,
    listVersions: async () => (before?.active ? [before.active] : []),
  },
  random: systemRandom,
  signed: { ...TRUSTED, changesSince: async () => [] },
  signer: signerFromSeed(new Uint8Array(32)),
  spoolDirectory: join(folder, 'spool'),
};

const begun = performance.now();
const { counts, durationsMs, version } = await importList({
  actor: 'cli:bench',
  ports,
  read: createReadStream(join(folder, `${kind}.json`), { highWaterMark: 256 * 1024 }),
  reader: ftmReader(countries as CountryTable),
  sourceId: SOURCE,
});
const ms = performance.now() - begun;
await writeFile(state, JSON.stringify(after));
const { systemCPUTime, userCPUTime, maxRSS } = process.resourceUsage();
const figures: PipelineFigures = {
  checksum: [
    version.contentDigest.slice(0, 12),
    `+${counts.added} ~${counts.updated} -${counts.removed}`,
  ].join(' '),
  cpuMs: (systemCPUTime + userCPUTime) / 1e3,
  ms,
  peakRssMb: maxRSS / 1024,
  stagesMs: durationsMs as Record<string, number>,
};
console.log(JSON.stringify(figures));
