/**
 * Forms of holders over HTTP, on both adapters and both stores: handed in, listed, changed and
 * revoked by who may; and ended by the worker's own loop on the day after their last one.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { chainOf, type TenantId } from '#core/kernel';
import { findForm } from '#slices/tax';
import type { HttpTechnology } from '../../../src/api/http/index.ts';
import { openWorker } from '../../../src/app/worker/openWorker.ts';
import { taxPortsOf } from '../../../src/slices/tax/edge/parts.ts';
import { TECHNOLOGIES } from '../../api/http/adapters.ts';
import { type Caller, openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis, type RealRedis, realRedis } from '../../redis/realRedis.ts';
import { hasMongo, type MongoTestServer, startMongo } from '../../storage/mongo/server.ts';
import { quietLog } from '../../workers/quietWorker.ts';
import { lacking, lined, W8BEN, W9 } from './formKit.ts';
import { BORN_IN_US } from './taxDesk.ts';

const WAIT = { interval: 50, timeout: 30_000 };
const FORMS = '/v1/tcr/forms';

interface Shown {
  readonly classification_id: string;
  readonly cure_due: string | null;
  readonly findings: readonly { readonly code: string }[];
  readonly form_id: string;
  readonly status: string;
  readonly valid_until: string | null;
}
interface Page {
  readonly data: readonly Shown[];
  readonly next_cursor: string | null;
}

interface Notices {
  readonly data: readonly { readonly kind: string; readonly subject: { readonly id: string } }[];
}

const PLACES: readonly (readonly [HttpTechnology, 'mongo' | 'sqlite'])[] = [
  ...TECHNOLOGIES.map((technology) => [technology, 'sqlite'] as const),
  ...(hasMongo() ? [[TECHNOLOGIES.at(-1) ?? 'node:http', 'mongo'] as const] : []),
];

const today = () => new Date().toISOString().slice(0, 10);

describe.skipIf(!hasRedis).each(PLACES)('%s on %s', (technology, store) => {
  let mongo: MongoTestServer | undefined;
  let gateway: RealGateway;
  let redis: RealRedis;
  let worker: Awaited<ReturnType<typeof openWorker>>;
  let tenantId: TenantId;
  let agent: Caller;
  let auditor: Caller;

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
    agent = await gateway.caller(tenantId, 'agent_l1');
    auditor = await gateway.caller(tenantId, 'auditor');
  }, 120_000);
  afterAll(async () => {
    await worker?.stop();
    await gateway?.close();
    await redis?.close();
    await mongo?.stop();
  });

  const signed = (form: object, subjectRef: string, signedAt = today()) => ({
    ...form,
    signed_at: signedAt,
    subject_ref: subjectRef,
  });
  async function added(form: object): Promise<Shown> {
    const made = await agent.post(FORMS, form);
    expect(made.status, made.text).toBe(201);
    return made.json<Shown>();
  }
  async function status(subjectRef: string): Promise<string> {
    const path = `/v1/tcr/classifications?subject_ref=${subjectRef}&limit=1`;
    const [last] = (await agent.get(path)).json<Page>().data;
    return last?.status ?? 'none';
  }

  test('a form goes from its receipt to its revocation', async () => {
    const classified = await agent.post('/v1/tcr/classifications', {
      ...BORN_IN_US,
      subject: { birth_country: 'FR', kind: 'individual' },
      subject_ref: 'ann',
    });
    expect(classified.status, classified.text).toBe(201);
    const one = await added(signed(W9, 'ann'));
    expect(one).toMatchObject({ findings: [], status: 'valid', valid_until: null });
    const shown = await auditor.get(`${FORMS}/${one.form_id}`);
    expect(shown.json()).toMatchObject({ fields: W9.fields, tins: [{ state: 'valid' }] });
    const changed = await agent.post(`${FORMS}/${one.form_id}/change-of-circumstances`, {
      explanation: 'Gave up the citizenship of the United States',
      reason: 'citizenship',
    });
    expect(changed.json()).toMatchObject({ change: 'citizenship', holder_due: null });
    expect(await status('ann')).toBe('pending_cure');
    const path = `${FORMS}/${one.form_id}/revoke`;
    const reason = { reason: 'The holder has withdrawn it in writing' };
    expect((await auditor.post(path, reason)).status).toBe(403);
    expect((await agent.post(path, reason)).json()).toMatchObject({ status: 'revoked' });
    // What it said of the citizenship stays on record until another form replaces it.
    expect(await status('ann')).toBe('pending_cure');
    expect((await agent.post(path, reason)).json()).toMatchObject({ code: 'state-conflict' });
    const entries = await gateway.installation.storage.audit.readEvents({
      action: 'tcr.form.viewed',
      chainId: chainOf(tenantId),
      fromSeq: 1,
      limit: 10,
    });
    expect(entries).toHaveLength(1);
  });

  test('the same key is the same form', async () => {
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() };
    const body = JSON.stringify(signed(W9, 'bob'));
    const sent = () => agent.send(FORMS, { body, headers, method: 'POST' });
    const [first, second] = [await sent(), await sent()];
    expect(second.json<Shown>().form_id).toBe(first.json<Shown>().form_id);
    const all = await agent.get(`${FORMS}?subject_ref=bob`);
    expect(all.json<Page>().data).toHaveLength(1);
  });

  test('what cannot be is refused by its place, and never with its value', async () => {
    for (const [form, code, pointer] of [
      [lined(W9, { tin: '219-09-9999' }), 'tin-invalid', '/fields/tin'],
      [lined(W8BEN, { citizenship: 'QQ' }), 'form-fields-invalid', '/fields/citizenship'],
      [lined(W8BEN, { tin: '219099999' }), 'form-fields-invalid', '/fields/tin'],
    ] as const) {
      const answer = await agent.post(FORMS, signed(form, 'carla'));
      expect(answer.status, answer.text).toBe(422);
      expect(answer.json()).toMatchObject({ code, errors: [{ pointer }] });
      expect(answer.text).not.toMatch(/219-09-9999|219099999|Delmaris/);
    }
    const partly = await added(signed(lacking(W8BEN, 'name'), 'carla'));
    expect(partly).toMatchObject({ findings: [{ code: 'missing' }], status: 'incomplete' });
    const none = await agent.get(`${FORMS}/${crypto.randomUUID()}`);
    expect(none.json()).toMatchObject({ code: 'tax-form-unknown' });
    expect((await agent.post(FORMS, { ...W9, more: 1 })).status).toBe(400);
  });

  test('lists are walked by their cursors', async () => {
    for (let at = 0; at < 5; at++) await added(signed(W8BEN, `k${at}`));
    const walk = async (query: string) => {
      const found: string[] = [];
      let cursor: string | null = null;
      do {
        const behind: string = cursor === null ? '' : `&cursor=${cursor}`;
        const page: Page = (await auditor.get(`${FORMS}?limit=2&${query}${behind}`)).json<Page>();
        found.push(...page.data.map(({ form_id }) => form_id));
        cursor = page.next_cursor;
      } while (cursor !== null);
      return found;
    };
    const ending = await walk('expiring_before=2099-01-01&type=W-8BEN');
    expect(new Set(ending).size).toBe(5);
    expect((await walk('type=W-8BEN&status=valid')).toSorted()).toEqual(ending.toSorted());
    expect(await walk(`expiring_before=${today()}`)).toEqual([]);
  });

  test('the worker ends a form that has come near its last day', async () => {
    const year = new Date().getUTCFullYear() - 3;
    const revision = year < 2022 ? '07-2017' : '10-2021';
    const made = await added({ ...signed(W8BEN, 'dora', `${year}-06-01`), revision });
    expect(made.valid_until).toBe(`${year + 3}-12-31`);
    const ports = taxPortsOf(gateway.process);
    const find = () => findForm(ports, { formId: made.form_id, tenantId });
    const firstNotice = `${year + 3}-10-02`;
    // The whole of its time is in forms.test.ts, which has a clock of its own.
    if (today() < firstNotice) {
      expect(await find()).toMatchObject({ dueAt: Date.parse(firstNotice), status: 'valid' });
      return;
    }
    await vi.waitFor(async () => expect(await find()).toMatchObject({ status: 'expiring' }), WAIT);
    const officer = await gateway.caller(tenantId, 'compliance_officer');
    await vi.waitFor(async () => {
      const { data } = (await officer.get('/v1/notifications')).json<Notices>();
      expect(data.filter(({ subject }) => subject.id === made.form_id)).toMatchObject([
        { kind: 'tax.form_ending' },
      ]);
    }, WAIT);
  });
});

function environmentOf(mongo: MongoTestServer | undefined): Readonly<Record<string, string>> {
  if (mongo === undefined) return {};
  const url = new URL(mongo.url);
  url.pathname = `/t_${randomBytes(6).toString('hex')}`;
  return { MONGODB_TRANSACTIONS: 'require', MONGODB_URL: url.href };
}
