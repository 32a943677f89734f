/** The list service with nothing replaced: a run on record, its bundle through a link, in parts. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TECHNOLOGIES } from '../../api/http/adapters.ts';
import { type Caller, openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';

interface Snapshot {
  readonly run_id: string;
  readonly list_version: string;
}

describe.skipIf(!hasRedis).each(TECHNOLOGIES)('%s: the list service', (technology) => {
  let gateway: RealGateway;
  let dsi: Caller;
  beforeAll(async () => {
    gateway = await openRealGateway(technology);
    dsi = await gateway.caller(await gateway.tenant('sandbox'), 'dsi_admin');
  });
  afterAll(() => gateway.close());

  test('the bundle of a published list is downloaded by its link alone', async () => {
    const path = '/v1/sanctions/etl/snapshots/DEMO';
    const { data } = (await dsi.get(path)).json<{ data: Snapshot[] }>();
    const [latest] = data;
    expect(data).toHaveLength(1);
    const reply = await dsi.post(`${path}/${latest?.run_id}/download`);
    expect(reply.status, reply.text).toBe(200);
    const link = reply.json<{ url: string; sha256: string; bytes: number }>();
    const whole = await fetch(link.url);
    expect(whole.headers.get('content-length')).toBe(String(link.bytes));
    const bytes = Buffer.from(await whole.arrayBuffer());
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(link.sha256);
    const rest = await fetch(link.url, { headers: { Range: `bytes=${link.bytes - 100}-` } });
    expect([rest.status, rest.headers.get('content-length')]).toEqual([206, '100']);
    expect(Buffer.from(await rest.arrayBuffer()).equals(bytes.subarray(-100))).toBe(true);
    const head = await fetch(link.url, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(link.bytes)]);
    expect(bytes.toString()).toContain(`"list_version":"${latest?.list_version}"`);
  });

  test('a machine starts a run, one at a time', async () => {
    const live = await gateway.caller(await gateway.tenant('live'), 'dsi_admin');
    const run = await live.post('/v1/sanctions/etl/sources/UN_SC/trigger');
    expect(run.status, run.text).toBe(202);
    const found = await live.get(`/v1/sanctions/etl/runs/${run.json<{ run_id: string }>().run_id}`);
    expect(found.json()).toMatchObject({ source_id: 'UN_SC', status: 'running' });
    const again = await live.post('/v1/sanctions/etl/sources/UN_SC/trigger');
    expect(again.problem()).toMatchObject({ code: 'state-conflict', status: 409 });
  });

  test('a sandbox has no list fetched that others screen by', async () => {
    const admin = await gateway.caller(dsi.tenantId, 'admin');
    const before = (await dsi.get('/v1/sanctions/etl/runs')).text;
    const asked = [
      await dsi.post('/v1/sanctions/etl/sources/EU_CFSP/trigger'),
      await admin.post('/v1/sanctions/lists/EU_CFSP/refresh'),
    ];
    for (const reply of asked) {
      expect(reply.problem()).toMatchObject({ code: 'role-insufficient', status: 403 });
    }
    expect((await dsi.get('/v1/sanctions/etl/runs')).text).toBe(before);
  });
});
