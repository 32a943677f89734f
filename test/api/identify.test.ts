/** Finding out who calls: bounded before the work, free for whoever is known to be good. */
import { describe, expect, test } from 'vitest';
import { DomainError } from '#core/kernel';
import { createIdentify } from '../../src/api/identify.ts';
import { fakeRequest, openLimiter, PRINCIPAL } from './fakes.ts';

const GOOD = 'good';

/** A process with so many tokens for one network, and none that come by time. */
function processOf(tokens: number, given: { store?: 'down'; delayed?: Promise<void> } = {}) {
  const seen = { refused: 0, worked: 0 };
  const good = new Set([GOOD]);
  let left = tokens;
  const decided = (allowed: boolean) => ({ allowed, headers: [], retryAfterS: allowed ? 0 : 1 });
  const identify = createIdentify({
    authenticator: {
      async authenticate(request) {
        seen.worked++;
        await given.delayed;
        if (given.store === 'down') throw new DomainError('store-unavailable');
        const key = request.header('x-api-key');
        if (key === undefined) throw new DomainError('credential-missing');
        if (key === 'one factor') throw new DomainError('mfa-required');
        if (!good.has(key)) throw new DomainError('credential-invalid');
        return PRINCIPAL;
      },
    },
    rateLimiter: {
      ...openLimiter,
      returnUnknown: () => void left++,
      takeAnonymous: async () => {
        seen.refused++;
        return decided(true);
      },
      takeUnknown: () => {
        if (left === 0) return decided(false);
        left--;
        return decided(true);
      },
    },
  });
  const call = (key?: string) => {
    const headers = key === undefined ? {} : { 'x-api-key': key };
    return identify(fakeRequest({ headers, path: '/v1/things' }), { rateHeaders: undefined }).then(
      () => 'identified',
      (error: DomainError) => error.code,
    );
  };
  return { call, good, left: () => left, seen };
}

const times = <Value>(count: number, of: (at: number) => Value): Value[] =>
  Array.from({ length: count }, (_, at) => of(at));

describe('who calls', () => {
  test('guesses cost no work once the tokens are gone, in turns or at once', async () => {
    for (const atOnce of [true, false]) {
      const { call, seen } = processOf(10);
      const codes: string[] = [];
      if (atOnce) codes.push(...(await Promise.all(times(1_000, (at) => call(`guess-${at}`)))));
      else for (let at = 0; at < 1_000; at++) codes.push(await call(`guess-${at}`));
      expect(codes.filter((code) => code === 'credential-invalid')).toHaveLength(10);
      expect(codes.filter((code) => code === 'rate-limited')).toHaveLength(990);
      expect(seen).toEqual({ refused: 10, worked: 10 });
    }
  });

  test('one wrong credential sent a thousand times at once is no way around', async () => {
    const { call, seen } = processOf(10);
    await Promise.all(times(1_000, () => call('guess')));
    expect(seen.worked).toBe(10);
  });

  test('none at all costs a token, too', async () => {
    const { call, seen } = processOf(3);
    const codes = await Promise.all(times(5, () => call()));
    const missing = times(3, () => 'credential-missing');
    expect(codes).toEqual([...missing, 'rate-limited', 'rate-limited']);
    expect(seen.worked).toBe(3);
  });

  test('a good one pays nothing, however many come at once', async () => {
    const { call, left } = processOf(1);
    expect(new Set(await Promise.all(times(500, () => call(GOOD))))).toEqual(
      new Set(['identified']),
    );
    expect(left()).toBe(1);
    // The tokens of its address are gone by another's guesses, and it goes on.
    await call('guess');
    expect(await call('other guess')).toBe('rate-limited');
    expect(await call(GOOD)).toBe('identified');
  });

  test('one that is no longer good pays as any other', async () => {
    const { call, good, left, seen } = processOf(2);
    expect(await call(GOOD)).toBe('identified');
    good.delete(GOOD);
    expect(await call(GOOD)).toBe('credential-invalid');
    expect([left(), seen.refused]).toEqual([2, 1]);
    const codes = [await call(GOOD), await call(GOOD), await call(GOOD)];
    expect(codes).toEqual(['credential-invalid', 'credential-invalid', 'rate-limited']);
  });

  test('one that is known and may not come in is no way around, either', async () => {
    const { call, seen } = processOf(3);
    const codes: string[] = [];
    for (let at = 0; at < 5; at++) codes.push(await call('one factor'));
    const refused = times(3, () => 'mfa-required');
    expect(codes).toEqual([...refused, 'rate-limited', 'rate-limited']);
    expect(seen).toEqual({ refused: 0, worked: 3 });
  });

  test('a store that is down says nothing against a caller', async () => {
    const { call, left } = processOf(1, { store: 'down' });
    for (let at = 0; at < 5; at++) expect(await call(GOOD)).toBe('store-unavailable');
    expect(left()).toBe(1);
  });
});
