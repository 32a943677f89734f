/** The bound on staleness, on loads that the test answers by hand. */
import { describe, expect, test } from 'vitest';
import { createFreshCache } from '#core/identity';
import { movableClock } from './memory.ts';

function setUp(entriesMax = 10) {
  const { clock, pass } = movableClock();
  const loads: { key: string; resolve(value: string): void; reject(error: Error): void }[] = [];
  const cache = createFreshCache<string>({
    ageMsMax: 2_000,
    clock,
    entriesMax,
    load: (key) =>
      new Promise((resolve, reject) => {
        loads.push({ key, reject, resolve });
      }),
  });
  const answer = (value: string) => loads.at(-1)?.resolve(value);
  return { answer, cache, loads, pass };
}

describe('the fresh cache', () => {
  test('callers at once share one load', async () => {
    const { answer, cache, loads } = setUp();
    const both = [cache.get('a'), cache.get('a')];
    answer('1');
    expect(await Promise.all(both)).toEqual(['1', '1']);
    expect(loads).toHaveLength(1);
    expect(cache.get('a')).toBe('1');
  });

  test('age counts from before the load', async () => {
    const { answer, cache, loads, pass } = setUp();
    const first = cache.get('a');
    pass(1_500);
    answer('1');
    await first;
    pass(500);
    expect(cache.get('a')).toBeInstanceOf(Promise);
    expect(loads).toHaveLength(2);
  });

  test('from half its age on a value is renewed behind the caller', async () => {
    const { answer, cache, loads, pass } = setUp();
    const first = cache.get('a');
    answer('1');
    await first;
    pass(1_000);
    expect(cache.get('a')).toBe('1');
    expect(cache.get('a')).toBe('1');
    expect(loads).toHaveLength(2);
    answer('2');
    await Promise.resolve();
    expect(cache.get('a')).toBe('2');
    pass(1_900);
    expect(cache.get('a')).toBe('2');
  });

  test('a renewal that fails leaves the value until its age is reached', async () => {
    const { answer, cache, loads, pass } = setUp();
    const first = cache.get('a');
    answer('1');
    await first;
    pass(1_000);
    cache.get('a');
    loads.at(-1)?.reject(new Error('down'));
    await Promise.resolve();
    expect(cache.get('a')).toBe('1');
    pass(1_000);
    const late = cache.get('a');
    loads.at(-1)?.reject(new Error('down'));
    await expect(late).rejects.toThrow('down');
  });

  test('a value forgotten while it loads is not kept', async () => {
    const { answer, cache } = setUp();
    const first = cache.get('a');
    cache.forget('a');
    answer('old');
    expect(await first).toBe('old');
    const second = cache.get('a');
    answer('new');
    expect(await second).toBe('new');
  });

  test('holds no more than its bound', async () => {
    const { answer, cache, loads } = setUp(2);
    for (const key of ['a', 'b', 'c']) {
      const value = cache.get(key);
      answer(key);
      await value;
    }
    expect(cache.get('c')).toBe('c');
    expect(cache.get('a')).toBeInstanceOf(Promise);
    expect(loads.map(({ key }) => key)).toEqual(['a', 'b', 'c', 'a']);
  });
});
