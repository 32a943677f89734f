/**
 * The ingest with the real engine and the shipped list: a listed party is held, its evidence is a
 * screening like any other, known parties are not compared again, and whoever waits is advised.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { TenantId } from '#core/kernel';
import type { OutboxEvent } from '#core/reactions';
import { rulePositionTable } from '#slices/rules';
import { subscribers as alertSubscribers } from '../../../src/slices/alerts/edge/jobs.ts';
import type { RunningWork, WorkerProcess } from '../../../src/slices/processes.ts';
import { start as startRules } from '../../../src/slices/rules/edge/jobs.ts';
import { type Caller, openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';
import { transactionOf } from './ledger.ts';

const LISTED = { dob: '1971-03-14', name: 'Tarek Velmorani', type: 'person' };
const PATH = '/v1/aml/transactions';

interface Party {
  readonly role: string;
  readonly decision: string;
  readonly since: number | null;
  readonly screening_id: string | null;
}

interface Advised {
  readonly accepted: number;
  readonly duplicates: number;
  readonly results?: readonly {
    readonly tx_id: string;
    readonly decision: string;
    readonly decided_by: readonly string[];
    readonly alerts: readonly string[];
    readonly screening: readonly Party[];
  }[];
}

describe.skipIf(!hasRedis)('ingest and screening', () => {
  let gateway: RealGateway;
  let rules: RunningWork | undefined;
  let tenantId: TenantId;
  let system: Caller;
  let officer: Caller;

  beforeAll(async () => {
    gateway = await openRealGateway('node:http');
    // Rules are evaluated by a worker: whoever waits is advised once it has.
    rules = await startRules(gateway.process as unknown as WorkerProcess);
    tenantId = await gateway.tenant('sandbox');
    system = await gateway.caller(tenantId, 'developer');
    officer = await gateway.caller(tenantId, 'mlro', 'compliance_officer');
  });
  afterAll(async () => {
    await rules?.stop();
    await gateway.close();
  });

  const between = (n: number, creditor: object) => {
    const { precision: _, ...given } = transactionOf(n, {
      creditor,
      debtor: { name: 'Ada Moreau' },
    });
    return given;
  };
  const send = (
    transactions: readonly object[],
    { key = crypto.randomUUID(), wait }: { key?: string; wait?: string } = {},
  ) =>
    system.send(`${PATH}/ingest?format=json_service`, {
      body: JSON.stringify({ transactions }),
      headers: {
        'Content-Type': 'application/json',
        'Idempotency-Key': key,
        ...(wait !== undefined && { Prefer: wait }),
      },
      method: 'POST',
    });
  const partiesOf = async (txId: string) =>
    (await officer.get(`${PATH}/${txId}`)).json<{ screening: readonly Party[] }>().screening;

  /** The alert of a screening, which the worker's subscriber raises. */
  async function raised(screeningId: string): Promise<object> {
    const [alerts] = alertSubscribers(gateway.process as never);
    const event = {
      partition: tenantId,
      payload: { screeningId, verdict: 'MATCH_DIRECT_SANCTIONS' },
      topic: 'sanctions.screening.completed',
    } as unknown as OutboxEvent;
    await alerts?.on?.['sanctions.screening.completed']?.(event, new AbortController().signal);
    const page = await officer.get(`/v1/aml/alerts?subject=${screeningId}`);
    const [row] = page.json<{ data: readonly { readonly alert_id: string }[] }>().data;
    return (await officer.get(`/v1/aml/alerts/${row?.alert_id}`)).json<object>();
  }

  test('a listed party is held, by a screening that anybody can check', async () => {
    const body = [between(1, LISTED), between(2, { name: 'Nobody Inparticular' })];
    const answer = await send(body, { wait: 'respond-async, wait=5' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('preference-applied')).toBe('wait=5');
    const [held, passed] = answer.json<Advised>().results ?? [];
    expect(held).toMatchObject({
      decision: 'block',
      screening: [{ decision: 'MATCH_DIRECT_SANCTIONS', role: 'creditor', since: 1 }],
      tx_id: 'T-1',
    });
    expect(held?.alerts).toHaveLength(1);
    expect(passed).toMatchObject({
      alerts: [],
      decided_by: ['screening', 'rules'],
      decision: 'pass',
      screening: [],
    });
    const evidence = await officer.evidence(held?.screening[0]?.screening_id ?? '');
    expect(evidence.status).toBe(200);
    expect(evidence.text).toContain('"channel":"transaction"');
  });

  test('a known party is not compared again, however it is written', async () => {
    const before = await gateway.headSeq(tenantId);
    await send([between(3, { ...LISTED, name: '  TAREK   velmorani ' })]);
    // One entry for the segment, and no second screening.
    expect(await gateway.headSeq(tenantId)).toBe(before + 1);
    const [debtor, creditor] = await partiesOf('T-3');
    expect(debtor).toMatchObject({ decision: 'CLEAR', role: 'debtor', since: 1 });
    expect(creditor).toMatchObject({ decision: 'MATCH_DIRECT_SANCTIONS', since: 1 });
  });

  test('the alert names all payments of the party, whose screening it is', async () => {
    const screeningId = (await partiesOf('T-1'))[1]?.screening_id ?? '';
    expect(await raised(screeningId)).toMatchObject({
      account_id: transactionOf(1).account_id,
      rule_id: 'TM-SAN-01',
      triggering_tx_ids: ['T-1', 'T-3'],
      triggering_tx_total: 2,
    });
  });

  test('another date of birth is another party', async () => {
    await send([between(4, { ...LISTED, dob: '1950-01-01' })]);
    expect((await partiesOf('T-4'))[1]).toMatchObject({ since: 4 });
  });

  test('what was advised is given again under its key, byte for byte', async () => {
    const key = crypto.randomUUID();
    const first = await send([between(5, LISTED)], { key, wait: 'wait=5' });
    const again = await send([between(5, LISTED)], { key, wait: 'wait=5' });
    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const other = await send([between(5, LISTED)], { wait: 'wait=5' });
    expect(other.json<Advised>()).toMatchObject({ accepted: 0, duplicates: 1 });
    // Rules may have said in between what the first one did not wait for.
    const said = (answer: typeof first) =>
      answer.json<Advised>().results?.map(({ decided_by: _, ...one }) => one);
    expect(said(other)).toEqual(said(first));
  });

  test('who prefers nothing, or what is no time, is answered 202 at once', async () => {
    for (const wait of ['wait=0', 'wait=soon', 'handling=lenient']) {
      const answer = await send([between(6, LISTED)], { wait });
      expect(answer.status).toBe(202);
      expect(answer.json<Advised>().results).toBeUndefined();
    }
  });

  test('a tenant without any list takes nothing: an answer would look clear', async () => {
    const live = await gateway.tenant('live');
    const caller = await gateway.caller(live, 'developer');
    const answer = await caller.send(`${PATH}/ingest?format=json_service`, {
      body: JSON.stringify(between(1, LISTED)),
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() },
      method: 'POST',
    });
    expect(answer.json<{ code: string }>().code).toBe('list-unavailable');
    expect(await gateway.headSeq(live)).toBe(await gateway.headSeq(live));
  });

  test('rates and facts are recorded, and segments name what they were taken with', async () => {
    const rates = { base: 'EUR', rates: [{ currency: 'USD', date: '2026-03-05', rate: '0.9' }] };
    const put = (path: string, body: string, type = 'application/json') =>
      system.send(path, { body, headers: { 'Content-Type': type }, method: 'PUT' });
    const first = await put('/v1/aml/rates', JSON.stringify(rates));
    expect(first.json()).toMatchObject({ base: 'EUR', count: 1, version: 1 });
    const csv = 'currency,date,rate\nUSD,2026-03-05,0.8\n';
    expect((await put('/v1/aml/rates', csv, 'text/csv')).json()).toMatchObject({ version: 2 });
    expect((await officer.get('/v1/aml/rates')).json()).toMatchObject({
      rates: [{ currency: 'USD', date: '2026-03-05', rate: '0.8' }],
      version: 2,
    });
    expect((await officer.get('/v1/aml/rates?version=1')).json()).toMatchObject({
      rates: [{ rate: '0.9' }],
    });
    const facts = await put('/v1/aml/customers/C-1/facts', '{"risk_tier":"high"}');
    expect(facts.json()).toEqual({ facts_from: 1, facts_to: 1, recorded: 1 });
    const many = await system.send('/v1/aml/customers/facts', {
      body: 'customer_id,risk_tier\nC-2,low\nC-3,high\n',
      headers: { 'Content-Type': 'text/csv', 'Idempotency-Key': crypto.randomUUID() },
      method: 'POST',
    });
    expect(many.json()).toEqual({ facts_from: 2, facts_to: 3, recorded: 2 });
    const wrong = await put('/v1/aml/customers/C-1/facts', '{"risk_tier":"enormous"}');
    expect(wrong.status).toBe(400);
    await send([between(7, LISTED)]);
    const entries = await gateway.installation.storage.audit.readEvents({
      action: 'aml.transactions.recorded',
      chainId: tenantId as never,
      fromSeq: 1,
      limit: 100,
    });
    expect(JSON.parse(entries.at(-1)?.body ?? '{}')).toMatchObject({
      facts_seq: 3,
      matches: 1,
      rates_version: 2,
    });
    // The worker of rules has seen them: what had no rate before is evaluated by them.
    await vi.waitFor(async () => {
      const { tables } = gateway.installation.storage;
      const position = await tables.find(rulePositionTable, { shard: 0, tenantId });
      expect(position?.ratesVersion).toBe(2);
    }, 10_000);
  });

  test('a CSV is received, and waits for a worker; the same again is the same', async () => {
    const csv =
      'tx_id,occurred_at,amount,currency,direction,account_id\n' +
      'F-1,2026-03-05T10:00:00Z,10,EUR,debit,A-1\n';
    const upload = (body: string, type = 'text/csv') =>
      system.send(`${PATH}/ingest?format=csv_service`, {
        body,
        headers: { 'Content-Type': type, 'Idempotency-Key': crypto.randomUUID() },
        method: 'POST',
      });
    const first = await upload(csv);
    expect(first.status).toBe(202);
    const { ingest_id, status } = first.json<{ ingest_id: string; status: string }>();
    expect(status).toBe('queued');
    expect((await upload(csv)).json()).toMatchObject({ ingest_id });
    const shown = await officer.get(`${PATH}/ingests/${ingest_id}`);
    expect(shown.json()).toMatchObject({ accepted: 0, ingest_id, status: 'queued' });
    const rejected = await officer.get(`${PATH}/ingests/${ingest_id}/rejected.csv`);
    expect(rejected.json<{ code: string }>().code).toBe('state-conflict');
    expect((await upload(csv, 'application/json')).status).toBe(415);
    expect((await upload('a,b\n1,2\n')).json<{ code: string }>().code).toBe('csv-invalid');
    const stranger = await gateway.caller(await gateway.tenant('sandbox'), 'mlro');
    expect((await stranger.get(`${PATH}/ingests/${ingest_id}`)).status).toBe(404);
  });

  test('a bank that is named by a listed BIC alone is held, by whichever branch', async () => {
    const of = (n: number, bic: string) => ({
      ...between(n, { name: 'Nobody Inparticular' }),
      creditor_agent: { bic },
      tx_id: `BIC-${n}`,
    });
    const answer = await send([of(31, 'QUELZZ22XXX'), of(32, 'QUELZZ33')], { wait: 'wait=5' });
    expect(answer.status).toBe(200);
    const [held, passed] = answer.json<Advised>().results ?? [];
    expect(held).toMatchObject({
      decision: 'block',
      screening: [{ decision: 'MATCH_DIRECT_SANCTIONS', role: 'creditor_agent' }],
    });
    expect(passed).toMatchObject({
      decision: 'pass',
      screening: [{ decision: 'UNSCREENED', role: 'creditor_agent' }],
    });
    const evidence = await officer.evidence(held?.screening[0]?.screening_id ?? '');
    expect(evidence.text).toContain('Quellmar Orvand Trading Ltd');
    // Known from now on, and held all the same.
    const again = await send([of(33, 'QUELZZ22XXX')], { wait: 'wait=5' });
    expect(again.json<Advised>().results?.[0]).toMatchObject({ decision: 'block' });
  });

  test('a listed BIC in free text is looked at', async () => {
    const named = { remittance: ['PAID THROUGH QUELZZ22 ON BEHALF OF OTHERS'] };
    const answer = await send(
      [{ ...between(34, { name: 'Nobody Inparticular' }), ...named, tx_id: 'BIC-34' }],
      { wait: 'wait=5' },
    );
    expect(answer.json<Advised>().results?.[0]).toMatchObject({
      decision: 'review',
      screening: [{ decision: 'MATCH_DIRECT_SANCTIONS', role: 'remittance' }],
    });
  });

  test('a listed name in free text is looked at, and raises TM-SAN-02', async () => {
    const named = { remittance: ['INV 4711 DD 12.03.2026 GOODS OF TAREK', 'VELMORANI REF 17'] };
    const answer = await send(
      [{ ...between(21, { name: 'Nobody Inparticular' }), ...named, tx_id: 'TEXT-1' }],
      { wait: 'wait=5' },
    );
    expect(answer.status).toBe(200);
    const [told] = answer.json<Advised>().results ?? [];
    expect(told).toMatchObject({
      decision: 'review',
      screening: [{ decision: 'MATCH_DIRECT_SANCTIONS', role: 'remittance' }],
    });
    const screeningId = told?.screening[0]?.screening_id ?? '';
    const evidence = await officer.evidence(screeningId);
    expect(evidence.text).toContain('"channel":"transaction_text"');
    // The same words again are remembered: one entry for the segment, and one for the advice.
    const before = await gateway.headSeq(tenantId);
    await send([{ ...between(22, { name: 'Nobody Inparticular' }), ...named, tx_id: 'TEXT-2' }]);
    expect(await gateway.headSeq(tenantId)).toBe(before + 1);
    expect(await partiesOf('TEXT-2')).toContainEqual(
      expect.objectContaining({ role: 'remittance', screening_id: screeningId }),
    );
    expect(await raised(screeningId)).toMatchObject({
      rule_id: 'TM-SAN-02',
      severity: 'High',
      triggering_tx_ids: ['TEXT-1', 'TEXT-2'],
    });
  });
});
