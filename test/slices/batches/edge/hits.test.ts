/** Hits of a batch: by page while chunks end in any order, one by one, and decided by people. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Batch } from '#slices/batches';
import { HitResult, HitsPage } from '../../../../src/slices/batches/edge/hitSchemas.ts';
import { TECHNOLOGIES } from '../../../api/http/adapters.ts';
import {
  type Answer,
  type Caller,
  openRealGateway,
  type RealGateway,
} from '../../../api/realGateway.ts';
import { hasRedis } from '../../../redis/realRedis.ts';
import {
  type CreatedBody,
  changeBatch,
  chunkDone,
  misdescribed,
  SUBJECTS,
  storedBatch,
  withChunks,
} from './fixture.ts';

interface HitBody {
  readonly hit_id: string;
  readonly external_id: string;
  readonly decision: string;
  readonly match_score: number;
  readonly match_type: string;
  readonly record_id: string;
}
interface PageBody {
  readonly data: readonly HitBody[];
  readonly next_cursor: string | null;
}

const CHUNKS = 3;
const CHUNK_SUBJECTS = 10;
/** Every third subject has two hits. */
const hitsOf = (ordinal: number): number => (ordinal % 3 === 0 ? 2 : 0);
const ALL = Array.from({ length: CHUNKS * CHUNK_SUBJECTS }, (_, ordinal) => ordinal).flatMap(
  (ordinal) => Array.from({ length: hitsOf(ordinal) }, (_, at) => `demo-${ordinal}-${at}`),
);

describe.skipIf(!hasRedis).each(TECHNOLOGIES)('hits of a batch over %s', (technology) => {
  let gateway: RealGateway;
  let bank: Caller;
  let colleague: Caller;
  let auditor: Caller;
  let insurer: Caller;
  let batch: Batch;
  let path = '';

  beforeAll(async () => {
    gateway = await openRealGateway(technology);
    bank = await gateway.caller(await gateway.tenant('sandbox'), 'agent_l1');
    colleague = await gateway.caller(bank.tenantId, 'agent_l2');
    auditor = await gateway.caller(bank.tenantId, 'auditor');
    insurer = await gateway.caller(await gateway.tenant('sandbox'), 'agent_l1');
  });
  afterAll(() => gateway?.close());
  beforeEach(async () => {
    const answer = await bank.post('/v1/aml/batches', { name: 'Weekly', subjects: SUBJECTS });
    const { batch_id: id } = answer.json<CreatedBody>();
    const queued = await storedBatch(gateway, bank.tenantId, id);
    const sizes = { chunkSubjects: CHUNK_SUBJECTS, chunks: CHUNKS };
    batch = await withChunks(gateway, queued, sizes);
    path = `/v1/aml/batches/${id}/hits`;
  });

  const done = async (...chunkNos: number[]) => {
    for (const chunkNo of chunkNos) batch = await chunkDone(gateway, batch, { chunkNo, hitsOf });
  };
  const page = async (query = '') => (await bank.get(`${path}?${query}`)).json<PageBody>();
  const records = ({ data }: PageBody) => data.map(({ record_id }) => record_id);
  const all = async (query: string) => {
    const found: string[] = [];
    for (let cursor = ''; ; ) {
      const body = await page(query + cursor);
      found.push(...records(body));
      if (body.next_cursor === null) return found;
      cursor = `&cursor=${body.next_cursor}`;
    }
  };
  const patch = (
    caller: Caller,
    hitId: string,
    body: object,
    headers: Record<string, string> = {},
  ): Promise<Answer> =>
    caller.send(`${path}/${hitId}`, {
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', ...headers },
      method: 'PATCH',
    });
  const TRUE = { decision: 'true_positive', notes: 'Same date of birth' };

  test('come in the order of their subjects, page by page, each once', async () => {
    await done(2, 0, 1);
    expect(await all('limit=200')).toEqual(ALL);
    expect(await all('limit=3')).toEqual(ALL);
    const [first] = (await page('limit=1')).data;
    expect(first).toMatchObject({
      batch_id: batch.batchId,
      decision: 'pending',
      external_id: 'C-0"hits":[],',
      list_source: 'DEMO',
      match_score: 1,
      match_type: 'sanction',
      notes: null,
      reviewed_at: null,
      reviewer_id: null,
      strong: true,
      subject_data: { external_id: 'C-0', full_name: 'Tarek Velmorani' },
    });
  });

  test('while chunks end in any order: none is missed, and none comes twice', async () => {
    expect((await page()).data).toEqual([]);
    await done(0, 2);
    const first = await page('limit=5');
    const second = await page(`limit=5&cursor=${first.next_cursor}`);
    // Chunk 2 is done, and chunk 1 is not: the page ends before it.
    const early = [...records(first), ...records(second)];
    expect(early).toEqual(ALL.slice(0, 8));
    expect((await page(`cursor=${second.next_cursor}`)).data).toEqual([]);
    await done(1);
    const rest = await page(`cursor=${second.next_cursor}`);
    expect([...early, ...records(rest)]).toEqual(ALL);
    expect(rest.next_cursor).toBeNull();
  });

  test('of a batch that was canceled are those of the chunks that were done', async () => {
    await done(0, 2);
    await changeBatch(gateway, batch, { status: 'canceled' });
    const ordinal = (record: string) => Number(record.split('-')[1]);
    const expected = ALL.filter((record) => ordinal(record) < 10 || ordinal(record) >= 20);
    expect(await all('limit=4')).toEqual(expected);
  });

  test('are filtered by type, score and decision', async () => {
    await done(0, 1, 2);
    const typed = await page('match_type=pep&limit=200');
    expect(typed.data.length).toBeGreaterThan(0);
    expect(typed.data.every(({ match_type }) => match_type === 'pep')).toBe(true);
    const best = await all('min_score=1&limit=3');
    expect(best).toEqual(ALL.filter((record) => record.endsWith('-0')));
    const hits = (await page('limit=200')).data;
    for (const [at, decision] of [
      [1, 'true_positive'],
      [9, 'false_positive'],
      [19, 'true_positive'],
    ] as const) {
      await patch(bank, hits[at]?.hit_id ?? '', { decision });
    }
    expect(await all('decision=true_positive&limit=1')).toEqual([ALL[1], ALL[19]]);
    expect(await all('decision=false_positive')).toEqual([ALL[9]]);
    const pending = ALL.filter((_, at) => ![1, 9, 19].includes(at));
    expect(await all('decision=pending&limit=4')).toEqual(pending);
    expect(await all('limit=7')).toEqual(ALL);
  });

  test('one is decided, shown with who decided, and leaves an entry', async () => {
    await done(0);
    const [{ hit_id: id } = { hit_id: '' }] = (await page()).data;
    const before = await gateway.headSeq(bank.tenantId);
    const pending = await bank.get(`${path}/${id}`);
    expect(pending.headers.get('etag')).toBe('"v0"');
    const answer = await patch(bank, id, TRUE);
    expect([answer.status, answer.headers.get('etag')]).toEqual([200, '"v1"']);
    expect(answer.json()).toMatchObject({ ...TRUE, hit_id: id });
    expect(misdescribed(HitResult, answer.json())).toEqual([]);
    expect(misdescribed(HitsPage, await page())).toEqual([]);
    const found = await auditor.get(`${path}/${id}`);
    expect([found.text, found.headers.get('etag')]).toEqual([answer.text, '"v1"']);
    const { audit } = gateway.installation.storage;
    expect(await gateway.headSeq(bank.tenantId)).toBe(before + 1);
    const event = await audit.findBySeq(bank.tenantId as never, before + 1);
    expect(JSON.parse(event?.body ?? '')).toMatchObject({
      action: 'aml.batch.hit.decided',
      decision: 'true_positive',
      former_decision: 'pending',
      hit_id: id,
      target: batch.batchId,
    });
    expect(event?.body).not.toContain('date of birth');
    expect(event?.open).toContain('date of birth');
  });

  test('of two who decide at once one wins, and the other is told', async () => {
    await done(0);
    const { data } = await page('limit=200');
    for (const { hit_id: id } of data.slice(0, 4)) {
      const before = await gateway.headSeq(bank.tenantId);
      const answers = await Promise.all([
        patch(bank, id, TRUE),
        patch(colleague, id, { decision: 'false_positive' }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      const won = answers.find(({ status }) => status === 200)?.json<HitBody>();
      expect((await bank.get(`${path}/${id}`)).json<HitBody>().decision).toBe(won?.decision);
      expect(await gateway.headSeq(bank.tenantId)).toBe(before + 1);
    }
  });

  test('a decided one is decided anew by whoever names its version', async () => {
    await done(0);
    const [{ hit_id: id } = { hit_id: '' }] = (await page()).data;
    expect((await patch(bank, id, TRUE)).status).toBe(200);
    const anew = { decision: 'false_positive', notes: 'Another man' };
    expect((await patch(bank, id, anew)).problem()).toMatchObject({
      code: 'state-conflict',
      status: 409,
    });
    const stale = await patch(colleague, id, anew, { 'If-Match': '"v0"' });
    expect(stale.problem()).toMatchObject({ code: 'precondition-failed', status: 412 });
    const weak = await patch(colleague, id, anew, { 'If-Match': 'W/"v1"' });
    expect(weak.status).toBe(412);
    const wrong = await patch(colleague, id, anew, { 'If-Match': 'v1' });
    expect(wrong.problem()).toMatchObject({ code: 'header-invalid', status: 400 });
    const answers = await Promise.all([
      patch(colleague, id, anew, { 'If-Match': '"v1"' }),
      patch(bank, id, TRUE, { 'If-Match': '"v1"' }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
    const any = await patch(bank, id, anew, { 'If-Match': '*' });
    expect([any.status, any.headers.get('etag')]).toEqual([200, '"v3"']);
  });

  test('a decision under a key is answered again, byte for byte', async () => {
    await done(0);
    const [{ hit_id: id } = { hit_id: '' }] = (await page()).data;
    const key = { 'Idempotency-Key': crypto.randomUUID() };
    const first = await patch(bank, id, TRUE, key);
    const again = await patch(bank, id, TRUE, key);
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  test('an id that is made up, of another batch or of another tenant is unknown', async () => {
    await done(0);
    const [{ hit_id: id } = { hit_id: '' }] = (await page()).data;
    const unknown = await bank.get(`/v1/aml/batches/${crypto.randomUUID()}/hits`);
    const [head = '', ...rest] = id.split('-');
    const forged = [(Number.parseInt(head, 16) + 1).toString(16).padStart(8, '0'), ...rest];
    for (const answer of [
      await bank.get(`${path}/${forged.join('-')}`),
      await bank.get(`${path}/${crypto.randomUUID()}`),
      await insurer.get(`${path}/${id}`),
      await insurer.get(path),
      await patch(insurer, id, TRUE),
    ]) {
      expect(answer.problem()).toEqual(unknown.problem());
    }
    expect((await bank.get(`${path}/${id}`)).json<HitBody>().decision).toBe('pending');
  });

  test('who only checks reads and decides nothing', async () => {
    await done(0);
    const [{ hit_id: id } = { hit_id: '' }] = (await page()).data;
    expect((await auditor.get(path)).status).toBe(200);
    expect((await patch(auditor, id, TRUE)).problem()).toMatchObject({ code: 'role-insufficient' });
    const developer = await gateway.caller(bank.tenantId, 'developer', 'admin');
    expect((await patch(developer, id, TRUE)).status).toBe(403);
  });

  test.each([
    ['decision=maybe', 'query-invalid'],
    ['match_type=x', 'query-invalid'],
    ['min_score=2', 'query-invalid'],
    ['limit=201', 'limit-out-of-range'],
    ['cursor=x', 'cursor-invalid'],
  ])('?%s is refused', async (query, code) => {
    expect((await bank.get(`${path}?${query}`)).problem()).toMatchObject({ code, status: 400 });
  });

  test('a cursor is good for its batch and its filters alone', async () => {
    await done(0, 1);
    const { next_cursor: cursor } = await page('limit=1');
    const answer = await bank.get(`${path}?match_type=pep&cursor=${cursor}`);
    expect(answer.problem().code).toBe('cursor-invalid');
  });
});
