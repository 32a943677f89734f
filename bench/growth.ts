/**
 * How a query's time grows with the list, by each re-ranker: 10,000 entities to a million (`--size
 * 5m`: to five), the same queries' classes at each, and the exponents of p50 and p95 over the
 * number of entities by least squares on the logarithms. Draws docs/images/engine-growth.svg and
 * writes the table of docs/performance.md where it runs whole.
 *
 * One thread, no HTTP, folding of the query included. An exponent needs a quiet machine more than
 * any single figure does.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { drawGrowth, fitExponent, type GrowthPoint } from './growthPicture.ts';
import { noisyQueries } from './noise.ts';
import { Asker } from './recall.ts';
import type { BenchOptions, BenchRow } from './row.ts';
import {
  idOf,
  MEASURED_VERSIONS,
  type SyntheticList,
  settingsOf,
  syntheticList,
} from './syntheticList.ts';

const COUNTS = [10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 5_000_000];
const COUNT_MAX = { lists: 1_000_000, '100k': 100_000, '1m': 1_000_000, '5m': 5_000_000 } as const;
const TABLE = new URL('../docs/performance.md', import.meta.url);
const PICTURE = new URL('../docs/images/engine-growth.svg', import.meta.url);
const QUERIES = 1_000;

function countsOf(options: BenchOptions): number[] {
  if (options.smoke) return [500, 1_500];
  return COUNTS.filter((count) => count <= COUNT_MAX[options.size]);
}

interface Step extends GrowthPoint {
  readonly version: string;
  readonly row: BenchRow;
}

/** The list with the figures of one re-ranker. */
function step(
  { data, snapshot, entities, build }: SyntheticList,
  version: string,
  options: BenchOptions,
): Step {
  const settings = settingsOf(version);
  const count = entities.length;
  const queries = noisyQueries(entities, options.smoke ? 22 : QUERIES, 71);
  const warming = new Asker(snapshot, settings);
  for (const { raw } of queries.slice(0, 300)) warming.ask(raw);
  const asker = new Asker(snapshot, settings);
  let checksum = 0;
  const before = process.cpuUsage();
  for (const { raw } of queries) checksum += asker.ask(raw).entities.size;
  const { user, system } = process.cpuUsage(before);
  const times = asker.times.columns();
  console.warn(
    `growth: ${data} built in ${(build.wallMs / 1e3).toFixed(1)} s, p50 ${times.p50_ms} ms`,
  );
  const row: BenchRow = {
    suite: 'growth',
    data,
    size: options.size,
    id: idOf(`growth/${count}`, version),
    ours: (queries.length * 1e6) / (user + system),
    unit: 'queries a CPU second',
    ...times,
    memory_mb: snapshot.byteLength / 2 ** 20,
    checksum: String(checksum),
  };
  return { count, p50: times.p50_ms, p95: times.p95_ms, row, version };
}

export async function rows(options: BenchOptions): Promise<BenchRow[]> {
  const all = countsOf(options).flatMap((count) => {
    const list = syntheticList(count);
    return MEASURED_VERSIONS.map((version) => step(list, version, options));
  });
  const steps = all.filter(({ version }) => version === MEASURED_VERSIONS[0]);
  const exponents = (['p50', 'p95'] as const).map((name): BenchRow => {
    const exponent = fitExponent(steps.map((point) => ({ x: point.count, y: point[name] })));
    return {
      suite: 'growth',
      data: `${steps.length} lists, the largest of ${steps.at(-1)?.row.data ?? 'none'}`,
      size: options.size,
      id: `growth/exponent/${name}`,
      ours: exponent,
      unit: 'time grows as N to the power of',
    };
  });
  // Smoke runs leave the picture of the last whole one alone.
  if (!options.smoke) {
    await mkdir(new URL('.', PICTURE), { recursive: true });
    await writeFile(PICTURE, drawGrowth(steps));
    await writeTable(all, exponents);
  }
  return [...all.map(({ row }) => row), ...exponents];
}

/** Between its marks in the document. */
async function writeTable(steps: readonly Step[], exponents: readonly BenchRow[]): Promise<void> {
  const ms = (value: number | undefined) => (value ?? 0).toPrecision(2);
  const lines = steps.map(({ row, count, version }) =>
    [
      '',
      count.toLocaleString('en'),
      version,
      Math.round(row.ours).toLocaleString('en'),
      ms(row.p50_ms),
      ms(row.p95_ms),
      ms(row.p99_ms),
      Math.round(row.memory_mb ?? 0).toLocaleString('en'),
      '',
    ].join(' | '),
  );
  const powers = exponents.map(({ id, ours }) => `${id.split('/').at(-1)} N^${ours.toFixed(2)}`);
  const table = [
    '<!-- growth -->',
    '| entities | re-ranker | queries a CPU second | p50 ms | p95 ms | p99 ms | snapshot MB |',
    '|---|---|---|---|---|---|---|',
    ...lines.map((line) => line.trim()),
    '',
    `Growth: ${powers.join(', ')}. Node ${process.version}, ${cpus()[0]?.model.trim() ?? ''}.`,
    '<!-- /growth -->',
  ].join('\n');
  const text = await readFile(TABLE, 'utf8');
  await writeFile(
    TABLE,
    text.replace(/<!-- growth -->[\s\S]*<!-- \/growth -->/, () => table),
  );
}
