/** Reports of a batch as files: once it is completed, with ranges, under a strong ETag. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  attest,
  attestationText,
  type Batch,
  type ScreenedBatch,
  type StoredFile,
  signReport,
} from '#slices/batches';
import { BatchResult } from '../../../../src/slices/batches/edge/resultSchemas.ts';
import { TECHNOLOGIES } from '../../../api/http/adapters.ts';
import { type Caller, openRealGateway, type RealGateway } from '../../../api/realGateway.ts';
import { hasRedis } from '../../../redis/realRedis.ts';
import { type CreatedBody, changeBatch, misdescribed, SUBJECTS, storedBatch } from './fixture.ts';

const FORMATS = [
  ['csv', 'text/csv; charset=utf-8', '.csv'],
  ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', '.xlsx'],
  ['pdf', 'application/pdf', '.pdf'],
  ['attestation', 'application/json', '-attestation.json'],
  ['rejected', 'text/csv; charset=utf-8', '-rejected.csv'],
] as const;

const madeUp = (format: string): Buffer =>
  Buffer.from(Array.from({ length: 30_000 }, (_, at) => `${format} ${at}\n`).join(''));

describe.skipIf(!hasRedis).each(TECHNOLOGIES)('reports of a batch over %s', (technology) => {
  let gateway: RealGateway;
  let bank: Caller;
  let queued: Batch;
  let completed: Batch;
  let attestation: string;

  const bytesOf = (format: string): Buffer =>
    format === 'attestation' ? Buffer.from(attestation) : madeUp(format);

  const create = async (): Promise<Batch> => {
    const answer = await bank.post('/v1/aml/batches', { name: 'Weekly', subjects: SUBJECTS });
    return storedBatch(gateway, bank.tenantId, answer.json<CreatedBody>().batch_id);
  };
  const put = async (format: string): Promise<StoredFile> => {
    const { address, bytes } = await gateway.installation.blobs.put(bytesOf(format));
    return { address, bytes };
  };

  beforeAll(async () => {
    gateway = await openRealGateway(technology);
    bank = await gateway.caller(await gateway.tenant('sandbox'), 'agent_l1');
    queued = await create();
    const { signer } = gateway.installation;
    const created = await create();
    const [csv, pdf, xlsx] = [await put('csv'), await put('pdf'), await put('xlsx')];
    const screened = {
      ...created,
      chainPlace: { hash: '0'.repeat(64), seq: 1 },
      completedAt: queued.requestedAt,
      listsPinned: [],
      rejected: await put('rejected'),
      resultsRoot: '0'.repeat(64),
      startedAt: queued.requestedAt,
    } as ScreenedBatch;
    const attested = attest({ batch: screened, tenantName: 'Bank' }, { csv, xlsx }, signer);
    attestation = attestationText(attested);
    const pdfSignature = signReport(pdf.address, signer);
    const reports = { attestation: await put('attestation'), csv, pdf, pdfSignature, xlsx };
    completed = await changeBatch(gateway, created, { ...screened, reports, status: 'completed' });
  });
  afterAll(() => gateway?.close());

  const pathOf = ({ batchId }: Batch, format: string) =>
    `/v1/aml/batches/${batchId}/report?format=${format}`;

  test.each(FORMATS)('%s comes whole, named by its digest', async (format, type, ending) => {
    const answer = await bank.get(pathOf(completed, format));
    const digest = createHash('sha256').update(bytesOf(format)).digest('hex');
    expect([answer.status, answer.text]).toEqual([200, bytesOf(format).toString()]);
    expect(answer.headers.get('content-type')).toBe(type);
    expect(answer.headers.get('etag')).toBe(`"${digest}"`);
    expect(answer.headers.get('content-disposition')).toBe(
      `attachment; filename="batch-${completed.batchId}${ending}"`,
    );
  });

  test('the record names its files, which can be fetched as they are named', async () => {
    const batch = (await bank.get(`/v1/aml/batches/${completed.batchId}`)).json<
      Record<string, string>
    >();
    const { pdfSignature } = completed.reports ?? {};
    expect(batch).toMatchObject({ progress_pct: 100, report_pdf_signature: pdfSignature });
    expect(misdescribed(BatchResult, batch)).toEqual([]);
    for (const [format] of FORMATS.slice(0, 3)) {
      const url = batch[`report_${format}_url`] ?? '';
      expect(url.startsWith(gateway.origin)).toBe(true);
      const answer = await bank.get(url.slice(gateway.origin.length));
      const digest = createHash('sha256').update(answer.text).digest('hex');
      expect(digest).toBe(batch[`report_${format}_sha256`]);
    }
  });

  test.each([
    ['bytes=10-19', 206, 10, 20],
    ['bytes=100-', 206, 100, undefined],
    ['bytes=-50', 206, -50, undefined],
    ['bytes=5-4', 200, 0, undefined],
    ['lines=1-2', 200, 0, undefined],
  ])('Range: %s is %i', async (range, status, from, to) => {
    const answer = await bank.send(pathOf(completed, 'csv'), { headers: { Range: range } });
    expect([answer.status, answer.text]).toEqual([
      status,
      bytesOf('csv').subarray(from, to).toString(),
    ]);
  });

  test('what is known is not sent again; a range past the end is 416', async () => {
    const path = pathOf(completed, 'csv');
    const etag = (await bank.get(path)).headers.get('etag') ?? '';
    for (const tags of [etag, `"other", ${etag}`, `W/${etag}`, '*']) {
      const known = await bank.send(path, { headers: { 'If-None-Match': tags } });
      expect([known.status, known.text, known.headers.get('etag')]).toEqual([304, '', etag]);
      expect(known.headers.get('content-type')).toBeNull();
    }
    const past = await bank.send(path, { headers: { Range: 'bytes=999999999-' } });
    expect(past.status).toBe(416);
    const size = bytesOf('csv').length;
    expect(past.headers.get('content-range')).toBe(`bytes */${size}`);
    const changed = await bank.send(path, { headers: { 'If-Range': '"x"', Range: 'bytes=0-1' } });
    expect(changed.status).toBe(200);
  });

  test('HEAD has the headers and no body', async () => {
    const head = await bank.send(pathOf(completed, 'pdf'), { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
    const digest = createHash('sha256').update(bytesOf('pdf')).digest('hex');
    expect(head.headers.get('etag')).toBe(`"${digest}"`);
    const whole = await bank.get(pathOf(completed, 'pdf'));
    expect(whole.headers.get('content-length')).toBe(String(bytesOf('pdf').length));
  });

  test('before it is completed there is none: 409', async () => {
    for (const [format] of FORMATS) {
      const answer = await bank.get(pathOf(queued, format));
      expect(answer.problem()).toMatchObject({ code: 'state-conflict', status: 409 });
    }
  });

  test('an unknown format, none, and another tenant’s batch', async () => {
    const { batchId } = completed;
    expect((await bank.get(pathOf(completed, 'docx'))).status).toBe(400);
    expect((await bank.get(`/v1/aml/batches/${batchId}/report`)).status).toBe(400);
    const insurer = await gateway.caller(await gateway.tenant('sandbox'), 'agent_l1');
    expect((await insurer.get(pathOf(completed, 'csv'))).problem()).toMatchObject({
      code: 'not-found',
      status: 404,
    });
  });
});
