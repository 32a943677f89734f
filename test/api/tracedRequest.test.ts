/**
 * Requests as traces, from the socket to a collector of the test's own, on both adapters: their
 * steps, whose trace they go on with, and that nothing of a person leaves.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Collector, type SeenSpan, startCollector } from '../platform/tracing/collector.ts';
import { TECHNOLOGIES } from './http/adapters.ts';
import { type Caller, openRealGateway, type RealGateway } from './realGateway.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const asked = (flags: string) => ({ traceparent: `00-${TRACE}-${PARENT}-${flags}` });
const CANARY = { dob: '1961-07-23', name: 'Zebulon Quillfeather', nationality: 'MT' };

const IDS_AND_INSTANTS =
  /"(?:\w+TimeUnixNano|\w*[sS]panId|traceId)":"\w+"|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

describe.each(TECHNOLOGIES)('%s', (technology) => {
  let collector: Collector;
  let gateway: RealGateway;
  let caller: Caller;
  beforeAll(async () => {
    collector = await startCollector();
    gateway = await openRealGateway(technology, undefined, {
      OTEL_BSP_SCHEDULE_DELAY: '1',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_TRACES_SAMPLER_ARG: '0',
    });
    caller = await gateway.caller(await gateway.tenant('sandbox'), 'agent_l1', 'auditor');
  });
  afterAll(async () => {
    await gateway.close();
    await collector.close();
  });
  beforeEach(() => {
    collector.spans.length = 0;
  });

  const screen = (headers: Readonly<Record<string, string>>, key: string = crypto.randomUUID()) =>
    caller.send('/v1/sanctions/screen', {
      body: JSON.stringify(CANARY),
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key, ...headers },
      method: 'POST',
    });
  const named = (name: string): SeenSpan[] => collector.spans.filter((one) => one.name === name);

  test('a screening is a trace of its steps, within that of its caller', async () => {
    const key = crypto.randomUUID();
    const answer = await screen(asked('01'), key);
    expect(answer.status, answer.text).toBe(200);
    await collector.until(() => named('screenName').length === 1);
    const [request] = named('screenName');
    expect(request).toMatchObject({
      attributes: {
        'compliance.request_id': answer.headers.get('x-request-id'),
        'compliance.tenant_id': caller.tenantId,
        'http.request.method': 'POST',
        'http.response.status_code': '200',
        'http.route': '/v1/sanctions/screen',
      },
      kind: 2,
      parentSpanId: PARENT,
      status: {},
      traceId: TRACE,
    });
    const childOf = (parent: SeenSpan | undefined, name: string): SeenSpan | undefined =>
      named(name).find(({ parentSpanId }) => parentSpanId === parent?.spanId);
    const commit = childOf(request, 'commit');
    const match = childOf(request, 'match');
    const stages = ['read query', 'retrieve', 'rerank'].map((name) => childOf(match, name));
    for (const [at, stage] of stages.entries()) {
      const before = at === 0 ? match?.startTimeUnixNano : stages[at - 1]?.endTimeUnixNano;
      expect(BigInt(stage?.startTimeUnixNano ?? 0)).toBeGreaterThanOrEqual(BigInt(before ?? 0));
      expect(BigInt(stage?.endTimeUnixNano ?? 0)).toBeLessThanOrEqual(
        BigInt(match?.endTimeUnixNano ?? 0),
      );
    }
    expect(childOf(commit, 'append group')).toMatchObject({
      attributes: { 'compliance.events': '1' },
      traceId: TRACE,
    });
    const again = await screen(asked('01'), key);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    await collector.until(() => named('screenName').length === 2);
    const replay = named('screenName').find(({ spanId }) => spanId !== request?.spanId);
    expect(replay?.attributes['compliance.is_replay']).toBe(true);
    expect(childOf(replay, 'idempotency')).toBeDefined();
  });

  test('a stranger has no trace recorded by asking for it', async () => {
    const path = `${gateway.origin}/v1/sanctions/screen`;
    const stranger = await fetch(path, { headers: asked('01'), method: 'POST' });
    expect(stranger.status).toBe(401);
    expect((await screen(asked('00'))).status).toBe(200);
    expect((await screen({})).status).toBe(200);
    // The one that is asked for by a caller we know comes after them all.
    await screen(asked('01'));
    await collector.until(() => named('screenName').length > 0);
    expect(named('screenName')).toHaveLength(1);
    expect(collector.spans.every(({ traceId }) => traceId === TRACE)).toBe(true);
  });

  test('pages and probes are left out', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json', '/problems/internal']) {
      await fetch(gateway.origin + path, { headers: asked('01') });
    }
    await screen(asked('01'));
    await collector.until(() => named('screenName').length === 1);
    expect(new Set(collector.spans.map(({ name }) => name))).not.toContain('http');
    expect(named('unknown route')).toEqual([]);
  });

  test('nothing of a person, of a body or of a credential is in any span', async () => {
    const odd = `/v1/sanctions/screenings/${encodeURIComponent(CANARY.name)}/audit`;
    await caller.send(`${odd}?name=Quillfeather`, { headers: asked('01') });
    await caller.send('/v1/Quillfeather', { headers: asked('01'), method: 'PUT' });
    await screen({ ...asked('01'), tracestate: 'vendor=Quillfeather', baggage: 'n=Quillfeather' });
    await collector.until(() => named('screenName').length === 1);
    // Instants and random ids may hold any digits.
    const told = collector.text.replaceAll(IDS_AND_INSTANTS, '');
    for (const part of ['Zebulon', 'Quillfeather', '1961-07-23', '1961', 'cp_test_']) {
      expect(told).not.toContain(part);
    }
  });
});

test('a collector that is away costs requests nothing', async () => {
  const gateway = await openRealGateway('node:http', undefined, {
    OTEL_BSP_MAX_QUEUE_SIZE: '10',
    OTEL_BSP_SCHEDULE_DELAY: '1',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
    OTEL_TRACES_SAMPLER: 'always_on',
  });
  try {
    const caller = await gateway.caller(await gateway.tenant('sandbox'), 'agent_l1');
    for (let time = 0; time < 10; time++) {
      expect((await caller.screen({ name: 'Tarek Velmorani' })).status).toBe(200);
    }
    const { text } = await fetch(`${gateway.origin}/metrics`).then(async (response) => ({
      text: await response.text(),
    }));
    expect(text).toMatch(/^trace_spans_waiting 10$/m);
    expect(text).toMatch(/^trace_spans_dropped_total\{outcome="no-room"\} [1-9]/m);
  } finally {
    await gateway.close();
  }
});
