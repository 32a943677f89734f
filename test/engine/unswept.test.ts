/**
 * Lists too large to sweep, in small: a snapshot without what a sweep reads. Retrieval by votes
 * then has to find all that is heard over the line, and answers of all it finds what is true.
 */
import { describe, expect, test } from 'vitest';
import { streamEntities, syntheticSource } from '../../bench/names.ts';
import { NOISE_NAMES, noisyQuery } from '../../bench/noise.ts';
import { seededRandom } from '../../bench/random.ts';
import { taskOf } from '../../bench/recall.ts';
import { buildSnapshot } from '../../src/engine/index.ts';
import { layOutList } from '../../src/engine/listMemory.ts';
import { BLOCK, BLOCK_LENGTH } from '../../src/engine/messages.ts';
import { QueryRunner } from '../../src/engine/queryRunner.ts';
import { RERANKER_VERSIONS } from '../../src/engine/rerankers.ts';
import { openSnapshot, writeSnapshot } from '../../src/engine/snapshotFormat.ts';
import { COLUMN, ROW_LENGTH } from '../../src/engine/topK.ts';
import { SETTINGS } from './fixtures.ts';

/** Re-rankers of the formula; the other kind has tests of its own. */
const ONES = RERANKER_VERSIONS.filter((version) => version.startsWith('1.'));

const COUNT = 4_000;
const QUERIES = 12;
const LINE = 0.7;

function unswept(): SharedArrayBuffer {
  const sections = openSnapshot(buildSnapshot(streamEntities(COUNT)));
  return writeSnapshot({
    ...sections,
    uncodedEntity: new Uint32Array(),
    sweepStart: new Uint32Array(),
    sweepEntity: new Uint32Array(),
    sweepOnce: new Int32Array(),
    sweepTwice: new Int32Array(),
    sweepHeads: new Uint32Array(),
  });
}

function runner(snapshot: SharedArrayBuffer, twin: boolean): QueryRunner {
  const made = new QueryRunner();
  const memory = layOutList(snapshot, { slots: 1, twin });
  made.useIndexes([{ number: 1, buffer: memory.buffer, memory }]);
  return made;
}

interface Row {
  readonly text: string;
  readonly direct: number;
  readonly isHeard: boolean;
}

function rowsOf(block: Float64Array): Map<number, Row> {
  const rows = new Map<number, Row>();
  for (let rank = 0; rank < (block[BLOCK.count] ?? 0); rank++) {
    const row = block.slice(BLOCK.rows + rank * ROW_LENGTH, BLOCK.rows + (rank + 1) * ROW_LENGTH);
    rows.set(row[COLUMN.entity] ?? -1, {
      text: row.join(),
      direct: row[COLUMN.directScore] ?? 0,
      isHeard: row[COLUMN.phoneticScore] === 1,
    });
  }
  return rows;
}

describe('a list that is searched by votes', () => {
  const snapshot = unswept();
  const entities = syntheticSource(COUNT);
  const wasm = runner(snapshot, false);
  const twin = runner(snapshot, true);

  const cases = ONES.flatMap((version) => NOISE_NAMES.map((noise) => [version, noise] as const));
  test.for(cases)(
    '%s, %s: all that is heard, the same in WebAssembly and its twin',
    ([version, noise]) => {
      const random = seededRandom(31);
      const blocks = [0, 1, 2].map(() => new Float64Array(BLOCK_LENGTH));
      const [ours, twins, truth] = blocks as [Float64Array, Float64Array, Float64Array];
      for (let at = 0; at < QUERIES; at++) {
        const { raw } = noisyQuery(entities, noise, random);
        const spelt = at % 4 === 0 ? [`${raw.name} x`, raw.name.replaceAll('a', 'e')] : [];
        const query = { ...raw, transliterations: spelt };
        const task = taskOf(query, { ...SETTINGS, version });
        wasm.run(task, ours);
        twin.run(task, twins);
        expect(Buffer.compare(Buffer.from(ours.buffer), Buffer.from(twins.buffer))).toBe(0);
        wasm.run(task, truth, { exhaustive: true });
        const found = rowsOf(ours);
        for (const [entity, row] of rowsOf(truth)) {
          if (row.direct < LINE) continue;
          if (row.isHeard) expect(found.get(entity)?.text, raw.name).toBe(row.text);
          else if (found.has(entity)) expect(found.get(entity)?.text).toBe(row.text);
        }
      }
    },
  );

  test('2.0.0: what is answered is true, and nearly all of it', () => {
    const random = seededRandom(32);
    const blocks = [0, 1, 2].map(() => new Float64Array(BLOCK_LENGTH));
    const [ours, twins, truth] = blocks as [Float64Array, Float64Array, Float64Array];
    const sum = { found: 0, wanted: 0 };
    for (const noise of [...NOISE_NAMES, ...NOISE_NAMES]) {
      const { raw } = noisyQuery(entities, noise, random);
      const task = taskOf(raw, { ...SETTINGS, answerScoreMin: 0.5, version: '2.0.0' });
      wasm.run(task, ours);
      twin.run(task, twins);
      expect(Buffer.compare(Buffer.from(ours.buffer), Buffer.from(twins.buffer))).toBe(0);
      wasm.run(task, truth, { exhaustive: true });
      const all = rowsOf(truth);
      const found = rowsOf(ours);
      for (const [entity, row] of found) expect(all.get(entity)?.text).toBe(row.text);
      for (const [entity, row] of all) {
        if (row.direct < LINE) continue;
        sum.wanted += 1;
        if (found.has(entity)) sum.found += 1;
      }
    }
    expect(sum.wanted).toBeGreaterThan(15);
    expect(sum.found, `${sum.found} of ${sum.wanted}`).toBeGreaterThan(0.95 * sum.wanted);
  });
});
