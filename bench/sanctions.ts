/**
 * The sanctions service over HTTP, as a tenant has it: screenings, then the list of them with its
 * chain check, the first page of a gateway apart from those behind it, then all of them repeated.
 * And how long an alert takes from the answer of its screening to a stream that waits for it.
 *
 * Goals: a list of 1,000 within 500 ms, 200 replays a second, an alert within a second. Not a goal:
 * retrieval, since the shipped list is small (`http` and `engine` measure it).
 *
 *   --count N   screenings (1,000)
 */
import assert from 'node:assert/strict';
import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { type Product, raiseLimits, startProduct } from './product.ts';
import type { BenchOptions, BenchRow } from './row.ts';

const SUITE = 'sanctions';
const SCREENINGS = { smoke: 20, whole: 1_000 };
const ALERTS = { smoke: 2, whole: 20 };
const WARM_PAGES = 5;
const PAGE_MAX = 1_000;
const IN_FLIGHT = 16;
const LISTED = 'Tarek Velmorani';
const LOOK_MS = 50;
const REPLAYS_MS_MAX = 600_000;

export async function rows({ count, smoke }: BenchOptions): Promise<BenchRow[]> {
  const kind = smoke ? 'smoke' : 'whole';
  const total = count ?? SCREENINGS[kind];
  const product = await startProduct();
  try {
    await raiseLimits(product);
    const cpuBefore = await product.cpuSeconds();
    const screened = await each(range(total), async (at) => {
      const name = at % 10 === 0 ? LISTED : `Nobody Atall ${at}`;
      return screen(product, name);
    });
    const cpu = (await product.cpuSeconds()) - cpuBefore;
    const cold = await pageMs(product, total);
    const warm: number[] = [];
    for (let page = 0; page < WARM_PAGES; page++) warm.push((await pageMs(product, total)).ms);
    const replays = await replayAll(product, screened.values);
    const seen = await alertsSeen(product, ALERTS[kind]);
    const load = (loadavg()[0] ?? 0).toFixed(1);
    const data = `${total} screenings of the shipped list; load average ${load}`;
    const head = { data, size: `${total}`, suite: SUITE };
    const checksum = `${cold.shown} shown, ${replays.identical} identical`;
    return [
      { ...head, checksum, id: 'sanctions/screen', ours: total / screened.seconds, unit: '/s' },
      { ...head, id: 'sanctions/screen-processor', ours: total / cpu, unit: '/CPU-s' },
      { ...head, id: 'sanctions/list-cold', ours: cold.ms, unit: 'ms' },
      { ...head, id: 'sanctions/list-warm', ours: at(warm, 0.5), unit: 'ms p50' },
      { ...head, id: 'sanctions/replay', ours: total / replays.seconds, unit: '/s' },
      {
        ...head,
        id: 'sanctions/alert-seen',
        ours: at(seen, 0.95),
        p50_ms: at(seen, 0.5),
        p95_ms: at(seen, 0.95),
        unit: 'ms p95',
      },
    ];
  } finally {
    await product.stop();
  }
}

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

/** So many at once; their answers in order, and how long all took. */
async function each<Of, Value>(all: readonly Of[], work: (one: Of) => Promise<Value>) {
  const startedAt = performance.now();
  const values: Value[] = [];
  let next = 0;
  const run = async (): Promise<void> => {
    for (let place = next++; place < all.length; place = next++) {
      values[place] = await work(all[place] as Of);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, run));
  return { seconds: (performance.now() - startedAt) / 1e3, values };
}

async function ask<Answer>(product: Product, path: string, body?: object): Promise<Answer> {
  const answer = await fetch(`${product.origin}${path}`, {
    headers: {
      'Content-Type': 'application/json',
      'X-API-Key': product.apiKey,
      ...(body !== undefined && { 'Idempotency-Key': crypto.randomUUID() }),
    },
    ...(body !== undefined && { body: JSON.stringify(body), method: 'POST' }),
  });
  const text = await answer.text();
  assert(answer.ok, `${path}: ${answer.status} ${text}`);
  return JSON.parse(text) as Answer;
}

const screen = async (product: Product, name: string): Promise<string> => {
  const answer = await ask<{ screening_id: string }>(product, '/v1/sanctions/screen', { name });
  return answer.screening_id;
};

/** One page with as many as there are, or the most that a page has. */
async function pageMs(product: Product, total: number) {
  const startedAt = performance.now();
  const limit = Math.min(total, PAGE_MAX);
  const path = `/v1/sanctions/screenings?limit=${limit}`;
  const page = await ask<{ chain: { status: string }; data: readonly object[] }>(product, path);
  assert.equal(page.chain.status, 'verified');
  assert.equal(page.data.length, limit);
  return { ms: performance.now() - startedAt, shown: page.data.length };
}

/** From the first order to the last result. */
async function replayAll(product: Product, ids: readonly string[]) {
  const startedAt = performance.now();
  const orders = await each(ids, async (id) => {
    const path = `/v1/sanctions/screenings/${id}`;
    const { replay_id } = await ask<{ replay_id: string }>(product, `${path}/replay`, {});
    return `${path}/replays/${replay_id}`;
  });
  let open = orders.values;
  let identical = 0;
  while (open.length > 0) {
    assert(performance.now() - startedAt < REPLAYS_MS_MAX, `${open.length} replays do not end`);
    // They end in their order, more or less: the first that is open tells.
    const [first = ''] = open;
    const { status } = await ask<{ status: string }>(product, first);
    if (status === 'queued' || status === 'running') await delay(LOOK_MS);
    else {
      assert.equal(status, 'identical', first);
      identical += 1;
      open = open.slice(1);
    }
  }
  return { identical, seconds: (performance.now() - startedAt) / 1e3 };
}

/** Milliseconds from the answer of a screening to its alert in a stream. */
async function alertsSeen(product: Product, count: number): Promise<readonly number[]> {
  const end = new AbortController();
  const stream = await fetch(`${product.origin}/v1/aml/alerts/stream`, {
    headers: { 'X-API-Key': product.apiKey },
    signal: end.signal,
  });
  assert(stream.ok && stream.body !== null, `stream: ${stream.status}`);
  const reader = stream.body.pipeThrough(new TextDecoderStream()).getReader();
  const times: number[] = [];
  let text = '';
  for (let round = 0; round < count; round++) {
    const id = await screen(product, LISTED);
    const answeredAt = performance.now();
    while (!text.includes(id)) {
      const { done, value = '' } = await reader.read();
      assert(!done, 'the stream goes on');
      text += value;
    }
    text = '';
    times.push(performance.now() - answeredAt);
  }
  end.abort();
  return times;
}

function at(times: readonly number[], share: number): number {
  const sorted = times.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
