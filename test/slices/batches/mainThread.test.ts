/**
 * What runs on the gateway's own thread when results of batches are read: nothing whose cost their
 * number decides. The functions that verify, open and ask lines refuse to run on this thread here;
 * the thread of results loads the files for itself, and has the real ones.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Batch } from '#slices/batches';
import { TECHNOLOGIES } from '../../api/http/adapters.ts';
import { type Caller, openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';
import { type CreatedBody, chunkDone, SUBJECTS, storedBatch, withChunks } from './edge/fixture.ts';

const refuse = (): never => {
  throw new Error('results were read on the main thread');
};
vi.mock('../../../src/slices/batches/chunkQuestions.ts', async (original) => ({
  ...(await original<object>()),
  answerIn: () => refuse(),
}));
vi.mock('../../../src/slices/batches/signedChunk.ts', async (original) => ({
  ...(await original<object>()),
  refuseLines: () => refuse(),
  signedChunk: () => refuse(),
}));

interface PageBody {
  readonly data: readonly { readonly hit_id: string; readonly match_score: number }[];
}

describe.skipIf(!hasRedis).each(TECHNOLOGIES)('over %s', (technology) => {
  let gateway: RealGateway;
  let bank: Caller;
  let batch: Batch;
  let path = '';

  beforeAll(async () => {
    gateway = await openRealGateway(technology);
    bank = await gateway.caller(await gateway.tenant('sandbox'), 'compliance_officer');
    const answer = await bank.post('/v1/aml/batches', { name: 'Weekly', subjects: SUBJECTS });
    const { batch_id: id } = answer.json<CreatedBody>();
    const queued = await storedBatch(gateway, bank.tenantId, id);
    batch = await withChunks(gateway, queued, { chunkSubjects: 4, chunks: 2 });
    for (const chunkNo of [0, 1]) {
      batch = await chunkDone(gateway, batch, { chunkNo, hitsOf: (ordinal) => ordinal % 2 });
    }
    path = `/v1/aml/batches/${batch.batchId}/hits`;
  });
  afterAll(() => gateway?.close());

  test('a page of hits, one of them, and its decision', async () => {
    const page = await bank.get(`${path}?decision=pending&min_score=0.1`);
    expect(page.status, page.text).toBe(200);
    const [first] = page.json<PageBody>().data;
    expect(page.json<PageBody>().data).toHaveLength(4);
    expect((await bank.get(`${path}/${first?.hit_id}`)).status).toBe(200);
    const patched = await bank.send(`${path}/${first?.hit_id}`, {
      body: JSON.stringify({ decision: 'false_positive', notes: 'another person' }),
      headers: { 'Content-Type': 'application/json' },
      method: 'PATCH',
    });
    expect(patched.status, patched.text).toBe(200);
    const decided = await bank.get(`${path}?decision=false_positive`);
    expect(decided.json<PageBody>().data.map(({ hit_id }) => hit_id)).toEqual([first?.hit_id]);
  });

  test('blobs of results are not even fetched by it', async () => {
    const get = vi.spyOn(gateway.installation.blobs, 'get');
    expect((await bank.get(path)).status).toBe(200);
    expect(get).not.toHaveBeenCalled();
    get.mockRestore();
  });
});
