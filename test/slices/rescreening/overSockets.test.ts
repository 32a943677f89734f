/**
 * Re-screening with nothing replaced: customers over HTTP, the real engine and lists, the worker's
 * own loop, alerts, and a proof that is verified by the public keys alone.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { TenantId } from '#core/kernel';
import type { OutboxEvent } from '#core/reactions';
import {
  checkRegister,
  planRuns,
  proveRescreening,
  SignedSightings,
  signedEntries,
  verifyRescreening,
} from '#slices/rescreening';
import { subscribers as alertSubscribers } from '../../../src/slices/alerts/edge/jobs.ts';
import { start as startBatches } from '../../../src/slices/batches/edge/jobs.ts';
import { start, subscribers } from '../../../src/slices/rescreening/edge/jobs.ts';
import { publicEvents } from '../../../src/slices/rescreening/edge/publicEvents.ts';
import { runPartsOf } from '../../../src/slices/rescreening/edge/runParts.ts';
import { type Caller, openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';

const LISTED = 'Tarek Velmorani';
const WAIT = { interval: 100, timeout: 30_000 };

interface State {
  readonly covered: { readonly list_version: string } | null;
  readonly runs: readonly {
    readonly run_id: string;
    readonly mode: string;
    readonly status: string;
    readonly found: number;
  }[];
}

describe.skipIf(!hasRedis)('re-screening', () => {
  let gateway: RealGateway;
  let tenantId: TenantId;
  let caller: Caller;
  let stop: () => Promise<void>;

  beforeAll(async () => {
    gateway = await openRealGateway('node:http');
    tenantId = await gateway.tenant('sandbox');
    caller = await gateway.caller(tenantId, 'agent_l2', 'mlro', 'developer', 'compliance_officer');
    const running = await start(gateway.process as never);
    stop = () => running.stop();
  });
  afterAll(async () => {
    await stop();
    await gateway.close();
  });

  const stateOf = async () => (await caller.get('/v1/sanctions/rescreening')).json<State>();
  const plan = async () => planRuns(runPartsOf(gateway.process as never));
  const PATH = '/v1/sanctions/monitored-subjects';

  test('customers are watched: screened at once, told of, provable, removed', async () => {
    const subjects = [
      { external_id: 'C-1', full_name: LISTED },
      { external_id: 'C-2', full_name: 'Nobody Atall' },
    ];
    const added = await caller.post(PATH, { subjects });
    expect(added.json()).toEqual({ added: 2, changed: 0, unchanged: 0 });
    const wrong = await caller.post(PATH, { subjects: [{ external_id: 'C-3' }] });
    expect(wrong.json()).toMatchObject({
      errors: [{ pointer: '/subjects/0/full_name' }],
      status: 400,
    });
    await plan();
    const state = await vi.waitUntil(async () => {
      const found = await stateOf();
      const isDone = found.runs.every(({ status }) => status === 'completed');
      return isDone && found.covered !== null ? found : undefined;
    }, WAIT);
    expect(state.runs.map(({ mode }) => mode).toSorted()).toEqual(['delta', 'new']);
    expect(state.runs.reduce((sum, { found }) => sum + found, 0)).toBe(1);
    // Webhooks tell what was signed, whatever the outbox says.
    const [completed] = publicEvents;
    const ran = state.runs.find(({ found }) => found === 1);
    const forged = { customers: 9, found: 0, run_id: ran?.run_id };
    const toldOf = await completed?.dataOf(
      { createdAt: Date.now(), partition: tenantId, payload: forged, topic: completed.topic },
      gateway.process,
    );
    expect(toldOf).toMatchObject({ found: 1, mode: ran?.mode, run_id: ran?.run_id });
    expect(Object.keys(toldOf ?? {})).toHaveLength(9);
    expect(toldOf?.customers).toBeLessThan(9);
    const screenings = await caller.get('/v1/sanctions/screenings?channel=rescreening');
    expect(screenings.status, screenings.text).toBe(200);
    const { data } = screenings.json<{ data: { screening_id: string; decision: string }[] }>();
    expect(data).toHaveLength(1);
    // As a worker does with the message of the chunk's commit.
    const [alerts] = alertSubscribers(gateway.process as never);
    const payload = { screeningId: data[0]?.screening_id, verdict: data[0]?.decision };
    const event = { partition: tenantId, payload, topic: 'sanctions.screening.completed' };
    const handle = alerts?.on?.['sanctions.screening.completed'];
    for (let times = 0; times < 2; times++) {
      await handle?.(event as unknown as OutboxEvent, new AbortController().signal);
    }
    const told = (await caller.get('/v1/aml/alerts')).json<{ data: object[] }>().data;
    expect(told).toMatchObject([{ hits_total: 1, type: 'list_change' }]);
    expect(await plan()).toBe(0);
    const one = (await caller.get(`${PATH}/C-1`)).json();
    expect(one).toMatchObject({ attributes: { full_name: LISTED }, status: 'active' });
    const elsewhere = await gateway.caller(await gateway.tenant('sandbox'), 'mlro');
    expect((await elsewhere.get(`${PATH}/C-1`)).problem()).toMatchObject({
      code: 'monitored-unknown',
    });
    const removed = await caller.send(`${PATH}/C-2`, { method: 'DELETE' });
    expect(removed.json()).toMatchObject({ attributes: null, status: 'removed' });
  });

  test('the subject of a screening is watched, and told of once', async () => {
    const body = {
      monitor: true,
      name: LISTED,
      nationality: 'TN',
      subject_ref: 'S-1',
      type: 'Person',
    };
    const { subject_ref: _, ...nameless } = body;
    expect((await caller.screen(nameless)).json()).toMatchObject({
      errors: [{ code: 'missing', pointer: '/subject_ref' }],
      status: 400,
    });
    const screened = (await caller.screen(body)).json<{ screening_id: string }>();
    const one = (await caller.get(`${PATH}/S-1`)).json();
    expect(one).toMatchObject({
      attributes: { full_name: LISTED, nationality: 'TN', type: 'individual' },
      source: 'screening',
    });
    const byRef = await caller.get('/v1/sanctions/screenings?subject_ref=S-1');
    expect(byRef.json()).toMatchObject({ data: [{ screening_id: screened.screening_id }] });
    await plan();
    const isScreened = async () => {
      const { last_screened } = (await caller.get(`${PATH}/S-1`)).json<{
        last_screened: unknown;
      }>();
      return last_screened !== null;
    };
    await vi.waitUntil(isScreened, WAIT);
    // Its first screening by itself has found what is known, and wrote no event of it.
    expect((await caller.get('/v1/sanctions/screenings?subject_ref=S-1')).json()).toMatchObject({
      data: [{ channel: 'unit' }],
    });
    const again = await caller.post('/v1/aml/screen', {
      monitor: true,
      subject: { full_name: 'Nobody Atall' },
      subject_ref: 'S-2',
    });
    expect(again.status).toBe(200);
    expect((await caller.get(`${PATH}/S-2`)).json()).toMatchObject({ source: 'screening' });
  });

  test('subjects of a batch are watched once it is completed', async () => {
    const process = gateway.process as never;
    const work = await startBatches(process);
    const asked = await caller.post('/v1/aml/batches', {
      monitor: true,
      name: 'all',
      subjects: [
        { external_id: 'B-1', full_name: LISTED },
        { external_id: 'B-2', full_name: 'Nobody Atall' },
      ],
    });
    const { batch_id } = asked.json<{ batch_id: string }>();
    const isDone = async () =>
      (await caller.get(`/v1/aml/batches/${batch_id}`)).json<{ status: string }>().status ===
      'completed';
    await vi.waitUntil(isDone, WAIT);
    await work.stop();
    const enrolments = subscribers(process).find(({ name }) => name === 'rescreening-enrolments');
    const event = { partition: tenantId, payload: { batch_id }, topic: 'aml.batch.monitored' };
    for (let times = 0; times < 2; times++) {
      const handle = enrolments?.on?.['aml.batch.monitored'];
      await handle?.(event as unknown as OutboxEvent, new AbortController().signal);
    }
    await vi.waitUntil(async () => {
      const { batches } = (await stateOf()) as unknown as { batches: { status: string }[] };
      return batches[0]?.status === 'completed';
    }, WAIT);
    expect((await caller.get(`${PATH}/B-1`)).json()).toMatchObject({
      source: `batch:${batch_id}`,
      status: 'active',
    });
    const { blobs, keyRing, storage } = gateway.process;
    const entries = signedEntries({ audit: storage.audit, keyRing });
    const ports = {
      blobs,
      entries,
      sightings: new SignedSightings(entries),
      tables: storage.tables,
    };
    expect((await checkRegister(ports, tenantId)).refusals).toEqual([]);
  });

  test('who was screened against which version is proved to a stranger', async () => {
    const { blobs, keyRing, storage } = gateway.process;
    const { audit, tables } = storage;
    const proof = await proveRescreening({ audit, blobs, tables }, { subjectRef: 'C-1', tenantId });
    const keys = keyRing;
    const checked = verifyRescreening(proof, keys, 'C-1');
    expect(checked).toMatchObject({ ok: true, value: { tenantId } });
    expect(verifyRescreening(proof, keys, 'C-2')).toMatchObject({ ok: false });
    const forged = { ...proof, leaf: proof.leaf.replace(/"decision":"[^"]*"/, '"decision":"X"') };
    expect(verifyRescreening(forged, keys, 'C-1')).toMatchObject({
      ok: false,
      reason: 'leaf: not under the root that was signed',
    });
    const altered = { ...proof, event: { ...proof.event, list_version: 'another' } };
    expect(verifyRescreening(altered, keys, 'C-1')).toMatchObject({ ok: false });
    expect(verifyRescreening({ type: 'x' }, keys)).toMatchObject({ ok: false });
  });
});
