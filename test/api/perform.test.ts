/** The tokens that a call takes, and when. */
import { expect, test } from 'vitest';
import { gatewayOf, headerOf, jsonOf, openLimiter, post, postOf } from './fakes.ts';

test('a costly body takes further tokens once it is known to be good', async () => {
  const taken: (number | undefined)[] = [];
  const take = async (_: unknown, __: unknown, further?: number) => {
    taken.push(further);
    const headers = [['x-ratelimit-remaining', String(99 - (further ?? 0))] as const];
    return { allowed: (further ?? 0) < 50, headers, retryAfterS: 3 };
  };
  let done = 0;
  const tokensOf = (body: unknown) => (body as { name: string }).name.length * 20;
  const handle = async () => ({ body: String(++done), status: 200 });
  const gateway = gatewayOf([postOf({ handle, tokensOf })], {
    rateLimiter: { ...openLimiter, take },
  });
  expect((await post(gateway, '{"name":1}')).status).toBe(400);
  expect(taken.splice(0)).toEqual([undefined]);
  const passed = await post(gateway, '{"name":"a"}');
  expect([passed.status, headerOf(passed, 'x-ratelimit-remaining')]).toEqual([200, '80']);
  expect(taken.splice(0)).toEqual([undefined, 19]);
  const refused = await post(gateway, '{"name":"abc"}');
  expect([refused.status, jsonOf(refused).code]).toEqual([429, 'rate-limited']);
  expect([headerOf(refused, 'retry-after'), done]).toEqual(['3', 1]);
  expect((await post(gateway, '{"name":""}')).status).toBe(200);
  expect(taken).toEqual([undefined, 59, undefined]);
});
