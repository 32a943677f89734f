/** Workers that died, as another one sees them: by what stands still, and by no wall clock. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LeaseWatch, Standstill } from '#core/work';
import { systemClock } from '#platform/clock';
import { job, jobTable, type Model, openModel, TIMES } from './jobs.ts';

let model: Model;
beforeEach(() => {
  vi.useFakeTimers();
  model = openModel();
  model.seed(jobTable, job('t', 1), job('t', 2), job('u', 1));
});
afterEach(() => void vi.useRealTimers());

const watch = (isGone?: (holder: string) => boolean) =>
  new LeaseWatch({
    clock: systemClock,
    holder: 'watcher',
    leaseMs: TIMES.leaseMs,
    table: jobTable,
    tables: model.tables,
    ...(isGone && { isGone }),
  });

const lease = (tenantId: string, holder: string) =>
  model.tables.lease(jobTable, { holder, lane: [tenantId], limit: 1, now: systemClock.now() });
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const namesOf = (found: readonly { readonly record: { tenantId: string; jobNo: number } }[]) =>
  found.map(({ record: { jobNo, tenantId } }) => `${tenantId}${jobNo}`);

describe('a row is silent', () => {
  test('once it stood still for the length of its lease, as this watch saw', async () => {
    const [first] = await lease('t', 'a');
    await pass(60 * TIMES.leaseMs);
    const one = watch();
    expect(await one.silent()).toEqual([]);
    await pass(TIMES.leaseMs - 1);
    expect(await one.silent()).toEqual([]);
    await pass(1_001);
    expect(namesOf(await one.silent())).toEqual(['t1']);
    // A watch of another process has seen nothing of that.
    expect(await watch().silent()).toEqual([]);
    expect(first?.lease.tries).toBe(1);
  });

  test('not while its beat moves, nor where somebody else has taken it', async () => {
    const [mine] = await lease('t', 'a');
    if (mine === undefined) throw new Error('not leased');
    const one = watch();
    const key = { jobNo: 1, tenantId: 't' };
    const claim = mine.lease;
    for (let time = 0; time < 5; time++) {
      expect(await one.silent()).toEqual([]);
      await pass(TIMES.leaseMs - 1);
      await model.tables.renew(jobTable, { claim, key });
    }
    await model.tables.giveBack(jobTable, { claim, isTried: true, key });
    await lease('t', 'b');
    await pass(TIMES.leaseMs);
    expect(await one.silent()).toEqual([]);
  });

  test('at once where the process of its holder is known to be gone', async () => {
    await lease('t', 'a');
    await lease('u', 'gone');
    expect(namesOf(await watch((holder) => holder === 'gone').silent())).toEqual(['u1']);
  });

  test('and the store is not asked again within a second', async () => {
    const held = vi.spyOn(model.tables, 'held');
    const one = watch();
    await one.silent();
    await pass(999);
    await one.silent();
    expect(held).toHaveBeenCalledTimes(1);
    await pass(1);
    await one.silent();
    expect(held).toHaveBeenCalledTimes(2);
  });
});

describe('a silent row that is freed', () => {
  test('waits in its line again, and the try of the dead worker counts', async () => {
    await lease('t', 'dead');
    const one = watch(() => true);
    expect(namesOf(await one.free(await one.silent()))).toEqual(['t1']);
    const [again] = await lease('t', 'b');
    expect(again).toMatchObject({ lease: { tries: 2 }, record: { jobNo: 1 } });
  });

  test('is freed by one of several, and by none where its worker lives after all', async () => {
    const [mine] = await lease('t', 'a');
    if (mine === undefined) throw new Error('not leased');
    const one = watch(() => true);
    const other = watch(() => true);
    const seen = [await one.silent(), await other.silent()] as const;
    expect(await one.free(seen[0])).toHaveLength(1);
    expect(await other.free(seen[1])).toEqual([]);
    const [next] = await lease('t', 'b');
    if (next === undefined) throw new Error('not leased');
    await pass(1_000);
    const late = await one.silent();
    await model.tables.renew(jobTable, { claim: next.lease, key: next.record });
    expect(await one.free(late)).toEqual([]);
  });
});

test('a standstill is counted from the first look that saw it, and forgotten without one', () => {
  let now = 0;
  const still = new Standstill({ monotonicMs: () => now });
  const a = (pulse: string) => ({ name: 'a', pulse });
  expect(still.look([a('1'), { name: 'b', pulse: '1' }])).toEqual([0, 0]);
  now = 7;
  expect(still.look([a('1')])).toEqual([7]);
  expect(still.look([a('2')])).toEqual([0]);
  now = 9;
  expect(still.look([{ name: 'b', pulse: '1' }, a('2')])).toEqual([0, 2]);
});
