/**
 * A report from its accounts to its acceptance over HTTP, on both adapters and both stores, with
 * the worker's own loops. What opens and reads an answer refuses to run on the gateway's thread
 * here; the thread of answers loads the files for itself, and has the real ones.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { TenantId } from '#core/kernel';
import { sha256Hex } from '#platform/crypto';
import { IRS, saveChannel } from '#slices/tax';
import type { HttpTechnology } from '../../../src/api/http/index.ts';
import { openWorker } from '../../../src/app/worker/openWorker.ts';
import { taxPortsOf } from '../../../src/slices/tax/edge/parts.ts';
import { TECHNOLOGIES } from '../../api/http/adapters.ts';
import { type Caller, openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis, type RealRedis, realRedis } from '../../redis/realRedis.ts';
import { hasMongo, type MongoTestServer, startMongo } from '../../storage/mongo/server.ts';
import { quietLog } from '../../workers/quietWorker.ts';
import { forgePackage, signAsIrs } from './forgedPackage.ts';
import { crsStatus, TRANSMISSION, validFile } from './notificationKit.ts';
import { openWithOpenssl, type Party, party } from './packageKit.ts';
import { accountOf, FI, GIIN } from './reporting.ts';

const refuse = (): never => {
  throw new Error('an answer was read on the main thread');
};
vi.mock('../../../src/slices/tax/checkEnvelope.ts', async (original) => ({
  ...(await original<object>()),
  checkEnvelope: () => refuse(),
}));
vi.mock('../../../src/slices/tax/readNotification.ts', async (original) => ({
  ...(await original<object>()),
  readNotification: () => refuse(),
}));

const WAIT = { interval: 50, timeout: 30_000 };
const DECLARATIONS = '/v1/tcr/declarations';
const [own, irs, stranger] = [party('bank'), party('irs'), party('stranger')];

interface Shown {
  readonly declaration_id: string;
  readonly errors_count: number;
  readonly messages: readonly {
    readonly message_ref_id: string;
    readonly record_count: number;
    readonly sender_file_id: string | null;
    readonly xml_sha256: string;
  }[];
  readonly outcome: string | null;
  readonly status: string;
  readonly submission_date: string | null;
}
interface Records {
  readonly data: readonly { readonly code: string; readonly doc_ref_id: string }[];
  readonly next_cursor: string | null;
}

const PLACES: readonly (readonly [HttpTechnology, 'mongo' | 'sqlite'])[] = [
  ...TECHNOLOGIES.map((technology) => [technology, 'sqlite'] as const),
  ...(hasMongo() ? [[TECHNOLOGIES.at(-1) ?? 'node:http', 'mongo'] as const] : []),
];

describe.skipIf(!hasRedis).each(PLACES)('%s on %s', (technology, store) => {
  let mongo: MongoTestServer | undefined;
  let gateway: RealGateway;
  let redis: RealRedis;
  let worker: Awaited<ReturnType<typeof openWorker>>;
  let tenantId: TenantId;
  let agent: Caller;
  let officer: Caller;

  beforeAll(async () => {
    if (store === 'mongo') mongo = await startMongo();
    gateway = await openRealGateway(technology, undefined, environmentOf(mongo));
    redis = await realRedis();
    worker = await openWorker(gateway.installation, {
      address: { socketPath: redis.socketPath },
      log: quietLog,
      redis: await redis.connect('background'),
    });
    tenantId = await gateway.tenant('live');
    agent = await gateway.caller(tenantId, 'agent_l2');
    officer = await gateway.caller(tenantId, 'compliance_officer', 'compliance_director');
    const stated = await officer.send(`/v1/tcr/reporting-fis/${GIIN}`, {
      body: JSON.stringify(FI),
      headers: { 'Content-Type': 'application/json' },
      method: 'PUT',
    });
    expect(stated.status, stated.text).toBe(200);
  }, 120_000);
  afterAll(async () => {
    await worker?.stop();
    await gateway?.close();
    await redis?.close();
    await mongo?.stop();
  });

  const shown = async (path: string) => (await officer.get(path)).json<Shown>();
  const comesTo = (path: string, status: string) =>
    vi.waitFor(async () => {
      const now = await shown(path);
      expect(now, JSON.stringify(now)).toMatchObject({ status });
      return now;
    }, WAIT);
  async function declared(by: Caller, body: object): Promise<string> {
    const made = await by.post(DECLARATIONS, {
      filer_category: 'FATCA601',
      reporting_fi_giin: GIIN,
      type: 'FATCA1',
      ...body,
    });
    expect(made.status, made.text).toBe(201);
    return `${DECLARATIONS}/${made.json<Shown>().declaration_id}`;
  }
  const brought = (file: Uint8Array, by = officer) => {
    const form = new FormData();
    form.append('file', new Blob([Uint8Array.from(file)]), 'answer.zip');
    const headers = { 'Idempotency-Key': crypto.randomUUID() };
    return by.send('/v1/tcr/notifications', { body: form, headers, method: 'POST' });
  };
  const signedBy = (by: Party, text: string) =>
    forgePackage({
      document: signAsIrs(text, by),
      metadata: (xml) => xml.replace('>RPT<', '>NTF<'),
      receiver: GIIN,
      sender: IRS,
      to: own,
    });
  const american = (ref: string) =>
    accountOf(ref, {
      balance: { amount: '1500.00', currency: 'USD' },
      fatca: { reportable: true },
      holder: { ...accountOf(ref).holder, tins: [{ country: 'US', value: '219099999' }] },
    });

  test('a report is made, filed by hand, answered, and its errors are read by pages', async () => {
    const refs = ['U-1', 'U-2', 'U-3'];
    const taken = await agent.post('/v1/tcr/accounts', {
      accounts: refs.map(american),
      reporting_fi_giin: GIIN,
      reporting_period: '2024',
    });
    expect(taken.json(), taken.text).toMatchObject({ accepted: 3, rejected: 0 });
    const path = await declared(agent, { reporting_period: '2024' });
    const generated = await comesTo(path, 'generated');
    const refused = await agent.post(`${path}/submit-ides`);
    expect(refused.problem()).toMatchObject({ code: 'role-insufficient', status: 403 });
    expect((await officer.post(`${path}/submit-ides`)).problem().code).toBe('channel-unknown');
    await saveChannel(taxPortsOf(gateway.process), {
      actor: 'cli:test',
      answerPems: [irs.certificatePem],
      certificatePem: own.certificatePem,
      giin: GIIN,
      keyPem: own.keyPem,
      place: { kind: 'manual' },
      receiver: { certificatePem: irs.certificatePem, id: IRS },
      tenantId,
    });
    expect((await officer.get(`${path}/package`)).problem().code).toBe('package-not-ready');
    const key = crypto.randomUUID();
    const [first, again] = [
      await officer.post(`${path}/submit-ides`, undefined, { key }),
      await officer.post(`${path}/submit-ides`, undefined, { key }),
    ];
    expect(first.status, first.text).toBe(202);
    expect(again.text).toBe(first.text);
    const name = await vi.waitFor(async () => {
      const [message] = (await shown(path)).messages;
      expect(message?.sender_file_id).toMatch(/\.zip$/);
      return message?.sender_file_id ?? '';
    }, WAIT);

    const zip = await packageOf(path);
    const messageRefId = generated.messages[0]?.message_ref_id ?? '';
    expect(openWithOpenssl(zip, IRS, irs.keyPem).toString()).toContain(messageRefId);
    const part = await officer.send(`${path}/package`, { headers: { Range: 'bytes=0-3' } });
    expect([part.status, part.text]).toEqual([206, 'PK\x03\x04']);
    const etag = part.headers.get('etag') ?? '';
    const same = await officer.send(`${path}/package`, { headers: { 'If-None-Match': etag } });
    expect(same.status).toBe(304);
    const xml = await officer.get(`${path}/xml`);
    expect(sha256Hex(xml.text)).toBe(generated.messages[0]?.xml_sha256);

    const receipt = {
      ides_transmission_id: TRANSMISSION,
      received_at: '2026-03-31T10:00:00.000Z',
      sender_file_id: 'another.zip',
    };
    const unknown = await officer.post(`${path}/receipts`, receipt);
    expect(unknown.problem()).toMatchObject({ code: 'receipt-unknown', status: 422 });
    const noted = await officer.post(`${path}/receipts`, { ...receipt, sender_file_id: name });
    expect(noted.json<Shown>().status, noted.text).toBe('filed');

    const docRefs = [...xml.text.matchAll(/:DocRefId>([^<]+)</g)].map(([, ref = '']) => ref);
    const wrong = docRefs.slice(-2).map((docRefId) => ({ code: '8007', docRefId }));
    const text = validFile({
      groups: [wrong],
      messageRefId,
      records: generated.messages[0]?.record_count ?? 0,
      senderFile: name,
    });
    const forged = await brought(await signedBy(stranger, text));
    expect(forged.problem()).toMatchObject({ code: 'package-signature-invalid', status: 422 });
    const torn = await brought(Buffer.from('no archive'));
    expect(torn.problem()).toMatchObject({ code: 'package-unreadable', status: 422 });
    const answer = await signedBy(irs, text);
    expect((await brought(answer, agent)).status).toBe(403);
    const applied = await brought(answer);
    expect(applied.status, applied.text).toBe(202);
    expect(applied.json()).toMatchObject({ because: null, code: 'NVF', result: 'applied' });
    expect((await brought(answer)).json()).toEqual(applied.json());
    expect(await shown(path)).toMatchObject({ outcome: 'record_errors', status: 'accepted' });

    const found: string[] = [];
    let cursor = '';
    do {
      const page = await officer.get(`${path}/records?limit=1${cursor}`);
      const { data, next_cursor: next } = page.json<Records>();
      expect(data, page.text).toHaveLength(1);
      found.push(...data.map(({ doc_ref_id: ref }) => ref));
      cursor = next === null ? '' : `&cursor=${encodeURIComponent(next)}`;
    } while (cursor !== '');
    expect(found).toEqual(docRefs.slice(-2));
  });

  async function packageOf(path: string): Promise<Buffer> {
    // The bytes as they are: an answer's text is UTF-8.
    const [name = '', key = ''] = officer.credentialLine.split(': ');
    const answer = await fetch(`${gateway.origin}${path}/package`, { headers: { [name]: key } });
    expect(answer.status).toBe(200);
    return Buffer.from(await answer.arrayBuffer());
  }

  test('what is submitted by itself is generated by those alone who may file', async () => {
    const body = { nil_report: true, reporting_period: '2022' };
    const refused = await agent.post(DECLARATIONS, {
      ...body,
      auto_submit_ides: true,
      filer_category: 'FATCA601',
      reporting_fi_giin: GIIN,
      type: 'FATCA1',
    });
    expect(refused.problem().code).toBe('role-insufficient');
    const path = await declared(officer, { ...body, auto_submit_ides: true, generate: false });
    const asked = await agent.post(`${path}/generate`);
    expect(asked.problem()).toMatchObject({ code: 'role-insufficient', status: 403 });
    expect(await shown(path)).toMatchObject({ status: 'draft', submission_date: null });
    expect((await officer.post(`${path}/generate`)).status).toBe(200);
    await comesTo(path, 'submitted');
    // One that is not submitted by itself is generated by whoever may declare.
    const plain = await declared(agent, { ...body, generate: false, reporting_period: '2021' });
    expect((await agent.post(`${plain}/generate`)).status).toBe(200);
    await comesTo(plain, 'generated');
  });

  test('an answer under CRS that comes before its submission', async () => {
    const path = await declared(officer, {
      filer_category: undefined,
      nil_report: true,
      receiving_country: 'DE',
      reporting_period: '2023',
      type: 'OECD1',
    });
    const { messages } = await comesTo(path, 'generated');
    const answer = crsStatus(messages[0]?.message_ref_id ?? '', 'Accepted');
    const early = await brought(answer);
    expect(early.json()).toMatchObject({ declaration_id: null, result: 'needs_review' });
    expect((await officer.post(`${path}/submit-ides`)).status).toBe(202);
    await comesTo(path, 'accepted');
    expect((await brought(answer)).json()).toMatchObject({ result: 'applied' });
    expect((await brought(Buffer.from('<a/>'))).problem().code).toBe('notification-invalid');
  });

  test('for another tenant none of it exists', async () => {
    const path = await declared(officer, {
      generate: false,
      nil_report: true,
      reporting_period: '2020',
    });
    const other = await gateway.caller(
      await gateway.tenant('live'),
      'compliance_officer',
      'compliance_director',
    );
    for (const read of ['', '/xml', '/package', '/records', '/findings']) {
      expect((await other.get(path + read)).problem().code).toBe('declaration-unknown');
    }
    for (const order of ['/submit-ides', '/generate']) {
      expect((await other.post(path + order)).problem().code).toBe('declaration-unknown');
    }
  });
});

function environmentOf(mongo: MongoTestServer | undefined): Readonly<Record<string, string>> {
  if (mongo === undefined) return {};
  const url = new URL(mongo.url);
  url.pathname = `/t_${randomBytes(6).toString('hex')}`;
  return { MONGODB_TRANSACTIONS: 'require', MONGODB_URL: url.href };
}
