/**
 * Alerts with nothing replaced, over both HTTP adapters: raised by a screening, listed, streamed,
 * worked on by keys and persons, and unknown to another tenant.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entry, eraseEvidence } from '#core/audit';
import { chainOf, type ScreeningId, type TenantId } from '#core/kernel';
import type { OutboxEvent } from '#core/reactions';
import { alertTable, raiseAlerts } from '#slices/alerts';
import { scheduled, subscribers } from '../../../src/slices/alerts/edge/jobs.ts';
import { TECHNOLOGIES } from '../../api/http/adapters.ts';
import { type Caller, openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { StreamReader } from '../../drill/streamReaders.ts';
import { hasRedis } from '../../redis/realRedis.ts';
import { draftOf, SETTINGS } from './desk.ts';
import { type Frame, openStream } from './eventStream.ts';

const LISTED = 'Tarek Velmorani';
const WHY = 'Another date and another place of birth';

interface Row {
  readonly alert_id: string;
  readonly seq: number;
  readonly status: string;
  readonly severity: string;
  readonly assignee: string | null;
  readonly subject: { readonly id: string; readonly name: string | null; readonly erased: boolean };
  readonly hits?: readonly { readonly primary_name: string; readonly score: number }[];
  readonly proposal: { readonly status: string } | null;
  readonly closable_by_one?: boolean;
}

interface Hits {
  readonly alert_id: string | null;
  readonly data: readonly { readonly ftm_id: string; readonly etag: string }[];
}

describe.skipIf(!hasRedis).each(TECHNOLOGIES)('%s: alerts', (technology) => {
  let gateway: RealGateway;
  let tenantId: TenantId;
  let agent: Caller;
  let supervisor: Caller;

  beforeAll(async () => {
    gateway = await openRealGateway(technology);
    tenantId = await gateway.tenant('sandbox');
    agent = await gateway.caller(tenantId, 'agent_l1');
    supervisor = await gateway.caller(tenantId, 'agent_l2', 'mlro');
  });
  afterAll(() => gateway.close());

  /** As a worker does with the event that the screening left. */
  async function raised(name: string): Promise<{ readonly screeningId: string }> {
    const answer = await agent.screen({ name });
    const { decision, screening_id } = answer.json<{ decision: string; screening_id: string }>();
    const [alerts] = subscribers(gateway.process as never);
    const event = {
      partition: tenantId,
      payload: { screeningId: screening_id, verdict: decision },
      topic: 'sanctions.screening.completed',
    } as unknown as OutboxEvent;
    await alerts?.on?.['sanctions.screening.completed']?.(event, new AbortController().signal);
    return { screeningId: screening_id };
  }

  const rows = async (caller: Caller, query = ''): Promise<readonly Row[]> =>
    (await caller.get(`/v1/aml/alerts${query}`)).json<{ data: Row[] }>().data;

  async function alertOf(screeningId: string): Promise<Row> {
    const [row] = await rows(agent, `?subject=${screeningId}`);
    if (row === undefined) throw new Error('no alert');
    return row;
  }

  test('a screening with a hit raises one, a clear one none', async () => {
    await raised('Nobody Atall');
    expect(await rows(agent)).toEqual([]);
    const { screeningId } = await raised(LISTED);
    const alert = await alertOf(screeningId);
    expect(alert).toMatchObject({ assignee: null, severity: 'Critical', status: 'open' });
    const path = `/v1/aml/alerts/${alert.alert_id}`;
    const detail = await agent.get(path);
    expect(detail.headers.get('etag')).toBe('"v1"');
    expect(detail.json<Row>()).toMatchObject({
      closable_by_one: false,
      hits: [{ primary_name: LISTED }],
      subject: { erased: false, name: 'tarek velmorani' },
    });
    const elsewhere = await gateway.caller(await gateway.tenant('sandbox'), 'agent_l2');
    expect((await elsewhere.get(path)).problem()).toMatchObject({
      code: 'alert-unknown',
      status: 404,
    });
    expect(await rows(elsewhere)).toEqual([]);
    const developer = await gateway.caller(tenantId, 'developer');
    expect((await developer.get(path)).status).toBe(403);
  });

  test('it is worked on, answers again under the same key, and names the version', async () => {
    const { alert_id } = await alertOf((await raised(LISTED)).screeningId);
    const path = `/v1/aml/alerts/${alert_id}`;
    const key = crypto.randomUUID();
    const taken = await agent.post(`${path}/assign`, {}, { key });
    expect(taken.json<Row>()).toMatchObject({ status: 'assigned' });
    const again = await agent.post(`${path}/assign`, {}, { key });
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([taken.text, 'true']);
    expect((await agent.post(`${path}/review`)).status).toBe(200);
    const close = {
      comment: WHY,
      reason_code: 'dob_differs',
      status: 'closed_false_positive',
    };
    const byKey = await agent.post(`${path}/close`, close);
    expect(byKey.problem()).toMatchObject({ code: 'person-required', status: 403 });
    const old = await supervisor.send(path, {
      body: JSON.stringify({ severity: 'High' }),
      headers: { 'Content-Type': 'application/json', 'If-Match': '"v1"', 'Idempotency-Key': key },
      method: 'PATCH',
    });
    expect(old.problem()).toMatchObject({ code: 'precondition-failed', status: 412 });
    const mine = await rows(agent, '?assignee=me&status=assigned');
    expect(mine.map((row) => row.alert_id)).toContain(alert_id);
    const day = await supervisor.send(path, {
      body: JSON.stringify({ due_at: '2026-13-01T00:00:00Z' }),
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() },
      method: 'PATCH',
    });
    expect(day.problem()).toMatchObject({ code: 'body-invalid', status: 400 });
  });

  test('hits are decided one by one, once, and told only as they were signed', async () => {
    const alone = await gateway.tenant('sandbox', { 'alerts.four_eyes': 'none' });
    const caller = await gateway.caller(alone, 'agent_l1');
    const { screening_id } = (await caller.screen({ name: LISTED })).json<{
      screening_id: string;
    }>();
    const path = `/v1/sanctions/screenings/${screening_id}/hits`;
    const before = (await caller.get(path)).json<Hits>();
    expect(before).toMatchObject({ alert_id: null, data: [{ decision: 'pending', etag: '"v0"' }] });
    const ftmId = before.data[0]?.ftm_id ?? '';
    const decide = (
      body: object,
      headers: Record<string, string> = {},
      key = crypto.randomUUID(),
    ) =>
      caller.send(`${path}/${ftmId}`, {
        body: JSON.stringify(body),
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key, ...headers },
        method: 'PATCH',
      });
    const said = { decision: 'false_positive', notes: WHY, reason_code: 'dob_differs' };
    const exclude = await decide({ ...said, exclude: { expires_at: '2027-01-01T00:00:00Z' } });
    expect(exclude.problem()).toMatchObject({ code: 'role-insufficient', status: 403 });
    const stale = await decide(said, { 'If-Match': '"v7"' });
    expect(stale.problem()).toMatchObject({ code: 'precondition-failed', status: 412 });
    const key = crypto.randomUUID();
    const decided = await decide(said, { 'If-Match': '"v0"' }, key);
    expect(decided.json()).toMatchObject({ decision: 'false_positive', etag: '"v1"' });
    expect(decided.headers.get('etag')).toBe('"v1"');
    expect((await decide(said, { 'If-Match': '"v0"' }, key)).text).toBe(decided.text);
    expect((await decide(said)).problem()).toMatchObject({ code: 'state-conflict', status: 409 });
    expect((await agent.get(path)).status).toBe(404);

    const { alert_id = '' } = (await caller.get(path)).json<Hits>();
    const { commit, storage } = gateway.process;
    const place = { alertId: alert_id ?? '', tenantId: alone };
    const alert = await storage.tables.find(alertTable, place);
    if (alert === undefined) throw new Error('no alert');
    expect(alert.status).toBe('closed_false_positive');
    const reviews = alert.reviews?.map((one) => ({ ...one, by: 'person:somebody' })) ?? [];
    const forged = alertTable.put({ ...alert, reviews, version: alert.version + 1 }, alert.version);
    const unrelated = () =>
      entry(gateway.process, {
        action: 'APPROVAL_REJECTED',
        actor: 'system',
        target: 'approval:x',
      });
    await commit(chainOf(alone), { bus: [], changes: [forged], events: [unrelated()] });
    expect((await caller.get(path)).problem()).toMatchObject({ code: 'alert-altered' });
    const detail = await caller.get(`/v1/aml/alerts/${alert_id}`);
    expect(detail.problem()).toMatchObject({ code: 'alert-altered', status: 409 });
    expect(await rows(caller)).toMatchObject([
      { alert_id, fault: 'alert-altered', subject: { fault: 'alert-altered', name: null } },
    ]);
    expect((await caller.get('/v1/aml/alerts?status=open')).json()).toMatchObject({ altered: [] });
    await scheduled(gateway.process as never)
      .find(({ name }) => name === 'alert-watch')
      ?.run();
    const open = await caller.get('/v1/aml/alerts?status=open');
    expect(open.json()).toEqual({ altered: [alert_id], data: [], next_cursor: null });

    // A forged record may lack anything, and takes no other with it.
    const worst = { cause: undefined, createdAt: 'never', outcome: {} };
    await commit(chainOf(alone), {
      bus: [],
      changes: [
        alertTable.put(
          { ...alert, ...worst, version: alert.version + 2 } as never,
          alert.version + 1,
        ),
      ],
      events: [unrelated()],
    });
    expect(await rows(caller)).toMatchObject([{ alert_id, fault: 'alert-altered' }]);
  });

  test('several alerts are decided by one call, and each is answered for', async () => {
    const alone = await gateway.tenant('sandbox', { 'alerts.four_eyes': 'none' });
    const caller = await gateway.caller(alone, 'agent_l1');
    const ids: string[] = [];
    for (const name of [LISTED, `${LISTED} Junior`]) {
      ids.push((await caller.screen({ name })).json<{ screening_id: string }>().screening_id);
    }
    const drafts = ids.map((screeningId) =>
      draftOf(0, { cause: { kind: 'screening', screeningId }, typology: 'MATCH_PEP' }),
    );
    const { storage } = gateway.process;
    const listPersons = async () => [];
    const settingsOf = async () => SETTINGS;
    const ports = { ...gateway.process, listPersons, settingsOf, tables: storage.tables };
    await raiseAlerts(ports, alone, drafts);
    const [second, first] = await rows(caller);
    const body = {
      alerts: [first, second].map((row, at) => ({ alert_id: row?.alert_id, version: at + 1 })),
      comment: WHY,
      decision: 'false_positive',
      reason_code: 'name_only',
    };
    const key = crypto.randomUUID();
    const answer = await caller.post('/v1/aml/alerts/decisions', body, { key });
    expect(answer.json()).toMatchObject({
      data: [
        { alert_id: first?.alert_id, alert_status: 'closed_false_positive', result: 'closed' },
        { alert_id: second?.alert_id, code: 'precondition-failed', result: 'refused' },
      ],
    });
    const again = await caller.post('/v1/aml/alerts/decisions', body, { key });
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([answer.text, 'true']);
  });

  test('who was erased from the evidence is gone from the alert', async () => {
    const { screeningId } = await raised(LISTED);
    const { installation } = gateway;
    await eraseEvidence(
      { ...installation, store: installation.storage.audit },
      {
        actor: 'cli:test',
        chainId: chainOf(tenantId),
        reason: 'asked for',
        screeningId: screeningId as ScreeningId,
      },
    );
    expect((await alertOf(screeningId)).subject).toMatchObject({ erased: true, name: null });
  });

  test('a stream shows what comes, and goes on behind the last id', async () => {
    const stream = await openStream(gateway.origin, agent);
    expect(await stream.next()).toMatchObject({ id: expect.any(String), retry: '2000' });
    const { screeningId } = await raised(LISTED);
    const created = await stream.next();
    expect(created.event).toBe('aml.alert');
    const row = JSON.parse(created.data ?? '') as Row;
    expect(row.subject.id).toBe(screeningId);
    await agent.post(`/v1/aml/alerts/${row.alert_id}/assign`, {});
    const updated = await stream.next();
    expect(updated).toMatchObject({
      event: 'aml.alert.updated',
      id: String(Number(created.id) + 1),
    });
    stream.close();

    await agent.post(`/v1/aml/alerts/${row.alert_id}/review`);
    const resumed = await openStream(gateway.origin, agent, { 'Last-Event-ID': created.id ?? '' });
    await resumed.next();
    const frames: Frame[] = [await resumed.next(), await resumed.next()];
    expect(frames.map(({ id }) => Number(id) - Number(created.id))).toEqual([1, 2]);
    resumed.close();

    const lost = await openStream(gateway.origin, agent, { 'Last-Event-ID': '999999' });
    await lost.next();
    expect(await lost.next()).toMatchObject({ data: '{"oldest_seq":1}', event: 'aml.gap' });
    expect(await lost.next()).toMatchObject({ id: '1' });
    lost.close();

    const filtered = await openStream(gateway.origin, agent, {}, '?severity=Low&last_event_id=0');
    await filtered.next();
    filtered.close();
  });

  test('dropped streams and a gateway that stops: none is lost, none comes twice', async () => {
    const alone = await gateway.tenant('sandbox');
    const key = await gateway.caller(alone, 'agent_l1');
    const second = await openRealGateway(technology, gateway);
    const origins = [gateway.origin, second.origin];
    let turn = 0;
    const readers = [1, 2, 3].map(
      (dropAfter) =>
        new StreamReader({
          apiKey: key.credentialLine.split(': ')[1] ?? '',
          dropAfter: () => dropAfter,
          lastEventId: 0,
          nextOrigin: () => origins[turn++ % origins.length] ?? '',
        }),
    );
    const { storage } = gateway.process;
    const listPersons = async () => [];
    const settingsOf = async () => SETTINGS;
    const ports = { ...gateway.process, listPersons, settingsOf, tables: storage.tables };
    const raised = 12;
    for (let n = 1; n <= raised; n++) {
      await raiseAlerts(ports, alone, [draftOf(n)]);
      const reached = (): boolean => readers.every(({ seen }) => (seen.at(-1)?.id ?? 0) >= n);
      if (n % 4 === 0) await expect.poll(reached, { timeout: 20_000 }).toBe(true);
      if (n === 4) await second.close();
    }
    await Promise.all(readers.map((reader) => reader.end()));
    for (const { seen } of readers) {
      const ids = seen.map(({ id }) => id);
      expect(ids).toEqual(Array.from({ length: raised }, (_, at) => at + 1));
    }
    expect(readers.reduce((sum, { drops }) => sum + drops, 0)).toBeGreaterThanOrEqual(18);
  });

  test('a caller has ten streams, and one more when one is closed', async () => {
    const caller = await gateway.caller(tenantId, 'agent_l1');
    const streams = await Promise.all(
      Array.from({ length: 10 }, () => openStream(gateway.origin, caller)),
    );
    await Promise.all(streams.map((stream) => stream.next()));
    const refused = await caller.get('/v1/aml/alerts/stream');
    expect(refused.problem()).toMatchObject({ code: 'streams-exhausted', status: 429 });
    for (const stream of streams) stream.close();
    await expect
      .poll(async () => {
        const stream = await openStream(gateway.origin, caller);
        stream.close();
        return stream.status;
      })
      .toBe(200);
  });
});
