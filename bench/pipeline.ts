/**
 * How long and how large an import is: `ingest/ftm` from a file of invented FtM entities to a
 * published version that can be searched, `ingest/delta` a delta of one per cent upon it. Each in a
 * process of its own, so that its memory is its own: seconds of wall clock and of processor, and
 * the largest resident set. Not measured: the network, and storage other than the blobs' folder.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ALLOCATOR_ENVIRONMENT } from '#platform/allocator';
import { syntheticEntity } from './names.ts';
import type { PipelineFigures } from './pipelineRun.ts';
import type { BenchOptions, BenchRow } from './row.ts';

/** A million with `--size 1m` and `--size 5m`. */
const ENTITIES = { smoke: 400, lists: 100_000, '100k': 100_000, '1m': 1_000_000, '5m': 1_000_000 };
const DELTA_SHARE = 0.01;
/** One entity in so many is named by a relation. */
const RELATED_EVERY = 10;
const TOPICS = ['sanction', 'role.pep', 'role.rca', 'crime', 'debarment'];

export async function rows(options: BenchOptions): Promise<BenchRow[]> {
  const count = ENTITIES[options.smoke ? 'smoke' : options.size];
  const folder = await mkdtemp(join(tmpdir(), 'compliance-bench-pipeline-'));
  try {
    const bytes = await writeFile(join(folder, 'full.json'), fullLines(count));
    await writeFile(join(folder, 'delta.json'), deltaLines(count));
    const data = `${count.toLocaleString('en')} FtM entities, ${Math.round(bytes / 1e6)} MB`;
    const full = await run(folder, 'full');
    const delta = await run(folder, 'delta');
    return [
      { ...row(full, options), data, id: 'ingest/ftm' },
      { ...row(delta, options), data: `1 % of ${data}`, id: 'ingest/delta' },
    ];
  } finally {
    await rm(folder, { force: true, recursive: true });
  }
}

async function run(folder: string, kind: 'full' | 'delta'): Promise<PipelineFigures> {
  const child = fileURLToPath(new URL('./pipelineRun.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [child, folder, kind], {
    env: { ...process.env, ...ALLOCATOR_ENVIRONMENT }, // as of a worker
  });
  const figures = JSON.parse(stdout) as PipelineFigures;
  console.warn(`${kind}: ${(figures.cpuMs / 1e3).toFixed(1)} s of processor`, figures.stagesMs);
  return figures;
}

function row(figures: PipelineFigures, options: BenchOptions): Omit<BenchRow, 'id' | 'data'> {
  return {
    checksum: figures.checksum,
    memory_mb: figures.peakRssMb,
    ours: figures.ms,
    size: options.size,
    suite: 'pipeline',
    unit: 'ms',
  };
}

async function writeFile(path: string, lines: Iterable<string>): Promise<number> {
  const file = createWriteStream(path);
  for (const line of lines) {
    if (!file.write(`${line}\n`)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'finish');
  return file.bytesWritten;
}

function* fullLines(count: number): Generator<string> {
  for (let index = 0; index < count; index++) {
    yield JSON.stringify(ftmEntity(index, '2026-01-01'));
    if (index % RELATED_EVERY === 0) yield JSON.stringify(relation(index, (index + 7) % count));
  }
}

function* deltaLines(count: number): Generator<string> {
  const changes = Math.round(count * DELTA_SHARE);
  const step = Math.floor(count / changes);
  for (let change = 0; change < changes; change++) {
    const index = change * step;
    if (change % 10 === 0) {
      yield JSON.stringify({ entity: { id: idOf(index) }, op: 'DEL' });
      continue;
    }
    const isNew = change % 10 === 1;
    const entity = ftmEntity(isNew ? count + index : index, '2026-01-02');
    const properties = { ...entity.properties, alias: [`Alias of ${index}`] };
    yield JSON.stringify({ entity: { ...entity, properties }, op: isNew ? 'ADD' : 'MOD' });
  }
}

/** In no order of the file, as the publisher's. */
function idOf(index: number): string {
  const mixed = Math.imul(index + 1, 0x9e3779b1) >>> 0;
  return `NK-${mixed.toString(36).padStart(7, '0')}${index.toString(36).padStart(6, '0')}`;
}

function ftmEntity(index: number, last_seen: string) {
  const { datesOfBirth, names, nationalities, schema } = syntheticEntity(index);
  const isPerson = schema === 'Person';
  const countries = nationalities.map((code) => code.toLowerCase());
  return {
    id: idOf(index),
    caption: names[0] ?? '',
    schema: isPerson ? 'Person' : 'Company',
    properties: {
      address: [`${index % 997} Example Street, Town ${index % 89}`],
      alias: names.slice(1),
      ...(isPerson ? { birthDate: datesOfBirth } : {}),
      ...(isPerson ? { nationality: countries } : { jurisdiction: countries }),
      name: names.slice(0, 1),
      notes: ['An invented entity of a bench, with a sentence or two as publishers write them.'],
      sourceUrl: [`https://lists.example/entities/${index}`],
      topics: [TOPICS[index % TOPICS.length] ?? 'sanction'],
    },
    referents: [`x-${index}`],
    datasets: ['invented_list'],
    first_seen: '2024-05-06T07:08:09',
    last_seen: `${last_seen}T01:02:03`,
    last_change: '2025-06-07T08:09:10',
    target: true,
  };
}

function relation(from: number, to: number) {
  return {
    id: `rel-${from}`,
    caption: 'Associate',
    schema: 'Associate',
    properties: { associate: [idOf(to)], person: [idOf(from)] },
    datasets: ['invented_list'],
    first_seen: '2024-05-06T07:08:09',
    last_seen: '2026-01-01T01:02:03',
    target: false,
  };
}
