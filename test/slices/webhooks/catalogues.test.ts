/**
 * What is told to customers' systems (W14, 2.3): schema, example and the data of real events agree,
 * and whoever reads schemas needs no credential.
 */

import { Compile } from 'typebox/compile';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { storedMembers } from '#core/audit';
import {
  chainOf,
  PLATFORM_CHAIN,
  type PublicEvent,
  type TenantId,
  type ToldEvent,
} from '#core/kernel';
import { alertIdOf, raiseAlerts } from '#slices/alerts';
import { loadPublicEvents } from '../../../src/app/publicEvents.ts';
import { alertPartsOf } from '../../../src/slices/alerts/edge/parts.ts';
import type { SliceProcess } from '../../../src/slices/processes.ts';
import { type Caller, openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';
import { draftOf } from '../alerts/desk.ts';

const EVENTS = await loadPublicEvents();
const named = (name: string): PublicEvent<SliceProcess> => {
  const found = EVENTS.find((event) => event.name === name);
  if (found === undefined) throw new Error(`${name} is not declared`);
  return found;
};

/** Members that a schema does not name are as wrong as those that it misses. */
function expectFits({ name, schema }: PublicEvent<SliceProcess>, data: object): void {
  const check = Compile({ ...schema, additionalProperties: false } as never);
  expect([...check.Errors(data)], name).toEqual([]);
  expect(Object.keys(data).toSorted(), name).toEqual(
    Object.keys((schema as { properties: object }).properties).toSorted(),
  );
}

test.each(EVENTS.map((event) => [event.name, event] as const))(
  'the example of %s is what its schema says',
  (_, event) => {
    expectFits(event, event.example);
    expect(event.name).toMatch(/^[a-z]+(?:\.[a-z_]+){1,3}$/);
  },
);

test('a name without a twin is open to both catalogues, one with a twin to its own', () => {
  for (const { catalogs, name, twin } of EVENTS) {
    if (twin === undefined) expect(catalogs, name).toEqual(['A', 'B']);
    else {
      expect(catalogs, name).toHaveLength(1);
      expect(named(twin).twin, name).toBe(name);
      expect(named(twin).catalogs, name).not.toEqual(catalogs);
    }
  }
});

test('reports of a batch are paths, and hold nothing that opens them', () => {
  const { example } = named('aml.batch.completed');
  for (const format of ['csv', 'pdf', 'xlsx']) {
    const path = `/v1/aml/batches/${example.batch_id}/report?format=${format}`;
    expect(example[`report_${format}_url`]).toBe(path);
  }
});

let gateway: RealGateway;
let caller: Caller;
let tenantId: TenantId;
beforeAll(async () => {
  if (!hasRedis) return;
  gateway = await openRealGateway('node:http');
  tenantId = await gateway.tenant('sandbox');
  caller = await gateway.caller(tenantId, 'admin', 'agent_l1');
});
afterAll(async () => gateway?.close());

const toldOf = (event: PublicEvent<SliceProcess>, payload: ToldEvent['payload']): ToldEvent => ({
  createdAt: 0,
  partition: tenantId,
  payload,
  topic: event.topic,
});

async function screened(): Promise<string> {
  const answer = await caller.screen({ name: 'Tarek Velmorani' });
  expect(answer.status, answer.text).toBe(200);
  return answer.json<{ screening_id: string }>().screening_id;
}

test.skipIf(!hasRedis)('a screening’s data are its signed event’s', async () => {
  const event = named('sanctions.screening.completed');
  const screeningId = await screened();
  const data = await event.dataOf(toldOf(event, { screeningId }), gateway.process);
  expectFits(event, data ?? {});
  expect(data).toMatchObject({ decision: 'MATCH_DIRECT_SANCTIONS', screeningId });
});

test.skipIf(!hasRedis)('a verdict that was changed by hand is not told', async () => {
  const event = named('sanctions.screening.completed');
  const screeningId = await screened();
  const { audit } = gateway.installation.storage;
  const sealed = await audit.findByScreening(chainOf(tenantId), screeningId as never);
  if (sealed === undefined) throw new Error('it has no event');
  const forgedAs = (found: object | undefined) =>
    ({
      ...gateway.process,
      storage: {
        ...gateway.process.storage,
        audit: { ...audit, findByScreening: async () => found },
      },
    }) as unknown as SliceProcess;
  const told = toldOf(event, { screeningId });
  const body = sealed.body.replace('MATCH_DIRECT_SANCTIONS', 'CLEAR');
  expect(body).not.toBe(sealed.body);
  const refused = { code: 'evidence-altered' };
  await expect(event.dataOf(told, forgedAs({ ...sealed, body }))).rejects.toMatchObject(refused);
  await expect(event.dataOf(told, forgedAs(undefined))).rejects.toMatchObject(refused);
  const others = toldOf(event, { screeningId: await screened() });
  await expect(event.dataOf(others, forgedAs(sealed))).rejects.toMatchObject(refused);
});

test.skipIf(!hasRedis)('a list’s data are what was signed, whatever its event says', async () => {
  const event = named('sanctions.list.updated');
  const { audit } = gateway.installation.storage;
  const action = 'aml.list.ingested';
  const ask = { action, chainId: PLATFORM_CHAIN, fromSeq: 1, limit: 1 };
  const [ingested] = (await audit.readEvents(ask)).map(storedMembers);
  if (ingested === undefined) throw new Error('no list was imported');
  expect(ingested.added_count).toBeGreaterThan(0);
  const { added_count, kind, list_version, run_id, target } = ingested;
  const forged = { added_count: 0, kind: 'none', list_version: 'v1', run_id, source_id: target };
  const data = await event.dataOf(toldOf(event, forged), gateway.process);
  expectFits(event, data ?? {});
  expect(data).toMatchObject({ added_count, kind, list_version, source_id: target });
  for (const other of [{ run_id: 'none' }, { source_id: 'OFAC_SDN' }]) {
    const told = toldOf(event, { ...forged, ...other });
    const refused = { code: 'evidence-altered' };
    await expect(event.dataOf(told, gateway.process)).rejects.toMatchObject(refused);
  }
});

test.skipIf(!hasRedis)('schemas are for everybody', async () => {
  for (const { name } of EVENTS) {
    const answer = await fetch(`${gateway.origin}/schemas/webhooks/${name}.v1.json`);
    expect(answer.status, name).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/schema+json');
    expect(await answer.json()).toMatchObject({ title: name, type: 'object' });
  }
  const catalogue = await caller.get('/v1/webhooks/event-types?catalog=B');
  const { data } = catalogue.json<{ data: { name: string; schema_url: string }[] }>();
  const batches = data.find(({ name }) => name === 'aml.batch.completed');
  expect(batches?.schema_url).toBe('/schemas/webhooks/aml.batch.completed.v1.json');
  for (const path of ['none.v1.json', 'aml.batch.completed', 'aml.batch.completed.v2.json']) {
    expect((await fetch(`${gateway.origin}/schemas/webhooks/${path}`)).status, path).toBe(404);
  }
});

test.skipIf(!hasRedis)('an alert is told as it was signed, whatever its event says', async () => {
  const ports = alertPartsOf(gateway.process);
  const draft = draftOf(1);
  await raiseAlerts(ports, tenantId, [draft]);
  const alertId = alertIdOf(tenantId, draft.cause);
  const forged = { alert_id: alertId, schema: 'aml.alert.created.v1', severity: 'Low' };
  for (const name of ['aml.alert.created', 'aml.alert.published']) {
    const event = named(name);
    const told = { createdAt: 0, partition: tenantId, topic: event.topic };
    const data = await event.dataOf({ ...told, payload: forged }, gateway.process);
    expectFits(event, data ?? {});
    expect(data).toMatchObject({ severity: 'Critical' });
    const unknown = event.dataOf({ ...told, payload: { alert_id: 'none' } }, gateway.process);
    await expect(unknown).rejects.toMatchObject({ code: 'evidence-altered' });
  }
});
