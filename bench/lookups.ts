/**
 * Looking entries up by what a person types, beside FlexSearch over whole names of a part of the
 * list: names cut after any letter, twenty rows each, on one thread, milliseconds of processor.
 * `recall`: share of whole names whose entity is among the twenty.
 */
import { Charset, Index } from 'flexsearch';
import { foldName, type IndexEntity } from '#engine';
import { NameLookup } from '../src/engine/nameLookup.ts';
import type { EntitySource } from './names.ts';
import { seededRandom } from './random.ts';
import type { BenchRow } from './row.ts';

const ROWS = 20;

interface Typed {
  readonly text: string;
  /** The entity, where its whole name is typed. */
  readonly id: string | undefined;
}

interface Measured {
  readonly times: Float64Array;
  readonly found: number;
  readonly checksum: number;
}

function typedNames(entities: EntitySource, count: number): Typed[] {
  const random = seededRandom(29);
  return Array.from({ length: count }, (_, at): Typed => {
    const { id, names } = entities.at(Math.floor(random() * entities.length)) ?? NOBODY;
    const name = names[0] ?? '';
    const isWhole = at % 5 === 0;
    const units = isWhole ? name.length : 1 + Math.floor(random() * name.length);
    return { id: isWhole ? id : undefined, text: name.slice(0, units) };
  });
}
const NOBODY = { id: '', names: [] as readonly string[] };

function measure(typed: readonly Typed[], ask: (text: string) => readonly string[]): Measured {
  for (const { text } of typed.slice(0, 50)) ask(text);
  const times = new Float64Array(typed.length);
  let [checksum, found, whole] = [0, 0, 0];
  for (const [at, { id, text }] of typed.entries()) {
    const before = process.cpuUsage();
    const ids = ask(text);
    const { system, user } = process.cpuUsage(before);
    times[at] = (system + user) / 1e3;
    checksum += ids.length;
    if (id === undefined) continue;
    whole++;
    if (ids.includes(id)) found++;
  }
  times.sort();
  return { checksum, found: whole === 0 ? 1 : found / whole, times };
}

const percentile = (times: Float64Array, share: number): number =>
  times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;

function flexSearchOver(sample: readonly IndexEntity[]): (text: string) => readonly string[] {
  const index = new Index({ encoder: Charset.LatinBalance, tokenize: 'forward' });
  const owners: string[] = [];
  for (const { id, names } of sample) {
    for (const name of names) {
      index.add(owners.length, foldName(name).latin);
      owners.push(id);
    }
  }
  return (text) => {
    const found = index.search(foldName(text).latin, { limit: ROWS * 4 }) as number[];
    return [...new Set(found.map((at) => owners[at] ?? ''))].slice(0, ROWS);
  };
}

/** Rows for the engine suite; the baseline is given `sample`, as many as it can take. */
export function lookupRows(
  snapshot: SharedArrayBuffer,
  of: { readonly entities: EntitySource; readonly sample: readonly IndexEntity[] },
  common: Pick<BenchRow, 'suite' | 'data' | 'size'> & { readonly smoke: boolean },
): BenchRow[] {
  const { smoke, ...columns } = common;
  const lookup = new NameLookup();
  const heapBefore = process.memoryUsage();
  const before = process.cpuUsage();
  lookup.use([{ buffer: snapshot }]);
  const built = process.cpuUsage(before);
  const heap = process.memoryUsage();
  const memory = heap.heapUsed + heap.arrayBuffers - heapBefore.heapUsed - heapBefore.arrayBuffers;
  const parts = [{ buffer: snapshot, index: 0, removed: undefined }];
  const count = smoke ? 100 : 1_500;
  const ours = measure(typedNames(of.entities, count), (text) =>
    lookup.search(parts, { limit: ROWS, text }).rows.map(({ id }) => id),
  );
  const sample = { at: (place: number) => of.sample[place], length: of.sample.length };
  const flex = measure(
    typedNames(sample as EntitySource, smoke ? 50 : 500),
    flexSearchOver(of.sample),
  );
  const p95 = percentile(ours.times, 0.95);
  const baseline = percentile(flex.times, 0.95);
  return [
    {
      ...columns,
      id: 'engine/look-up',
      ours: p95,
      unit: 'ms of CPU, p95',
      baseline,
      baseline_name: `FlexSearch, whole names of ${of.sample.length} entities`,
      ratio: baseline / p95,
      recall: ours.found,
      p50_ms: percentile(ours.times, 0.5),
      p95_ms: p95,
      p99_ms: percentile(ours.times, 0.99),
      memory_mb: memory / 2 ** 20,
      checksum: String(ours.checksum),
    },
    {
      ...columns,
      id: 'engine/look-up-build',
      ours: (built.user + built.system) / 1e3,
      unit: 'CPU ms',
    },
  ];
}
