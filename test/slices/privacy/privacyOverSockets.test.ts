/** Requests and flags over HTTP, as the people meet them who answer them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TenantId } from '#core/kernel';
import { mayProcess } from '#core/privacy';
import { mayProcessEachBy, signedPrivacyOf } from '#slices/privacy';
import { type Caller, openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';

const ACCESS = {
  action: 'export',
  identity: { method: 'in_person' },
  requester: { contact: 'jane@example.org', relation: 'self' },
  subject: { external_ref: 'C-1042' },
};

interface Shown {
  readonly etag: string;
  readonly request_id: string;
  readonly status: string;
}

describe.skipIf(!hasRedis)('privacy over sockets', () => {
  let gateway: RealGateway;
  let tenantId: TenantId;
  let agent: Caller;
  let officer: Caller;

  beforeAll(async () => {
    gateway = await openRealGateway('node:http');
    tenantId = await gateway.tenant('sandbox');
    agent = await gateway.caller(tenantId, 'agent_l1');
    officer = await gateway.caller(tenantId, 'compliance_officer');
  });
  afterAll(() => gateway?.close());

  const receive = async (): Promise<Shown> =>
    (await agent.post('/v1/privacy/dsar', ACCESS)).json<Shown>();

  test('a request is taken in by an agent, and decided by an officer', async () => {
    const answer = await agent.post('/v1/privacy/dsar', ACCESS);
    expect(answer.status).toBe(202);
    const received = answer.json<Shown & { due_at: string; received_at: string }>();
    expect(Date.parse(received.due_at) - Date.parse(received.received_at)).toBe(30 * 86_400_000);
    const path = `/v1/privacy/dsar/${received.request_id}`;
    expect((await agent.get(path)).status).toBe(403);
    expect((await officer.get(path)).json()).toMatchObject({
      overdue: false,
      requester: { contact: 'jane@example.org' },
      status: 'received',
      subject: { external_ref: 'C-1042' },
    });
    expect((await agent.post(`${path}/identity`, { verified: true })).status).toBe(403);
    const proven = await officer.post(`${path}/identity`, { verified: true });
    expect(proven.json()).toMatchObject({ status: 'in_progress' });
    const short = await officer.post(`${path}/extend`, { reason: 'complex' });
    expect(short.json()).toMatchObject({ errors: [{ pointer: '/reason' }], status: 422 });
    const text = 'No proof of identity came in.';
    const refused = await officer.post(`${path}/refuse`, { ground: 'identity_unproven', text });
    expect(refused.json()).toMatchObject({ refusal: { text }, status: 'refused' });
    const again = await officer.post(`${path}/refuse`, { ground: 'excessive', text });
    expect(again.problem()).toMatchObject({ code: 'privacy-request-state', status: 409 });
  });

  test('the same key gives the same request, and lists join', async () => {
    const key = crypto.randomUUID();
    const [one, other] = [
      await agent.post('/v1/privacy/dsar', ACCESS, { key }),
      await agent.post('/v1/privacy/dsar', ACCESS, { key }),
    ];
    expect(other.text).toBe(one.text);
    await receive();
    const path = '/v1/privacy/dsar?status=received&limit=1';
    const first = (await officer.get(path)).json<{ data: Shown[]; next_cursor: string }>();
    const cursor = encodeURIComponent(first.next_cursor);
    const next = (await officer.get(`${path}&cursor=${cursor}`)).json<{ data: Shown[] }>();
    expect(first.data).toHaveLength(1);
    expect(next.data[0]?.request_id).not.toBe(first.data[0]?.request_id);
  });

  test("another tenant's request is as unknown as one that never was", async () => {
    const { request_id } = await receive();
    const other = await gateway.caller(await gateway.tenant('sandbox'), 'compliance_officer');
    const foreign = await other.get(`/v1/privacy/dsar/${request_id}`);
    const unknown = await other.get(`/v1/privacy/dsar/${crypto.randomUUID()}`);
    expect(foreign.problem()).toEqual(unknown.problem());
    expect(foreign.problem()).toMatchObject({ code: 'privacy-request-unknown', status: 404 });
  });

  test('flags are noted with their version, and every job that asks obeys them', async () => {
    const path = '/v1/privacy/subject/C-7';
    expect((await officer.get(path)).json()).toMatchObject({
      etag: '"v0"',
      subject: { opposed: false, processing_restricted: false },
    });
    const patch = (ifMatch: string, body: object) =>
      agent.send(path, {
        body: JSON.stringify(body),
        headers: {
          'Content-Type': 'application/json',
          'Idempotency-Key': crypto.randomUUID(),
          'If-Match': ifMatch,
        },
        method: 'PATCH',
      });
    const body = { flags: { opposed: true }, reason: 'Letter of 12 January' };
    const changed = await patch('"v0"', body);
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).toBe('"v1"');
    expect((await patch('"v0"', body)).status).toBe(412);
    const ask = gateway.process.ask(mayProcess);
    const subject = { subjectRef: 'C-7', tenantId };
    expect(await ask(subject, 'statistics')).toBe(false);
    expect(await ask(subject, 'screening')).toBe(true);
    const each = mayProcessEachBy(signedPrivacyOf(gateway.process));
    const many = { subjectRefs: ['C-7', 'C-8'], tenantId };
    expect(await each(many, 'backtest-cohort')).toEqual([false, true]);
    const trail = await officer.get('/v1/audit/events?type=privacy.subject.*');
    expect(trail.text).toContain('privacy.subject.flags_changed');
    expect(trail.text).not.toContain('C-7');
  });
});
