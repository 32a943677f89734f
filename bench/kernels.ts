/**
 * The kernels that scoring stands on, against the npm packages that are their oracles.
 *
 * Goal: Jaro-Winkler forty times npm's speed with the same answers. Not a goal: the fastest
 * similarity there is.
 */
import levenshtein from 'fast-levenshtein';
import jaroWinkler from 'jaro-winkler';
import { foldName } from '#engine';
import { pairKernels } from '../test/engine/pairKernels.ts';
import { benchList } from './lists.ts';
import type { BenchOptions, BenchRow } from './row.ts';

interface Timed {
  readonly nsPerPair: number;
  readonly checksum: number;
}

/** CPU time, since other work on the machine would otherwise count; the best of three rounds. */
function timePairs(pairs: number, round: () => number): Timed {
  round();
  let best = Number.POSITIVE_INFINITY;
  let checksum = 0;
  for (let attempt = 0; attempt < 3; attempt++) {
    const before = process.cpuUsage();
    checksum = round();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, ((user + system) * 1e3) / pairs);
  }
  return { nsPerPair: best, checksum };
}

function row(id: string, data: string, timed: { ours: Timed; npm: Timed; name: string }): BenchRow {
  const { ours, npm, name } = timed;
  if (Math.abs(ours.checksum - npm.checksum) > 1e-6) throw new Error(`${id}: answers differ`);
  return {
    id: `kernels/${id}`,
    suite: 'kernels',
    data,
    size: 'pairs',
    ours: ours.nsPerPair,
    unit: 'ns of CPU a pair',
    baseline: npm.nsPerPair,
    baseline_name: name,
    ratio: npm.nsPerPair / ours.nsPerPair,
    checksum: ours.checksum.toFixed(6),
  };
}

/** All names against all, as one call a name: what the engine does with a query's. */
function kernelPairs(names: readonly string[]) {
  const { kernels, memory } = pairKernels('wasm');
  const at = { table: 32_768, bytes: 65_536, units: 196_608, slot: 16_384, scratch: 0 };
  const narrow = new Uint8Array(memory.buffer);
  const wide = new Uint16Array(memory.buffer);
  const table = new Int32Array(memory.buffer);
  names.forEach((name, index) => {
    const bytes = at.bytes + index * 128;
    for (let unit = 0; unit < name.length; unit++) {
      narrow[bytes + unit] = Math.min(128, name.charCodeAt(unit));
      wide[at.units / 2 + index * 128 + unit] = name.charCodeAt(unit);
    }
    table[at.table / 4 + index * 2] = bytes;
    table[at.table / 4 + index * 2 + 1] = name.length;
  });
  const each = (compare: (index: number) => number) => () => {
    let total = 0;
    names.forEach((name, index) => {
      kernels.setSlot(at.slot, at.units + index * 256, name.length);
      total += compare(index);
    });
    return total;
  };
  return {
    jaroWinkler: each(() => kernels.jaroSum(at.slot, at.table, names.length, at.scratch)),
    levenshtein: each(() =>
      names.reduce((total, name, other) => {
        const units = at.units + other * 256;
        return total + kernels.levenshtein(at.slot, units, name.length, at.scratch);
      }, 0),
    ),
  };
}

export async function rows(options: BenchOptions): Promise<BenchRow[]> {
  const list = await benchList(2_000);
  const count = options.smoke ? 60 : 300;
  const step = Math.max(1, Math.floor(list.entities.length / count));
  const names = Array.from({ length: count }, (_, at) =>
    foldName(list.entities[at * step]?.names[0] ?? '').latin.slice(0, 64),
  );
  const pairs = count * count;
  const ours = kernelPairs(names);
  const sum = (compare: (a: string, b: string) => number) => () => {
    let total = 0;
    for (const a of names) for (const b of names) total += compare(a, b);
    return total;
  };
  const data = `${count} names of ${list.data}`;
  return [
    row('jaro-winkler', data, {
      ours: timePairs(pairs, ours.jaroWinkler),
      npm: timePairs(
        pairs,
        sum((a, b) => jaroWinkler(a, b)),
      ),
      name: 'npm jaro-winkler',
    }),
    row('levenshtein', data, {
      ours: timePairs(pairs, ours.levenshtein),
      npm: timePairs(
        pairs,
        sum((a, b) => levenshtein.get(a, b)),
      ),
      name: 'npm fast-levenshtein',
    }),
  ];
}
