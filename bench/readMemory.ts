/**
 * The memory that reading a list takes, measured in a process of its own: `node bench/readMemory.ts
 * sdn|advanced MEGABYTES` makes a file of that size while it is read, keeps no entity, and prints
 * what it saw as JSON. The reader has a scratch folder and the heap grows as in an import. The
 * generator's memory is in the figure; it holds one entry at a time.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { growHeapsSlowly } from '#platform/heapGrowth';
import { type CountryTable, createCountryLookup } from '#slices/lists';
import countries from '../config/tables/countries.json' with { type: 'json' };
import { ofacReader } from '../src/sources/ofac/reader.ts';
import { advancedFile } from './ofacFiles.ts';
import { sdnFile } from './sdnFile.ts';

export type OfacLayout = 'sdn' | 'advanced';

export interface ReadMemory {
  readonly entities: number;
  readonly megabytes: number;
  readonly peakMegabytes: number;
  readonly cpuSeconds: number;
}

const CHUNK_CHARS = 64 * 1024;
const FILES = { sdn: sdnFile, advanced: advancedFile };
const SAMPLE = 200;

export async function measureReadMemory(
  layout: OfacLayout,
  megabytes: number,
): Promise<ReadMemory> {
  const script = fileURLToPath(import.meta.url);
  const child = spawn(process.execPath, [script, layout, String(megabytes)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  let text = '';
  for await (const piece of child.stdout) text += String(piece);
  const [code] = await closed;
  if (code !== 0) throw new Error(`readMemory ended with ${code}`);
  return JSON.parse(text) as ReadMemory;
}

async function* chunksOf(layout: OfacLayout, count: number): AsyncGenerator<Uint8Array> {
  let pending = '';
  for (const piece of FILES[layout]({ count })) {
    pending += piece;
    if (pending.length < CHUNK_CHARS) continue;
    yield Buffer.from(pending);
    pending = '';
  }
  yield Buffer.from(pending);
}

async function readFile(
  layout: OfacLayout,
  { megabytes, scratchFolder }: { megabytes: number; scratchFolder: string },
): Promise<ReadMemory> {
  const sampleBytes = [...FILES[layout]({ count: SAMPLE })].join('').length;
  const count = Math.ceil((megabytes * 1e6 * SAMPLE) / sampleBytes);
  let entities = 0;
  let bytes = 0;
  const take = () => void entities++;
  const sink = { added: () => {}, entity: take, line: take, removed: () => {} };
  const onBytes = (read: number) => {
    bytes = read;
  };
  const reader = ofacReader(createCountryLookup(countries as CountryTable));
  const options = { sourceId: 'OFAC_SDN', sink, onBytes, scratchFolder };
  await reader.read(chunksOf(layout, count), options);
  const { user, system } = process.cpuUsage();
  return {
    entities,
    megabytes: bytes / 1e6,
    peakMegabytes: (process.resourceUsage().maxRSS * 1024) / 1e6,
    cpuSeconds: (user + system) / 1e6,
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  growHeapsSlowly();
  const layout = process.argv[2] === 'advanced' ? 'advanced' : 'sdn';
  const scratchFolder = await mkdtemp(join(tmpdir(), 'read-memory-'));
  try {
    const seen = await readFile(layout, { megabytes: Number(process.argv[3]), scratchFolder });
    process.stdout.write(JSON.stringify(seen));
  } finally {
    await rm(scratchFolder, { recursive: true });
  }
}
