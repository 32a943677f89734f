/**
 * The kernels as WebAssembly and as their twin in plain typed arrays: the compiled file is what its
 * sources give, and both answer the same bytes, whatever the list and the query.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { streamEntities, syntheticSource } from '../../bench/names.ts';
import { NOISE_NAMES, noisyQuery } from '../../bench/noise.ts';
import { seededRandom } from '../../bench/random.ts';
import { compileKernels } from '../../scripts/buildKernels.ts';
import { buildSnapshot } from '../../src/engine/index.ts';
import { layOutList } from '../../src/engine/listMemory.ts';
import { BLOCK_LENGTH } from '../../src/engine/messages.ts';
import { QueryRunner } from '../../src/engine/queryRunner.ts';
import { RERANKER_VERSIONS } from '../../src/engine/rerankers.ts';
import { SETTINGS } from './fixtures.ts';

const COUNT = 1_500;

function runner(snapshot: SharedArrayBuffer, twin: boolean): QueryRunner {
  const made = new QueryRunner();
  const memory = layOutList(snapshot, { slots: 2, twin });
  expect(memory.memory === undefined).toBe(twin);
  made.useIndexes([{ number: 1, buffer: memory.buffer, memory }]);
  return made;
}

test('kernels.wasm is what scripts/buildKernels.ts makes of the sources', async () => {
  const kept = readFileSync(new URL('../../src/engine/native/kernels.wasm', import.meta.url));
  expect(Buffer.compare(Buffer.from(await compileKernels()), kept)).toBe(0);
});

describe('WebAssembly and its twin', () => {
  const snapshot = buildSnapshot(streamEntities(COUNT));
  const entities = syntheticSource(COUNT);
  const wasm = runner(snapshot, false);
  const twin = runner(snapshot, true);

  const cases = RERANKER_VERSIONS.flatMap((version) =>
    NOISE_NAMES.map((noise) => [version, noise] as const),
  );
  test.for(cases)('%s, %s: the same bytes', ([version, noise]) => {
    const random = seededRandom(77);
    for (let at = 0; at < 12; at++) {
      const { raw } = noisyQuery(entities, noise, random);
      const spelt = at % 3 === 0 ? [raw.name.replaceAll('a', 'e'), `${raw.name} x`] : [];
      const query = { ...raw, transliterations: spelt };
      const settings = { ...SETTINGS, directScoreMin: at % 2 === 0 ? 0.7 : 0.5, version };
      const task = { query, settings, indexes: [1], expiresAt: Number.POSITIVE_INFINITY };
      const blocks = [new Float64Array(BLOCK_LENGTH), new Float64Array(BLOCK_LENGTH)] as const;
      wasm.run(task, blocks[0], { slot: at % 2 });
      twin.run(task, blocks[1], { slot: (at + 1) % 2 });
      expect(Buffer.compare(Buffer.from(blocks[0].buffer), Buffer.from(blocks[1].buffer))).toBe(0);
    }
  });
});
