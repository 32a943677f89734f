/**
 * The ingest with nothing replaced, over both HTTP adapters: three formats, answers under their
 * key, refusals, and another tenant, to whom none of it exists.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TenantId } from '#core/kernel';
import { checks } from '../../../src/slices/monitoring/edge/commands.ts';
import { TECHNOLOGIES } from '../../api/http/adapters.ts';
import { type Caller, openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';
import { transactionOf } from './ledger.ts';
import { creditTransfer, mt103, pacs008 } from './messages.ts';

const UETR = '00000000-0000-4000-b221-3244f5d5c293';
const PATH = '/v1/aml/transactions';

interface Outcome {
  readonly ingest_id: string;
  readonly accepted: number;
  readonly rejected: number;
  readonly duplicates: number;
  readonly errors: readonly { readonly index: number; readonly code: string }[];
  readonly tseq_from: number | null;
}

interface Shown {
  readonly tx_id: string;
  readonly tseq: number;
  readonly erased: boolean;
  readonly transaction: { readonly creditor?: { readonly name: string } };
}

describe.skipIf(!hasRedis).each(TECHNOLOGIES)('%s: transactions', (technology) => {
  let gateway: RealGateway;
  let tenantId: TenantId;
  let system: Caller;
  let reader: Caller;

  beforeAll(async () => {
    gateway = await openRealGateway(technology);
    tenantId = await gateway.tenant('sandbox', { 'monitoring.own_bics': 'AAAAGB2L' });
    system = await gateway.caller(tenantId, 'developer');
    reader = await gateway.caller(tenantId, 'mlro');
  });
  afterAll(() => gateway.close());

  const send = (
    format: string,
    contentType: string,
    body: string,
    { by = system, key = crypto.randomUUID() }: { by?: Caller; key?: string } = {},
  ) =>
    by.send(`${PATH}/ingest?format=${format}`, {
      body,
      headers: { 'Content-Type': contentType, 'Idempotency-Key': key },
      method: 'POST',
    });
  /** As a caller writes it: what the reader adds is no member of the request. */
  const bodyOf = (...ns: number[]) =>
    JSON.stringify({
      transactions: ns.map((n) => {
        const { precision: _, ...given } = transactionOf(n);
        return given;
      }),
    });

  test('JSON is taken once, and answered again under its key', async () => {
    const key = crypto.randomUUID();
    const first = await send('json_service', 'application/json', bodyOf(1, 2), { key });
    expect(first.status).toBe(202);
    expect(first.json<Outcome>()).toMatchObject({ accepted: 2, rejected: 0, tseq_from: 1 });
    const again = await send('json_service', 'application/json', bodyOf(1, 2), { key });
    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const other = await send('json_service', 'application/json', bodyOf(1, 3));
    expect(other.json<Outcome>()).toMatchObject({ accepted: 1, duplicates: 1, tseq_from: 3 });
  });

  test('a large JSON body is read in the thread, with the same result', async () => {
    const many = Array.from({ length: 200 }, (_, at) => 1_000 + at);
    const answer = await send('json_service', 'application/json', bodyOf(...many));
    expect(answer.json<Outcome>()).toMatchObject({ accepted: 200 });
  });

  test('a payment as MT103 and as pacs.008 is one', async () => {
    const mt = await send('swift_mt103', 'text/plain', mt103());
    expect(mt.json<Outcome>()).toMatchObject({ accepted: 1, errors: [] });
    const mx = await send('iso20022_pacs008', 'application/xml', pacs008());
    expect(mx.json<Outcome>()).toMatchObject({ accepted: 0, duplicates: 1 });
    const id = encodeURIComponent(`${UETR}:AAAAGB2L:BBBBDEFF`);
    expect((await reader.get(`${PATH}/${id}`)).json<Shown>()).toMatchObject({
      also_in: [{ format: 'iso20022_pacs008' }],
      erased: false,
      source_format: 'swift_mt103',
      // The tenant's own bank sent it.
      transaction: { creditor: { name: 'TAREK VELMORANI' }, direction: 'debit' },
      tx_id: `${UETR}:AAAAGB2L:BBBBDEFF`,
    });
  });

  test('refusals name the transaction, what was expected, and never the value', async () => {
    const wrong = await send('json_service', 'application/json', '{"tx_id":"SECRET"}');
    expect(wrong.problem()).toMatchObject({ code: 'ingest-rejected', status: 422 });
    expect(wrong.text).toContain('/transactions/0/amount');
    expect(wrong.text).not.toContain('SECRET');
    const code = async (...given: Parameters<typeof send>) => (await send(...given)).problem().code;
    expect(await code('iso20022_pacs008', 'application/xml', '<a>')).toBe('message-malformed');
    const other = pacs008({ version: '99' });
    expect(await code('iso20022_pacs008', 'text/xml', other)).toBe('message-version-unsupported');
    const missing = pacs008({ transaction: creditTransfer({ ChrgBr: '' }) });
    expect(await code('iso20022_pacs008', 'text/xml', missing)).toBe('message-invalid');
    expect(await code('swift_mt103', 'text/plain', 'x')).toBe('mt-malformed');
    expect(await code('swift_mt103', 'application/json', mt103())).toBe('media-type-unsupported');
    expect(await code('csv', 'text/csv', 'x')).toBe('query-invalid');
    expect(await code('json_service', 'application/json', '{')).toBe('json-malformed');
    const huge = JSON.stringify({ tx_id: 'x'.repeat(1_100_000) });
    expect(await code('json_service', 'application/json', huge)).toBe('body-too-large');
  });

  test('transactions have a limit of their own; a known answer takes nothing', async () => {
    const limits = { 'limits.transactions_burst': 3, 'limits.transactions_per_second': 1 };
    const other = await gateway.tenant('sandbox', limits);
    const by = await gateway.caller(other, 'developer');
    const key = crypto.randomUUID();
    const first = await send('json_service', 'application/json', bodyOf(1, 2), { by, key });
    expect(first.status).toBe(202);
    const again = await send('json_service', 'application/json', bodyOf(1, 2), { by, key });
    expect(again.text).toBe(first.text);
    const refused = await send('json_service', 'application/json', bodyOf(3, 4), { by });
    expect(refused.problem().code).toBe('rate-limited');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('the log is listed in pages, for those who may read it', async () => {
    expect((await system.get(PATH)).status).toBe(403);
    expect((await send('swift_mt103', 'text/plain', mt103(), { by: reader })).status).toBe(403);
    const seqs: number[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const page = (await reader.get(`${PATH}?limit=100${query}`)).json<{
        readonly data: readonly Shown[];
        readonly next_cursor: string | null;
      }>();
      seqs.push(...page.data.map(({ tseq }) => tseq));
      cursor = page.next_cursor;
    }
    expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, at) => seqs.length - at));
    expect(seqs.length).toBe(204);
  });

  test('nothing of it exists for another tenant', async () => {
    const stranger = await gateway.caller(await gateway.tenant('sandbox'), 'mlro');
    const theirs = await stranger.get(`${PATH}/T-1`);
    const nobodys = await stranger.get(`${PATH}/T-none`);
    expect(theirs.problem()).toEqual(nobodys.problem());
    expect(theirs.problem().code).toBe('transaction-unknown');
    expect((await stranger.get(PATH)).json<{ data: unknown[] }>().data).toEqual([]);
  });

  test('and the chain has the evidence of all of it', async () => {
    const found = await checks[0]?.look(gateway.process as never);
    // Those of this tenant, and two of the one with a limit.
    expect(found).toBe('206 transactions are what was signed');
  });
});
