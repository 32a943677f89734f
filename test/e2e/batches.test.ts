/** Batches of the running product: sent over HTTP, whole whatever dies meanwhile, and proven. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { expectProven, expectReviewed, expectWhole, prepare, submit } from './batchSteps.ts';
import { cleanUp, isRedisHere, newFolder, type Product, startProduct } from './product.ts';

const CANCELED_MS = 5_000;

/** A flush, and a death, of the Redis that the supervisor started. */
async function loseRedis(product: Product): Promise<void> {
  const { redis = 0 } = await product.children();
  const args = execFileSync('ps', ['-o', 'args=', '-p', String(redis)], { encoding: 'utf8' });
  const socket = /unixsocket:(\S+)/.exec(args)?.[1] ?? `no socket in ${args}`;
  expect(execFileSync('redis-cli', ['-s', socket, 'FLUSHALL'], { encoding: 'utf8' })).toBe('OK\n');
  process.kill(redis, 'SIGKILL');
}

describe.skipIf(!isRedisHere)('a batch', () => {
  afterAll(cleanUp);

  test('is whole and proven though worker, gateway and Redis die on the way', async () => {
    const SUBJECTS = 12_000;
    const product = startProduct(join(newFolder(), 'data'));
    const first = await prepare(product);
    const batch = await submit(first, SUBJECTS);

    await batch.until(({ subjects_processed }) => subjects_processed > 0);
    const { worker = 0 } = await product.children();
    process.kill(worker, 'SIGKILL');
    await loseRedis(product);
    const atDeath = await batch.see();
    await batch.until(({ subjects_processed }) => {
      return subjects_processed > (atDeath?.subjects_processed ?? 0);
    });
    const { gateway = 0 } = await product.children();
    process.kill(gateway, 'SIGKILL');
    await expectWhole(batch, SUBJECTS);
    await expectReviewed(batch);
    await expectProven(product, batch);
    expect((await product.interrupt()).code).toBe(0);
  });

  test('is canceled within five seconds, and what was found stays', async () => {
    const product = startProduct(join(newFolder(), 'data'));
    const first = await prepare(product);
    const batch = await submit(first, 20_000);
    await batch.until(({ subjects_processed }) => subjects_processed > 0);
    const since = performance.now();
    const answer = await batch.ask('/cancel', { method: 'POST' });
    expect(answer.status).toBe(200);
    const canceled = await batch.until(({ status }) => status === 'canceled');
    expect(performance.now() - since).toBeLessThan(CANCELED_MS);
    const next = await submit(first, 1_000);
    await next.completed();
    expect((await batch.see())?.subjects_processed).toBe(canceled.subjects_processed);
    expect((await product.interrupt()).code).toBe(0);
  });
});
