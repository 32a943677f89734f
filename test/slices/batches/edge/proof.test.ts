/** The proof of one subject over HTTP: cut from what is stored, good by the published keys. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { leafHash, merkleRoot } from '#platform/merkleTree';
import {
  type Batch,
  batchStore,
  readFindings,
  type ScreenedBatch,
  signedResults,
  verifyProof,
} from '#slices/batches';
import { FACTS_UNKNOWN } from '#slices/lists';
import { writeReports } from '../../../../src/reports/index.ts';
import { TECHNOLOGIES } from '../../../api/http/adapters.ts';
import { type Caller, openRealGateway, type RealGateway } from '../../../api/realGateway.ts';
import { hasRedis } from '../../../redis/realRedis.ts';
import {
  type CreatedBody,
  changeBatch,
  chunkDone,
  SUBJECTS,
  storedBatch,
  withChunks,
} from './fixture.ts';

const CHUNKS = 3;
const CHUNK_SUBJECTS = 4;

describe.skipIf(!hasRedis).each(TECHNOLOGIES)('proofs over %s', (technology) => {
  let gateway: RealGateway;
  let officer: Caller;
  let running: Batch;
  let completed: Batch;

  const create = async (bank: Caller): Promise<Batch> => {
    const answer = await bank.post('/v1/aml/batches', { name: 'Weekly', subjects: SUBJECTS });
    return storedBatch(gateway, bank.tenantId, answer.json<CreatedBody>().batch_id);
  };

  const screened = async (batch: Batch): Promise<Batch> => {
    const { installation } = gateway;
    const { blobs, signer, storage } = installation;
    const batches = batchStore(storage.tables);
    const results = signedResults({ ...installation, audit: storage.audit });
    let next = await withChunks(gateway, batch, { chunks: CHUNKS, chunkSubjects: CHUNK_SUBJECTS });
    for (let chunkNo = 0; chunkNo < CHUNKS; chunkNo++) {
      next = await chunkDone(gateway, next, { chunkNo, hitsOf: (ordinal) => ordinal % 2 });
    }
    const leaves: Buffer[] = [];
    const findings = () => readFindings({ batches, results }, next);
    for await (const { chunk } of findings()) {
      leaves.push(leafHash(Buffer.from(chunk.result.merkleRoot, 'hex')));
    }
    const done = {
      ...next,
      chainPlace: { hash: '0'.repeat(64), seq: 1_000 },
      completedAt: next.requestedAt,
      listsPinned: [],
      resultsRoot: merkleRoot(leaves).toString('hex'),
    } as unknown as ScreenedBatch;
    const reports = await writeReports(
      { put: (bytes) => blobs.put(bytes), signer },
      {
        batch: done,
        chunks: findings,
        factsOf: async (hits) => hits.map(() => FACTS_UNKNOWN),
        tenantName: 'Bank',
      },
    );
    return changeBatch(gateway, next, { ...done, reports, status: 'completed' });
  };

  beforeAll(async () => {
    gateway = await openRealGateway(technology);
    const tenant = await gateway.tenant('sandbox');
    const bank = await gateway.caller(tenant, 'agent_l1');
    officer = await gateway.caller(tenant, 'compliance_officer');
    running = await create(bank);
    completed = await screened(await create(bank));
  });
  afterAll(() => gateway?.close());

  const proofOf = (caller: Caller, { batchId }: Batch, externalId: string) =>
    caller.get(`/v1/aml/batches/${batchId}/proof?external_id=${encodeURIComponent(externalId)}`);

  test('one subject is proven, by the keys that are published', async () => {
    const answer = await proofOf(officer, completed, 'C-6"hits":[],');
    expect(answer.status).toBe(200);
    const { keyRing } = gateway.installation;
    expect(verifyProof(Buffer.from(answer.text), keyRing)).toMatchObject({
      ok: true,
      value: { result: { ordinal: 6 } },
    });
  });

  test('several that ask at once each get their own', async () => {
    const ids = [0, 5, 11].map((ordinal) => `C-${ordinal}"hits":[],`);
    const answers = await Promise.all(ids.map((id) => proofOf(officer, completed, id)));
    expect(answers.map((answer) => JSON.parse(answer.json<{ result: string }>().result))).toEqual(
      ids.map((external_id) => expect.objectContaining({ external_id })),
    );
  });

  test('a subject that is not there, a batch that runs, a stranger: refused', async () => {
    expect((await proofOf(officer, completed, 'C-6')).status).toBe(404);
    expect((await proofOf(officer, running, 'C-1')).status).toBe(409);
    const stranger = await gateway.caller(await gateway.tenant('sandbox'), 'compliance_officer');
    expect((await proofOf(stranger, completed, 'C-6"hits":[],')).status).toBe(404);
  });
});
