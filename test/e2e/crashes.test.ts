/** Processes that are killed: what was acknowledged stays, and nobody is left behind. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import {
  type Acknowledged,
  cleanUp,
  type FirstRun,
  isAlive,
  isRedisHere,
  newFolder,
  type Product,
  screen,
  startProduct,
} from './product.ts';

const KILLS = 2;
const RAISED = ['burst', 'requests_per_second', 'screening_per_second'].map(
  (name) => `limits.${name}=100000`,
);

/** Screens until told to stop; answers what was acknowledged. */
async function load(first: FirstRun, until: AbortSignal): Promise<Acknowledged[]> {
  const acknowledged: Acknowledged[] = [];
  const client = async (): Promise<void> => {
    while (!until.aborted) {
      const answer = await screen(first, 'Ilvana Dostrekova');
      if (answer?.status === 200) acknowledged.push(answer.body);
      // Refused or cut off: no flood.
      else await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  await Promise.all(Array.from({ length: 8 }, client));
  return acknowledged;
}

async function exported(
  product: Product,
  first: FirstRun,
): Promise<{ report: string; text: string }> {
  const out = join(newFolder(), 'evidence.jsonl');
  await product.cli('audit', 'export', '--tenant', first.tenant_id, '--out', out);
  await product.cli('keys', 'public', '--out', `${out}.keys`);
  const verified = await product.cli('audit', 'verify', '--file', out, '--keys', `${out}.keys`);
  return { report: verified.stdout, text: readFileSync(out, 'utf8') };
}

describe.skipIf(!isRedisHere)('kill -9', () => {
  afterAll(cleanUp);

  test('of the gateway under load loses no acknowledged evidence, and it comes back', async () => {
    const product = startProduct(join(newFolder(), 'data'));
    const first = await product.ready();
    await product.cli('tenant', 'set', first.tenant_id, ...RAISED);
    const stop = new AbortController();
    const loading = load(first, stop.signal);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const { gateway } = await product.children();
      const until = { interval: 50, timeout: 120_000 };
      await vi.waitUntil(async () => (await screen(first, 'Somebody Else'))?.status === 200, until);
      process.kill(gateway ?? 0, 'SIGKILL');
      const isBack = async () => ![undefined, gateway].includes((await product.children()).gateway);
      await vi.waitUntil(isBack, until);
    }
    await vi.waitUntil(async () => (await screen(first, 'Somebody Else'))?.status === 200, {
      interval: 50,
      timeout: 120_000,
    });
    stop.abort();
    const acknowledged = await loading;
    const { report, text } = await exported(product, first);
    expect(report).toMatch(/^good: /);
    expect(acknowledged.length).toBeGreaterThan(0);
    const lost = acknowledged.filter(({ audit }) => !text.includes(`"hash":"${audit.hash}"`));
    expect(lost).toEqual([]);
    const seqs = acknowledged.map(({ audit }) => audit.seq);
    expect(new Set(seqs).size).toBe(seqs.length);
    expect((await product.interrupt()).code).toBe(0);
  });

  test('of Redis costs no answer, and it comes back', async () => {
    const product = startProduct(join(newFolder(), 'data'));
    const first = await product.ready();
    const { redis } = await product.children();
    process.kill(redis ?? 0, 'SIGKILL');
    expect((await screen(first, 'Tarek Velmorani'))?.status).toBe(200);
    const isBack = async () => ![undefined, redis].includes((await product.children()).redis);
    await vi.waitUntil(isBack, { interval: 50, timeout: 120_000 });
    expect((await product.interrupt()).code).toBe(0);
  });

  test('of the supervisor ends its children, and the next start works', async () => {
    const dataDir = join(newFolder(), 'data');
    const product = startProduct(dataDir);
    const first = await product.ready();
    const children = Object.values(await product.children());
    product.process.kill('SIGKILL');
    await vi.waitUntil(() => children.every((pid) => !isAlive(pid)), { timeout: 120_000 });
    const next = startProduct(dataDir);
    const again = await next.ready();
    expect(again.api_key).toBe(first.api_key);
    expect((await screen(again, 'Tarek Velmorani'))?.body.decision).toBe('MATCH_DIRECT_SANCTIONS');
    expect((await next.interrupt()).code).toBe(0);
  });
});
