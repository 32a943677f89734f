/**
 * Webhooks: deliveries that wait in the store, sent by one worker over TLS on loopback, with a
 * signed entry of every attempt. 20 tenants of 10 endpoints, at 100 attempts a second each; the
 * baseline is the same sends by undici with neither evidence nor state. Then how long an event
 * takes from its commit to its first attempt: where nothing else is to do, and while all endpoints
 * of another tenant hang.
 *
 *   --size lists   20,000 deliveries     100k   100,000     1m   1,000,000
 *   --count N      N deliveries, or the next number that all endpoints share
 */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { entry } from '#core/audit';
import { chainOf, PLATFORM_CHAIN } from '#core/kernel';
import { eventIdOf } from '#slices/webhooks';
import { buildProduct } from './product.ts';
import type { BenchOptions, BenchRow } from './row.ts';
import { BULK_EVENT, type Owner, openYard, QUIET_EVENT, type Yard } from './webhookParts.ts';

const TENANTS = 20;
const ENDPOINTS = 10;
const DELIVERIES = { lists: 20_000, '100k': 100_000, '1m': 1_000_000, '5m': 1_000_000 };
const SMOKE_DELIVERIES = 400;
const BASELINE_MAX = 20_000;
const IN_FLIGHT = 1_000;
const HANGING_EVENTS = 60;
const PROBES = { smoke: 3, whole: 40 };
const LOOK_MS = 100;
/** A minute: what has not come by then does not come. */
const ARRIVES_MS_MAX = 60_000;
const SUITE = 'webhooks';
const LIST = 'BENCH';
const CHANGES = { added_count: 1, kind: 'delta', removed_count: 0, updated_count: 0 };

export async function rows({ count: wanted, size, smoke }: BenchOptions): Promise<BenchRow[]> {
  await buildProduct();
  const yard = await openYard();
  try {
    const tenants = smoke ? 2 : TENANTS;
    const deliveriesWanted = wanted ?? (smoke ? SMOKE_DELIVERIES : DELIVERIES[size]);
    const eventsOfEach = Math.ceil(deliveriesWanted / tenants / ENDPOINTS);
    const count = eventsOfEach * tenants * ENDPOINTS;
    const owners: Owner[] = [];
    for (let number = 0; number < tenants; number++) {
      const owner = await yard.owner({ endpoints: ENDPOINTS, event: BULK_EVENT, path: 'bulk' });
      await yard.fill(owner, eventsOfEach);
      owners.push(owner);
    }
    const quiet = await yard.owner({ endpoints: 1, event: QUIET_EVENT, path: 'quiet' });
    const baseline = await plainSends(yard, Math.min(count, BASELINE_MAX));
    const sent = await deliveries(yard, { count, owners });
    const probes = PROBES[smoke ? 'smoke' : 'whole'];
    const idle = await firstAttempts(yard, quiet, probes);
    const hanging = await yard.owner({ endpoints: ENDPOINTS, event: BULK_EVENT, path: 'hang' });
    await yard.fill(hanging, HANGING_EVENTS);
    const beside = await firstAttempts(yard, quiet, probes);
    const what = `${count.toLocaleString('en')} deliveries`;
    const data = `${what}, ${tenants} × ${ENDPOINTS} endpoints, TLS`;
    const head = { data, size, suite: SUITE };
    return [
      {
        ...head,
        baseline,
        baseline_name: 'undici, no evidence, no state',
        checksum: `${sent.missing} missing, ${sent.doubled} doubled, ${sent.told} told`,
        id: 'webhooks/deliveries',
        memory_mb: sent.memoryMb,
        ours: sent.perSecond,
        ratio: sent.perSecond / baseline,
        unit: '/s',
      },
      { ...head, id: 'webhooks/processor', ours: sent.perCpuSecond, unit: '/CPU-s' },
      { ...head, id: 'webhooks/most-in-10-s', ours: sent.mostIn10S, unit: 'sends' },
      { ...head, ...idle, id: 'webhooks/first-attempt-idle', unit: 'ms p95' },
      { ...head, ...beside, id: 'webhooks/first-attempt-beside-hanging', unit: 'ms p95' },
    ];
  } finally {
    await yard.stop();
  }
}

/** The same sends, as fast as they go. */
async function plainSends({ authorityPem, sink }: Yard, count: number): Promise<number> {
  const agent = new Agent({ connect: { ca: authorityPem }, connections: IN_FLIGHT });
  const body = JSON.stringify({ data: {}, event: BULK_EVENT, pad: 'x'.repeat(800) });
  const startMs = performance.now();
  let left = count;
  const send = async (): Promise<void> => {
    while (left-- > 0) {
      const answer = await request(`https://127.0.0.1:${sink.port}/bulk/0`, {
        body,
        dispatcher: agent,
        headers: { 'content-type': 'application/json', 'x-service-idempotency-key': `${left}` },
        method: 'POST',
      });
      await answer.body.dump();
    }
  };
  await Promise.all(Array.from({ length: Math.min(IN_FLIGHT, count) }, send));
  const perSecond = count / ((performance.now() - startMs) / 1e3);
  await agent.close();
  await sink.reset();
  return perSecond;
}

/** All that waits, until it is there and written. */
async function deliveries(
  yard: Yard,
  { count, owners }: { readonly count: number; readonly owners: readonly Owner[] },
) {
  const { sink, worker } = yard;
  worker.start();
  await worker.ready();
  let memoryMb = 0;
  for (let isOver = false; !isOver; ) {
    await delay(LOOK_MS);
    assert(worker.isRunning, 'the worker runs');
    memoryMb = Math.max(memoryMb, worker.memoryMb());
    isOver = (await sink.figures()).distinct >= count;
  }
  const cpuSeconds = worker.cpuSeconds();
  let told = 0;
  const nextSeqs = new Map<Owner, number>();
  for (let tries = 0; tries < 100 && told < count; tries++) {
    await delay(LOOK_MS);
    for (const owner of owners) told += await attemptsTold(yard, owner, nextSeqs);
  }
  const mostIn10S = await sink.mostIn10S();
  const { distinct, firstMs, lastMs, received } = await sink.figures();
  return {
    doubled: received - distinct,
    memoryMb,
    missing: count - distinct,
    mostIn10S,
    perCpuSecond: count / cpuSeconds,
    perSecond: count / ((lastMs - firstMs) / 1e3),
    told,
  };
}

/** Attempts that a chain tells of since the last look at it. */
async function attemptsTold(
  { installation }: Yard,
  owner: Owner,
  nextSeqs: Map<Owner, number>,
): Promise<number> {
  const ask = { action: 'webhook.attempts', chainId: chainOf(owner.tenantId), limit: 100 };
  for (let count = 0; ; ) {
    const fromSeq = nextSeqs.get(owner) ?? 1;
    const events = await installation.storage.audit.readEvents({ ...ask, fromSeq });
    for (const { body } of events) count += JSON.parse(body).attempts.length;
    const last = events.at(-1);
    if (last === undefined) return count;
    nextSeqs.set(owner, last.seq + 1);
  }
}

/** Milliseconds from a commit to the first attempt. */
async function firstAttempts(
  { installation, ports, sink }: Yard,
  { tenantId }: Owner,
  count: number,
): Promise<Pick<BenchRow, 'ours' | 'p50_ms' | 'p95_ms'>> {
  const { clock, random, storage } = installation;
  const took: number[] = [];
  for (let number = 0; number < count; number++) {
    const place = await storage.outbox.readKept({ afterId: '0', limit: 1_000, partition: 'bench' });
    const runId = `${LIST}-${tenantId}-${number}`;
    const members = { ...CHANGES, list_version: `${number}`, run_id: runId };
    await ports.commit(PLATFORM_CHAIN, {
      bus: [
        {
          partition: 'bench',
          payload: { run_id: runId, source_id: LIST },
          topic: 'service.sanctions.lists.updated',
        },
      ],
      changes: [],
      // What is told of the list is what this says.
      events: [
        entry(
          { clock, random },
          { action: 'aml.list.ingested', actor: 'cli:bench', members, target: LIST },
        ),
      ],
    });
    const committedMs = Date.now();
    const kept = await storage.outbox.readKept({ afterId: '0', limit: 1_000, partition: 'bench' });
    const told = kept[place.length];
    assert(told !== undefined, 'the event is in the outbox');
    const eventId = eventIdOf({ at: told.createdAt, id: told.id, tenantId });
    let arrivedMs = 0;
    while (arrivedMs === 0) {
      assert(Date.now() - committedMs < ARRIVES_MS_MAX, `event ${eventId} arrived`);
      await delay(2);
      [arrivedMs = 0] = (await sink.figures([eventId])).arrivals;
    }
    took.push(arrivedMs - committedMs);
    // At another point of every interval.
    await delay((number * 37) % 250);
  }
  took.sort((a, b) => a - b);
  const at = (share: number): number =>
    took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? 0;
  return { ours: at(0.95), p50_ms: at(0.5), p95_ms: at(0.95) };
}
