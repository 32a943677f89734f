/**
 * The kernels that scoring stands on, against the npm packages that are their oracles.
 *
 * Goal: Jaro-Winkler several times npm's speed with the same answers. Not a goal: the fastest
 * similarity there is; a WebAssembly core is measured when it comes.
 */
import levenshtein from 'fast-levenshtein';
import jaroWinkler from 'jaro-winkler';
import { foldName } from '#engine';
import { JaroWinkler } from '../src/engine/jaroWinkler.ts';
import { levenshteinDistance } from '../src/engine/levenshtein.ts';
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

export async function rows(options: BenchOptions): Promise<BenchRow[]> {
  const list = await benchList(2_000);
  const count = options.smoke ? 60 : 300;
  const step = Math.max(1, Math.floor(list.entities.length / count));
  const names = Array.from(
    { length: count },
    (_, at) => foldName(list.entities[at * step]?.names[0] ?? '').native,
  );
  const spans = names.map((name) => ({
    units: Uint16Array.from(name.split(''), (char) => char.charCodeAt(0)),
    start: 0,
    end: name.length,
  }));
  const pairs = count * count;
  const kernel = new JaroWinkler();
  const sum = (compare: (a: number, b: number) => number, prepare?: (a: number) => void) => () => {
    let total = 0;
    for (let a = 0; a < count; a++) {
      prepare?.(a);
      for (let b = 0; b < count; b++) total += compare(a, b);
    }
    return total;
  };
  const jaroOurs = timePairs(
    pairs,
    sum(
      (_, b) => kernel.compare(spans[b]?.units ?? new Uint16Array(), 0, spans[b]?.end ?? 0),
      (a) => kernel.set(spans[a]?.units ?? new Uint16Array(), 0, spans[a]?.end ?? 0),
    ),
  );
  const none = { units: new Uint16Array(), start: 0, end: 0 };
  const data = `${count} names of ${list.data}`;
  return [
    row('jaro-winkler', data, {
      ours: jaroOurs,
      npm: timePairs(
        pairs,
        sum((a, b) => jaroWinkler(names[a] ?? '', names[b] ?? '')),
      ),
      name: 'npm jaro-winkler',
    }),
    row('levenshtein', data, {
      ours: timePairs(
        pairs,
        sum((a, b) => levenshteinDistance(spans[a] ?? none, spans[b] ?? none)),
      ),
      npm: timePairs(
        pairs,
        sum((a, b) => levenshtein.get(names[a] ?? '', names[b] ?? '')),
      ),
      name: 'npm fast-levenshtein',
    }),
  ];
}
