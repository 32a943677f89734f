/** A batch is made: by JSON, by a form with a CSV, by a query; and is looked at by its tenant. */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BatchCreated, BatchResult } from '../../../src/slices/batches/edge/resultSchemas.ts';
import { TECHNOLOGIES } from '../../api/http/adapters.ts';
import {
  type Caller,
  openRealGateway,
  type Problem,
  type RealGateway,
} from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';
import {
  type CreatedBody,
  changeBatch,
  csvOf,
  filesIn,
  formOf,
  misdescribed,
  postForm,
  postText,
  readSource,
  SUBJECTS,
  storedBatch,
} from './edge/fixture.ts';

describe.skipIf(!hasRedis).each(TECHNOLOGIES)('batches over %s', (technology) => {
  let gateway: RealGateway;
  let bank: Caller;
  let insurer: Caller;

  beforeAll(async () => {
    gateway = await openRealGateway(technology);
    bank = await gateway.caller(await gateway.tenant('sandbox'), 'agent_l1');
    insurer = await gateway.caller(await gateway.tenant('sandbox'), 'agent_l1');
  });
  afterAll(() => gateway?.close());

  const create = (more: object = {}) =>
    bank.post('/v1/aml/batches', { name: 'Weekly', subjects: SUBJECTS, ...more });

  test('JSON: 202, queued, and the record says what was asked', async () => {
    const answer = await create({ include_pep: false, lists: ['DEMO'] });
    const created = answer.json<CreatedBody>();
    expect(answer.status, answer.text).toBe(202);
    expect(created).toMatchObject({ status: 'queued', subjects_total: 3 });
    expect(Date.parse(created.estimated_completion)).toBeGreaterThan(Date.now());
    const batch = await bank.get(`/v1/aml/batches/${created.batch_id}`);
    expect(batch.json()).toMatchObject({
      batch_id: created.batch_id,
      chunks_completed: 0,
      hits_total: 0,
      include_adverse_media: true,
      include_pep: false,
      lists: ['DEMO'],
      mode: 'full',
      name: 'Weekly',
      progress_pct: 0,
      report_csv_url: null,
      source_ref: null,
      source_type: 'json',
      status: 'queued',
      subjects_processed: 0,
      subjects_with_hits: 0,
      tenant_id: bank.tenantId,
      thresholds: { auto_clear_threshold: 0.6, auto_match_threshold: 0.95, review_threshold: 0.85 },
      webhook_delivered: false,
    });
    expect(batch.text).not.toContain('secret');
    expect(misdescribed(BatchResult, batch.json())).toEqual([]);
    expect(misdescribed(BatchCreated, created)).toEqual([]);
  });

  test.each([
    ['plain', Buffer.from(csvOf(1_234))],
    ['gzip', gzipSync(csvOf(1_234))],
  ])(
    'a form with a CSV, %s: named by its digest, whatever the order of the parts',
    async (_, file) => {
      const fields = [
        ['lists', 'DEMO'],
        ['include_pep', 'false'],
        ['name', 'Nightly'],
      ] as const;
      const answer = await postForm(bank, formOf(fields, file, '../tmp/kunden.csv'));
      expect(answer.status, answer.text).toBe(202);
      const created = answer.json<CreatedBody>();
      expect(created).toMatchObject({ status: 'queued', subjects_total: 1_234 });
      const batch = (await bank.get(`/v1/aml/batches/${created.batch_id}`)).json<{
        source_sha256: string;
      }>();
      expect(batch).toMatchObject({
        include_pep: false,
        lists: ['DEMO'],
        name: 'Nightly',
        source_bytes: file.length,
        source_ref: 'kunden.csv',
        source_type: 'csv',
      });
      const { source } = await storedBatch(gateway, bank.tenantId, created.batch_id);
      expect(await readSource(gateway, bank.tenantId, created.batch_id)).toEqual(file);
      expect(batch.source_sha256).toBe(source.address);
    },
  );

  test('a query over no cases is a batch of nobody', async () => {
    const filter = { 'kyc_case.status': 'approved' };
    const answer = await create({ source: { filter, type: 'query' }, subjects: undefined });
    expect([answer.status, answer.json<CreatedBody>().subjects_total]).toEqual([202, 0]);
    const batch = await bank.get(`/v1/aml/batches/${answer.json<CreatedBody>().batch_id}`);
    expect(batch.json()).toMatchObject({
      source_ref: JSON.stringify(filter),
      source_type: 'query',
      subjects_total: 0,
    });
  });

  test.each([
    [{ name: undefined }, 'body-invalid', '/name'],
    [{ name: 'x'.repeat(256) }, 'body-invalid', '/name'],
    [{ name: ' ' }, 'body-invalid', '/name'],
    [{ name: 'a\u202eb' }, 'body-invalid', '/name'],
    [{ name: 'a\r\nb' }, 'body-invalid', '/name'],
    [{ mode: 'half' }, 'body-invalid', '/mode'],
    [{ include_pep: 'yes' }, 'body-invalid', '/include_pep'],
    [{ lists: [] }, 'body-invalid', '/lists'],
    [{ lists: ['DEMO', 'XX'] }, 'list-unknown', '/lists/1'],
    [{ lists: ['UN'] }, 'list-unavailable', '/lists/0'],
    [{ subjects: [] }, 'body-invalid', '/subjects'],
    [{ subjects: undefined }, 'body-invalid', '/subjects'],
    [{ subjects: 'all' }, 'body-invalid', '/subjects'],
    [{ subjects: [{ external_id: 'C' }] }, 'body-invalid', '/subjects/0/full_name'],
    [{ subjects: [{ ...SUBJECTS[0], dob: '0000-01-01' }] }, 'body-invalid', '/subjects/0/dob'],
    [{ source: { filter: {}, type: 'query' } }, 'body-invalid', '/source'],
    [
      { source: { filter: { a: 1 }, type: 'query' }, subjects: undefined },
      'body-invalid',
      '/source/filter/a',
    ],
    [{ since: '2026-01-01T00:00:00Z' }, 'body-invalid', '/since'],
    [{ mode: 'delta', since: '2999-01-01T00:00:00Z' }, 'body-invalid', '/since'],
    [{ mode: 'delta', since: '2026-13-01T00:00:00Z' }, 'body-invalid', '/since'],
    [{ tenant_id: 'x' }, 'body-invalid', '/tenant_id'],
    [{ mode: 'delta' }, 'batch-base-missing', undefined],
    [{ mode: 'listsdelta', subjects: undefined }, 'batch-base-missing', undefined],
    [{ mode: 'newlist' }, 'batch-base-missing', undefined],
  ])('%j is refused, and nothing is kept of it', async (more, code, pointer) => {
    const before = await gateway.headSeq(bank.tenantId);
    const text = JSON.stringify({ name: `Refused ${Math.random()}`, subjects: SUBJECTS, ...more });
    const files = await filesIn(gateway, 'sha256');
    const problem = (await postText(bank, text)).json<Problem>();
    expect([problem.code, problem.errors[0]?.pointer]).toEqual([code, pointer]);
    expect(await gateway.headSeq(bank.tenantId)).toBe(before);
    expect(await filesIn(gateway, 'sha256')).toEqual(files);
    expect(await filesIn(gateway, 'tmp')).toEqual([]);
  });

  test('modes that go on from a batch take the last completed one of the name', async () => {
    const name = 'Goes on';
    const ids: string[] = [];
    for (const status of ['completed', 'completed', 'failed'] as const) {
      const { batch_id: id } = (await create({ name })).json<CreatedBody>();
      const batch = await storedBatch(gateway, bank.tenantId, id);
      // Two of three were screened, the third was not read.
      await changeBatch(gateway, batch, { rejectedTotal: 1, status, subjectsTotal: 2 });
      ids.push(id);
    }
    const base = await storedBatch(gateway, bank.tenantId, ids[1] ?? '');
    for (const mode of ['delta', 'listsdelta', 'newlist']) {
      const { batch_id: id } = (await create({ mode, name })).json<CreatedBody>();
      expect((await bank.get(`/v1/aml/batches/${id}`)).json()).toMatchObject({
        base_batch_id: base.batchId,
        mode,
      });
    }
    const answer = await create({ mode: 'listsdelta', name, subjects: undefined });
    const created = answer.json<CreatedBody>();
    expect(created.subjects_total).toBe(3);
    expect((await bank.get(`/v1/aml/batches/${created.batch_id}`)).json()).toMatchObject({
      source_sha256: base.source.address,
    });
    const others = await insurer.post('/v1/aml/batches', {
      mode: 'delta',
      name,
      subjects: SUBJECTS,
    });
    expect(others.problem().code).toBe('batch-base-missing');
  });

  test('a subject may bring further spellings of his name', async () => {
    const spelled = { ...SUBJECTS[0], full_name_transliterations: ['Tariq Velmorani'] };
    expect((await create({ subjects: [spelled] })).status).toBe(202);
    const wrong = { ...SUBJECTS[0], full_name_transliterations: ['a', 5, '\u202eb'] };
    const problem = (await create({ subjects: [wrong] })).json<Problem>();
    expect(problem.errors.map(({ pointer }) => pointer)).toEqual([
      '/subjects/0/full_name_transliterations/1',
      '/subjects/0/full_name_transliterations/2',
    ]);
  });

  test('thresholds are those of the tenant when the batch is asked for', async () => {
    const tenant = await gateway.tenant('sandbox', { 'batch.review_threshold': 0.8 });
    const caller = await gateway.caller(tenant, 'agent_l1');
    const answer = await caller.post('/v1/aml/batches', { name: 'a', subjects: SUBJECTS });
    const path = `/v1/aml/batches/${answer.json<CreatedBody>().batch_id}`;
    expect((await caller.get(path)).json()).toMatchObject({
      thresholds: { auto_clear_threshold: 0.6, auto_match_threshold: 0.95, review_threshold: 0.8 },
    });
  });

  test('delta with since needs no batch before it', async () => {
    const answer = await create({ mode: 'delta', since: '2026-01-01T00:00:00Z' });
    expect(answer.status).toBe(202);
  });

  test('a live tenant has no synthetic list', async () => {
    const live = await gateway.caller(await gateway.tenant('live'), 'agent_l1');
    const answer = await live.post('/v1/aml/batches', { name: 'a', subjects: SUBJECTS });
    expect(answer.problem()).toMatchObject({ code: 'list-unavailable', status: 422 });
  });

  test('another tenant’s batch is as unknown as one that there is not', async () => {
    const { batch_id: id } = (await create()).json<CreatedBody>();
    const nobodys = await insurer.get(`/v1/aml/batches/${crypto.randomUUID()}`);
    for (const answer of [
      await insurer.get(`/v1/aml/batches/${id}`),
      await insurer.post(`/v1/aml/batches/${id}/cancel`),
    ]) {
      expect(answer.problem()).toEqual(nobodys.problem());
    }
    expect((await insurer.get('/v1/aml/batches')).json()).toEqual({ data: [], next_cursor: null });
  });

  test('are listed latest first, by name and status, page by page', async () => {
    const caller = await gateway.caller(await gateway.tenant('sandbox'), 'agent_l1', 'auditor');
    const ids: string[] = [];
    for (const name of ['A', 'B', 'A', 'A']) {
      const answer = await caller.post('/v1/aml/batches', { name, subjects: SUBJECTS });
      ids.unshift(answer.json<CreatedBody>().batch_id);
    }
    const page = async (query: string) => {
      const { data, next_cursor } = (await caller.get(`/v1/aml/batches?${query}`)).json<{
        data: { batch_id: string }[];
        next_cursor: string | null;
      }>();
      return { ids: data.map(({ batch_id }) => batch_id), next: next_cursor };
    };
    expect(await page('')).toEqual({ ids, next: null });
    const first = await page('name=A&limit=2');
    expect(first.ids).toEqual([ids[0], ids[1]]);
    const rest = await page(`name=A&limit=2&cursor=${first.next}`);
    expect(rest).toEqual({ ids: [ids[3]], next: null });
    const other = await caller.get(`/v1/aml/batches?name=B&cursor=${first.next}`);
    expect(other.problem().code).toBe('cursor-invalid');
    expect((await page('status=completed')).ids).toEqual([]);
  });

  test('is canceled once', async () => {
    const { batch_id: id } = (await create()).json<CreatedBody>();
    const path = `/v1/aml/batches/${id}/cancel`;
    const key = crypto.randomUUID();
    const canceled = await bank.post(path, undefined, { key });
    expect(canceled.status).toBe(200);
    expect(canceled.json()).toMatchObject({ batch_id: id, status: 'canceled' });
    expect((await bank.get(`/v1/aml/batches/${id}`)).json()).toMatchObject({
      estimated_completion: null,
      status: 'canceled',
    });
    const again = await bank.post(path);
    expect(again.problem()).toMatchObject({ code: 'state-conflict', status: 409 });
    const replayed = await bank.post(path, undefined, { key });
    expect([replayed.text, replayed.headers.get('idempotent-replayed')]).toEqual([
      canceled.text,
      'true',
    ]);
  });

  test('leaves an entry that holds its name where it can be erased', async () => {
    const { batch_id: id } = (await create({ name: 'Clients of Mr Smith' })).json<CreatedBody>();
    const seq = await gateway.headSeq(bank.tenantId);
    const event = await gateway.installation.storage.audit.findBySeq(bank.tenantId as never, seq);
    expect(JSON.parse(event?.body ?? '')).toMatchObject({
      action: 'aml.batch.created',
      mode: 'full',
      source_type: 'json',
      subjects_total: 3,
      target: id,
    });
    expect(event?.body).not.toContain('Smith');
    expect(event?.open).toContain('Clients of Mr Smith');
  });
});
