/** `batch hits`: what was found, filtered, page after page, and what is refused. */
import { beforeAll, expect, test } from 'vitest';
import { batchTable, chunkTable, reviewTable } from '#slices/batches';
import { runCommandLine } from '../../../../src/cli/commandLine.ts';
import { opened, surroundings } from '../../../cli/surroundings.ts';
import { BATCH_ID, sampleBatch, TENANT_ID } from '../../../reports/sampleBatch.ts';
import { completedOf, SampleBlobs, storeOf } from '../../../reports/sampleStore.ts';
import { createModelTables } from '../../../storage/modelTables.ts';

const SUBJECTS = 100;
/** More than one call reads. */
const sample = sampleBatch({ chunkSubjects: 5, subjects: SUBJECTS });
const model = createModelTables([batchTable, chunkTable, reviewTable]);
let installation: object;

beforeAll(async () => {
  const blobs = new SampleBlobs();
  const batch = await completedOf(sample, blobs);
  const { audit, batches } = await storeOf(sample, blobs);
  model.seed(batchTable, batch);
  const { batchId } = batch;
  model.seed(chunkTable, ...(await batches.listChunks({ batchId, fromNo: 0, limit: 1_000 })));
  installation = {
    blobs,
    dataKeys: { find: async () => undefined },
    keyRing: sample.keys,
    storage: { audit, tables: model.tables },
    tenants: { list: async () => [{ id: 'another' }, { id: TENANT_ID }] },
  };
});

async function run(words: string) {
  let [out, err] = ['', ''];
  const streams = {
    err: { write: (text: string) => (err += text) },
    out: { write: (text: string) => (out += text) },
  };
  const given = surroundings({ open: opened(installation) });
  const code = await runCommandLine(words.split(' '), streams, given);
  return { code, err, out };
}

interface Shown {
  readonly hits: readonly { readonly external_id: string; readonly match_score: number }[];
  readonly more: boolean;
}

async function hits(words = ''): Promise<Shown> {
  const { code, err, out } = await run(`batch hits --batch ${BATCH_ID} --json${words}`);
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out) as Shown;
}

test('all of them, once each, by subject', async () => {
  const all = await hits();
  const expected = sample.chunks
    .flatMap(({ lines, parse }) => lines.map((line) => parse(line)))
    .flatMap(({ external_id, hits: found }) => found.map(() => external_id));
  expect(expected.length).toBeGreaterThan(5);
  expect(all.hits.map(({ external_id }) => external_id)).toEqual(expected);
  expect(all.more).toBe(false);
});

test('no more than were asked for, and that there are more', async () => {
  const { out } = await run(`batch hits --batch ${BATCH_ID} --limit 2`);
  const lines = out.trimEnd().split('\n');
  expect(lines).toHaveLength(4);
  expect(lines[0]).toMatch(/^SUBJECT +NAME +SCORE +TYPE +LIST +LISTED +DECISION$/);
  expect(lines[3]).toBe('there are more, or will be: the batch is completed');
});

test('by decision and by score', async () => {
  const all = await hits();
  expect((await hits(' --decision pending')).hits).toEqual(all.hits);
  expect((await hits(' --decision true_positive')).hits).toEqual([]);
  expect((await hits(' --min-score 1')).hits).toEqual(
    all.hits.filter(({ match_score }) => match_score === 1),
  );
});

test.each([
  ['--limit 0', 2],
  ['--min-score 1.5', 2],
  ['--decision maybe', 2],
  ['--type nothing', 2],
  ['--tenant another', 3],
])('%s ends with %i', async (words, code) => {
  expect((await run(`batch hits --batch ${BATCH_ID} ${words}`)).code).toBe(code);
});
