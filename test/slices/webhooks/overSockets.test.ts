/**
 * Webhook administration with nothing replaced, over both HTTP adapters: registration, conditional
 * changes, secrets, deliveries, replays and figures; and what a second tenant sees of them.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TenantId } from '#core/kernel';
import { createMetrics } from '#platform/metrics';
import { type OpenProcess, openProcess } from '../../../src/app/process.ts';
import type { RunningWork, WorkerProcess } from '../../../src/slices/processes.ts';
import { start } from '../../../src/slices/webhooks/edge/jobs.ts';
import { TECHNOLOGIES } from '../../api/http/adapters.ts';
import {
  type Answer,
  type Caller,
  openRealGateway,
  type RealGateway,
} from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';
import { freeLimiter, quietLog } from '../../workers/quietWorker.ts';
import { type Receiver, startReceiver } from './receiver.ts';

interface Endpoint {
  readonly endpoint_id: string;
  readonly url: string;
  readonly enabled: boolean;
}

describe.skipIf(!hasRedis).each(TECHNOLOGIES)('%s: webhooks', (technology) => {
  let gateway: RealGateway;
  let worker: { readonly work: RunningWork; readonly opened: OpenProcess<WorkerProcess> };
  let receiver: Receiver;
  let admin: Caller;
  let tenantId: TenantId;

  beforeAll(async () => {
    gateway = await openRealGateway(technology);
    tenantId = await gateway.tenant('sandbox');
    admin = await gateway.caller(tenantId, 'admin');
    receiver = await startReceiver();
    const opened: OpenProcess<WorkerProcess> = openProcess(gateway.installation, {
      limiter: freeLimiter,
      log: quietLog,
      metrics: createMetrics({ processFigures: false }),
    });
    worker = { opened, work: start(opened.process) };
  });
  afterAll(async () => {
    await worker.work.stop();
    await worker.opened.close();
    await receiver.close();
    await gateway.close();
  });

  const put = (body: object, etag?: string): Promise<Answer> =>
    admin.send('/v1/webhooks/config', {
      body: JSON.stringify(body),
      headers: {
        'Content-Type': 'application/json',
        ...(etag !== undefined && { 'If-Match': etag }),
      },
      method: 'PUT',
    });
  async function ended(deliveryId: string): Promise<Record<string, unknown>> {
    for (;;) {
      const answer = await admin.get(`/v1/webhooks/deliveries/${deliveryId}`);
      const delivery = answer.json<Record<string, unknown>>();
      if (delivery.status === 'DELIVERED' || delivery.status === 'FAILED') return delivery;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  test('a secret is shown once, and the same key shows it again, sealed until then', async () => {
    const key = crypto.randomUUID();
    const body = { description: 'first', events: ['aml.batch.completed'], url: receiver.url };
    const made = await admin.post('/v1/webhooks', body, { key });
    expect(made.status, made.text).toBe(201);
    const { endpoint, secret } = made.json<{ endpoint: Endpoint; secret: string }>();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const again = await admin.post('/v1/webhooks', body, { key });
    expect(again.text).toBe(made.text);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const config = await admin.get('/v1/webhooks/config');
    expect(config.text).not.toContain('whsec_');
    expect(config.json()).toMatchObject({ endpoints: [{ endpoint_id: endpoint.endpoint_id }] });
    const taken = await admin.post('/v1/webhooks', body);
    expect(taken.problem()).toMatchObject({ code: 'webhook-taken', status: 409 });
  });

  test('what is refused says why', async () => {
    const refused = async (body: object): Promise<unknown> => {
      const answer = await admin.post('/v1/webhooks', body);
      const { code, errors } = answer.json<{ code: string; errors: { code: string }[] }>();
      return [answer.status, code, errors[0]?.code];
    };
    const url = 'https://10.0.0.1/';
    expect(await refused({ events: ['*'], url })).toEqual([
      422,
      'webhook-url-refused',
      'private-address',
    ]);
    expect(await refused({ events: ['nothing'], url: receiver.url })).toEqual([
      400,
      'event-unknown',
      'unknown',
    ]);
    expect(await refused({ catalog: 'B', events: ['aml.alert.created'], url })).toEqual([
      400,
      'event-unknown',
      'unknown',
    ]);
  });

  test('the ETag of one endpoint is that of all, and a change answers the next', async () => {
    const config = await admin.get('/v1/webhooks/config');
    const [one] = config.json<{ endpoints: Endpoint[] }>().endpoints;
    const path = `/v1/webhooks/${one?.endpoint_id}`;
    const etag = (await admin.get(path)).headers.get('etag') ?? '';
    expect(etag).toBe(config.headers.get('etag'));
    const patch = (description: string, match: string) =>
      admin.send(path, {
        body: JSON.stringify({ description }),
        headers: { 'Content-Type': 'application/json', 'If-Match': match },
        method: 'PATCH',
      });
    const changed = await patch('second', etag);
    expect(changed.status, changed.text).toBe(200);
    expect((await patch('third', etag)).problem()).toMatchObject({ status: 412 });
    const next = changed.headers.get('etag') ?? '';
    expect(next).toBe((await admin.get(path)).headers.get('etag'));
    expect((await patch('third', next)).status).toBe(200);
  });

  test('a page that was read before another change is refused, the new one taken', async () => {
    const before = await admin.get('/v1/webhooks/config');
    const etag = before.headers.get('etag') ?? '';
    const { endpoints } = before.json<{ endpoints: Endpoint[] }>();
    const [first] = endpoints;
    const desired = {
      endpoints: [
        { endpoint_id: first?.endpoint_id, events: ['*'], url: receiver.url },
        { catalog: 'B', events: ['*'], url: receiver.url },
      ],
    };
    const changed = await put(desired, etag);
    expect(changed.status, changed.text).toBe(200);
    const after = changed.json<{ endpoints: (Endpoint & { new_secret?: string })[] }>();
    expect(after.endpoints.map(({ new_secret }) => new_secret !== undefined)).toEqual([
      false,
      true,
    ]);
    expect((await put(desired, etag)).problem()).toMatchObject({ code: 'precondition-failed' });
    const fewer = await put({ endpoints: desired.endpoints.slice(0, 1) });
    expect(fewer.json<{ endpoints: Endpoint[] }>().endpoints).toHaveLength(1);
  });

  test('rotation: both sign for a day, the secret is shown once more, and once', async () => {
    const rotated = await admin.post('/v1/webhooks/secret/rotate', {});
    expect(rotated.status, rotated.text).toBe(200);
    const { secret } = rotated.json<{ secret: string }>();
    const shown = await admin.get('/v1/webhooks/secret/current');
    expect(shown.json<{ secret: string }>().secret).toBe(secret);
    const gone = await admin.get('/v1/webhooks/secret/current');
    expect(gone.problem()).toMatchObject({ code: 'secret-revealed', status: 410 });
    const soon = await admin.post('/v1/webhooks/secret/rotate', {});
    expect(soon.problem()).toMatchObject({ code: 'webhook-secret-overlap', status: 409 });
    const test = await admin.post('/v1/webhooks/test', {});
    const delivery = await ended(test.json<{ delivery_id: string }>().delivery_id);
    expect(delivery).toMatchObject({ secret_versions: [2, 1], status: 'DELIVERED', test: true });
    const header = receiver.received.at(-1)?.headers['x-service-signature'] ?? '';
    expect(header).toMatch(/^t=[0-9]+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
    const ask = { revoke_previous: true };
    expect((await admin.post('/v1/webhooks/secret/rotate', ask)).status).toBe(200);
    const next = await admin.post('/v1/webhooks/test', { event_type: 'sanctions.list.updated' });
    const id = next.json<{ delivery_id: string }>().delivery_id;
    // The receiver may know the second one alone.
    expect(await ended(id)).toMatchObject({ secret_versions: [3, 2] });
    expect(JSON.parse(receiver.received.at(-1)?.body ?? '')).toMatchObject({
      data: { source_id: 'OFAC_SDN', test: true },
      event: 'sanctions.list.updated',
    });
  });

  test('a delivery is read, sent again, and counted; another tenant sees none of it', async () => {
    const list = await admin.get('/v1/webhooks/deliveries?status=DELIVERED&limit=1');
    const { data, next_cursor } = list.json<{
      data: { delivery_id: string }[];
      next_cursor: string;
    }>();
    expect(data).toHaveLength(1);
    const page = await admin.get(
      `/v1/webhooks/deliveries?status=DELIVERED&limit=1&cursor=${encodeURIComponent(next_cursor)}`,
    );
    const [second] = page.json<{ data: { delivery_id: string }[] }>().data;
    expect(second?.delivery_id).not.toBe(data[0]?.delivery_id);
    const id = data[0]?.delivery_id ?? '';
    const replay = await admin.post(`/v1/webhooks/deliveries/${id}/replay`, {});
    expect(replay.status, replay.text).toBe(202);
    const again = await ended(replay.json<{ delivery_id: string }>().delivery_id);
    expect(again).toMatchObject({ replay_of: id, status: 'DELIVERED' });
    const [former, latest] = receiver.received.slice(-2);
    expect(latest?.body).toBe(former?.body);
    const keyOf = (one: typeof latest) => one?.headers['x-service-idempotency-key'];
    expect(keyOf(latest)).toBe(keyOf(former));
    const kpis = (await admin.get('/v1/webhooks/kpis?period=last_1h')).json();
    expect(kpis).toMatchObject({ complete: true, delivered: 1, deliveries_total: 1, failed: 0 });
    const { text: scraped } = await worker.opened.process.metrics.expose();
    expect(scraped).toMatch(/webhook_attempts_total\{outcome="delivered"\} [1-9]/);
    expect(scraped).toMatch(/webhook_delay_seconds_count 1/);
    expect(scraped).not.toContain(tenantId);
    const other = await gateway.caller(await gateway.tenant('sandbox'), 'admin');
    const foreign = await other.get(`/v1/webhooks/deliveries/${id}`);
    expect(foreign.problem()).toMatchObject({ code: 'webhook-unknown', status: 404 });
    expect((await other.get('/v1/webhooks/deliveries')).json()).toMatchObject({ data: [] });
    expect((await other.get('/v1/webhooks/config')).json()).toMatchObject({ endpoints: [] });
  });

  test('what came while it was disabled is sent when it is asked for', async () => {
    const { endpoints } = (await admin.get('/v1/webhooks/config')).json<{
      endpoints: Endpoint[];
    }>();
    const id = endpoints[0]?.endpoint_id ?? '';
    const switched = (enabled: boolean) =>
      admin.send(`/v1/webhooks/${id}`, {
        body: JSON.stringify({ enabled }),
        headers: { 'Content-Type': 'application/json' },
        method: 'PATCH',
      });
    expect((await switched(false)).json()).toMatchObject({ disabled_reason: 'manual' });
    const refused = await admin.post('/v1/webhooks/test', {});
    expect(refused.problem()).toMatchObject({ code: 'webhook-endpoint-disabled', status: 409 });
    expect((await switched(true)).json()).toMatchObject({ enabled: true });
    const order = await admin.post('/v1/webhooks/deliveries/replay', {
      endpoint_id: id,
      from: '2026-01-01T00:00:00Z',
      missing: true,
      to: '2100-01-01T00:00:00Z',
    });
    expect(order.status, order.text).toBe(202);
    const { count_is_final, replay_job_id } = order.json<Record<string, unknown>>();
    expect(count_is_final).toBe(true);
    for (;;) {
      const job = await admin.get(`/v1/webhooks/replays/${replay_job_id}`);
      if (job.json<{ status: string }>().status === 'completed') break;
      expect(job.json()).toMatchObject({ endpoint_id: id, missing: true, status: 'running' });
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const unknown = await admin.get(`/v1/webhooks/replays/${id}`);
    expect(unknown.problem()).toMatchObject({ code: 'webhook-unknown', status: 404 });
  });
});
