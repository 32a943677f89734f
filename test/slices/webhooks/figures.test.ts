/**
 * Figures (operations 2.2) are what a recount of the deliveries themselves gives, for every period
 * and endpoint, whether they are counted from the chain already or not, by one process or several,
 * killed or not.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Tables } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import {
  bucketTallyTable,
  countAnew,
  deliveryTable,
  endpointTable,
  KPI_PERIOD_NAMES,
  KPI_PERIODS,
  type KpiPeriod,
  placeOf,
  readKpis,
  sendTest,
  TallyFold,
  tallyPlaceTable,
  type WebhookDelivery,
} from '#slices/webhooks';
import { onEachStore } from '../../storage/eachStore.ts';
import { type Receiver, replyWith, startReceiver } from './receiver.ts';
import { recount } from './recount.ts';
import { ACTOR, openHouse, TENANT, type WebhookHouse } from './webhookHouse.ts';

const HOUR_MS = 3_600_000;
let house: WebhookHouse;
let receiver: Receiver;
const portsOf = (tables: Tables, holder: string) => ({
  audit: house.audit,
  clock: house.clock,
  holder,
  isGone: (other: string) => other.startsWith('dead'),
  tables,
});
const foldOf = (holder = 'fold') => new TallyFold(portsOf(house.tables, holder));
const never = new AbortController().signal;

async function expectRecount(endpointIds: readonly (string | undefined)[]): Promise<void> {
  const all = await house.deliveries();
  for (const period of KPI_PERIOD_NAMES) {
    for (const endpointId of endpointIds) {
      const named = endpointId === undefined ? {} : { endpointId };
      const ask = { period, tenantId: TENANT, ...named };
      const { byEndpoint, ...kpis } = await readKpis(portsOf(house.tables, 'reader'), ask);
      const states = Object.fromEntries(byEndpoint.map((one) => [one.endpointId, one.states]));
      const now = house.clock.now();
      expect({ ...kpis, byEndpoint: states }).toEqual(recount(all, { ...ask, now }));
    }
  }
}

/** Answers by chance, of a series that is the same each time. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}

async function someWeeks(next: () => number): Promise<readonly string[]> {
  const one = await house.register(receiver.url);
  const other = await house.register(`${receiver.url}/other`);
  const codes = [200, 204, 200, 204, 302, 404, 410 - 6, 429, 500, 503, 200];
  const retryAfter = ['1', '7200', '60'];
  receiver.reply = (response, received) => {
    const code = codes[Math.floor(next() * codes.length)] ?? 200;
    const after = retryAfter[Math.floor(next() * retryAfter.length)] ?? '1';
    replyWith(code, code === 429 ? { 'retry-after': after } : {})(response, received);
  };
  const steps = [1_000, 30_000, 8 * 60_000, HOUR_MS, 5 * HOUR_MS, 40 * HOUR_MS];
  for (let round = 0; round < 16; round++) {
    for (let number = 0; number < 5; number++) await house.tell({ batch_id: `b-${number}` });
    house.clock.advance(steps[Math.floor(next() * steps.length)] ?? 0);
    await house.send();
    if (next() < 0.2) await foldOf(`fold-${round}`).sweep(never);
  }
  // Some without an attempt yet.
  for (let number = 0; number < 3; number++) await house.tell({ batch_id: `late-${number}` });
  return [one.endpoint.endpointId, other.endpoint.endpointId];
}

/** Tables of a process that ends with its so manyeth write, done or not. */
function dyingAfter(tables: Tables, writes: number): Tables {
  let left = writes;
  const dying =
    <Args extends readonly unknown[], Answer>(write: (...args: Args) => Promise<Answer>) =>
    async (...args: Args): Promise<Answer> => {
      if (left-- <= 0) throw new Error('dead');
      const answer = await write(...args);
      if (left <= 0) throw new Error('dead');
      return answer;
    };
  return {
    ...tables,
    claim: dying(tables.claim as never) as Tables['claim'],
    giveBack: dying(tables.giveBack as never) as Tables['giveBack'],
    insertMissing: dying(tables.insertMissing as never) as Tables['insertMissing'],
    renew: dying(tables.renew as never) as Tables['renew'],
  };
}

onEachStore((makeHarness) => {
  beforeEach(async () => {
    house = await openHouse(makeHarness);
    receiver = await startReceiver();
  });

  afterEach(async () => {
    await house.close();
    await receiver.close();
  });

  test('figures equal a recount, whoever died while counting, and counted anew', async () => {
    const endpointIds = await someWeeks(chance(7));
    const first = endpointIds[0] ?? '';
    await sendTest(house, {
      actor: ACTOR,
      endpointId: first,
      requestedBy: ACTOR,
      tenantId: TENANT,
    });
    await expectRecount([undefined, ...endpointIds]);
    for (let step = 0; step < 24; step++) {
      const dead = new TallyFold(portsOf(dyingAfter(house.tables, step), `dead-${step}`));
      await dead.sweep(never).catch(() => undefined);
    }
    await expectRecount([undefined]);
    house.clock.advance(2_000);
    await foldOf().sweep(never);
    await expectRecount([undefined, ...endpointIds]);
    expect(await countAnew(portsOf(house.tables, 'fold'), TENANT)).toBe(true);
    await foldOf().sweep(never);
    await expectRecount([undefined, ...endpointIds]);
    const place = await house.tables.find(tallyPlaceTable, placeOf(TENANT));
    expect(place).toMatchObject({ round: 2, throughSeq: expect.any(Number) });
    expect(place?.throughSeq).toBeGreaterThan(12);
    expect(house.failures).toEqual([]);
  });

  test('nothing came: rates and times are null, and counts zero', async () => {
    const kpis = await readKpis(portsOf(house.tables, 'reader'), {
      period: 'last_7d',
      tenantId: TENANT,
    });
    expect(kpis).toMatchObject({
      byEndpoint: [],
      delayMs: undefined,
      isComplete: true,
      queue: { depth: 0, oldestAt: undefined },
      responseMs: undefined,
    });
    expect(kpis.series).toHaveLength(KPI_PERIODS.last_7d.buckets);
  });

  test('a queue is of all that is open, and an endpoint is shown as it fares', async () => {
    const { endpoint } = await house.register(receiver.url);
    const { endpointId } = endpoint;
    receiver.reply = replyWith(500);
    await house.tell({ batch_id: 'a' });
    const createdAt = house.clock.now();
    await house.send();
    house.clock.advance(3 * HOUR_MS);
    await house.worker.close(); // its counts are saved
    const kpis = await readKpis(portsOf(house.tables, 'reader'), {
      endpointId,
      period: 'last_1h',
      tenantId: TENANT,
    });
    expect(kpis.tally.states).toEqual({});
    expect(kpis.queue).toEqual({ depth: 1, oldestAt: createdAt });
    const day = await readKpis(portsOf(house.tables, 'reader'), {
      period: 'last_24h',
      tenantId: TENANT,
    });
    expect(day.byEndpoint).toMatchObject([
      { consecutiveFailures: 1, endpointId, states: { RETRYING: 1 } },
    ]);
    expect(await house.tables.find(endpointTable, { endpointId, tenantId: TENANT })).toMatchObject({
      consecutiveFailures: 1,
    });
  });

  test('thousands that wait are counted beside requests, which read few records', async () => {
    const { endpoint } = await house.register(receiver.url);
    const { endpointId } = endpoint;
    await house.tell({ batch_id: 'first' });
    const [first] = await house.deliveries();
    if (first === undefined) throw new Error('no delivery');
    const many = 2_500;
    for (let from = 0; from < many; from += 500) {
      const rows = Array.from({ length: 500 }, (_, place): WebhookDelivery => {
        const number = (from + place).toString(16).padStart(12, '0');
        return { ...first, deliveryId: `${first.deliveryId.slice(0, 24)}${number}` };
      });
      await house.tables.insertMissing(deliveryTable, rows);
    }
    await foldOf().sweep(never);
    let read = 0;
    const tables: Tables = {
      ...house.tables,
      page: async (table, ask) => {
        const page = await house.tables.page(table, ask);
        read += page.records.length;
        return page;
      },
    };
    const ask = { endpointId, period: 'last_1h', tenantId: TENANT } as const;
    const kpis = await readKpis(portsOf(tables, 'reader'), ask);
    expect(kpis.tally.states).toEqual({ PENDING: many + 1 });
    expect(kpis.queue.depth).toBe(many + 1);
    expect(read).toBeLessThan(2_500);
  });

  test('buckets that no period shows any more are removed', async () => {
    await house.register(receiver.url);
    await house.tell({ batch_id: 'a' });
    await house.send();
    await foldOf().sweep(never);
    const countOf = async () =>
      (await house.tables.page(bucketTallyTable, { index: 'key', limit: 100 })).records.length;
    expect(await countOf()).toBe(4);
    house.clock.advance(2 * HOUR_MS);
    await house.tables.purge(bucketTallyTable, house.clock.now() as EpochMs);
    expect(await countOf()).toBe(3);
    house.clock.advance(40 * 24 * HOUR_MS);
    await house.tables.purge(bucketTallyTable, house.clock.now() as EpochMs);
    expect(await countOf()).toBe(0);
    const period: KpiPeriod = 'last_30d';
    const kpis = await readKpis(portsOf(house.tables, 'reader'), { period, tenantId: TENANT });
    expect(kpis.tally.states).toEqual({});
  });
});
