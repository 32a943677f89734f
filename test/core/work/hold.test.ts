/** A hold on one row: renewed while its worker lives, lost where it is not, and given back. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Leased } from '#core/kernel';
import { Hold, type HoldPorts, WorkLost } from '#core/work';
import { systemClock } from '#platform/clock';
import { type Job, job, jobTable, type Model, openModel, TIMES } from './jobs.ts';

const KEY = { jobNo: 1, tenantId: 't' };

let model: Model;
let ports: HoldPorts;
let isDown: boolean;
beforeEach(() => {
  vi.useFakeTimers();
  isDown = false;
  model = openModel();
  model.seed(jobTable, job('t', 1));
  const { tables } = model;
  ports = {
    clock: systemClock,
    tables: {
      giveBack: tables.giveBack,
      renew: async (...ask) => {
        if (isDown) throw new Error('the store is away');
        return tables.renew(...ask);
      },
    },
  };
});
afterEach(() => void vi.useRealTimers());

async function claimed(holder = 'a'): Promise<Leased<Job>> {
  const leased = await model.tables.claim(jobTable, { holder, key: KEY });
  if (leased === undefined) throw new Error('not claimed');
  return leased;
}

async function held(signal?: AbortSignal) {
  const options = { times: TIMES, ...(signal && { signal }) };
  return new Hold(ports, jobTable, await claimed(), options);
}

const stored = async () => (await model.tables.held(jobTable, { limit: 1 }))[0];
const takeOver = async (holder: string) => {
  const seen = (await stored())?.lease;
  if (seen === undefined) throw new Error('nobody has it');
  return model.tables.takeOver(jobTable, { holder, key: KEY, seen });
};

describe('while its worker lives', () => {
  test('the beat moves, with what was told meanwhile', async () => {
    const hold = await held();
    const before = (await stored())?.lease.beat ?? 0;
    hold.tell({ stage: 'first' });
    hold.tell({ stage: 'second' });
    expect((await stored())?.record.stage).toBeUndefined();
    await vi.advanceTimersByTimeAsync(TIMES.renewMs);
    expect(await stored()).toMatchObject({
      lease: { beat: before + 1 },
      record: { stage: 'second' },
    });
    expect(hold.record.stage).toBe('second');
    await vi.advanceTimersByTimeAsync(20 * TIMES.leaseMs);
    expect(hold.signal.aborted).toBe(false);
    await hold.end();
  });

  test('what is told is saved at once where that is asked', async () => {
    const hold = await held();
    hold.tell({ stage: 'read' });
    await hold.saveNow();
    expect((await stored())?.record.stage).toBe('read');
    hold.tell({ stage: undefined });
    await hold.saveNow();
    expect((await stored())?.record).not.toHaveProperty('stage');
    expect(hold.record).not.toHaveProperty('stage');
    await hold.end();
  });

  test('renewals are one after another, and those that wait become one', async () => {
    const asked: unknown[] = [];
    const first = Promise.withResolvers<void>();
    const renew: HoldPorts['tables']['renew'] = async (table, ask) => {
      asked.push(ask.work);
      if (asked.length === 1) await first.promise;
      return model.tables.renew(table, ask);
    };
    ports = { ...ports, tables: { ...ports.tables, renew } };
    const hold = await held();
    const saves = ['one', 'two', 'three'].map((stage) => {
      hold.tell({ stage });
      return hold.saveNow();
    });
    await vi.advanceTimersByTimeAsync(TIMES.renewMs);
    expect(asked).toEqual([{ stage: 'three' }]);
    hold.tell({ stage: 'four' });
    const last = hold.saveNow();
    first.resolve();
    await Promise.all([...saves, last]);
    expect(asked).toEqual([{ stage: 'three' }, { stage: 'four' }]);
    await hold.end();
  });

  test('its commits hold, and those of a worker who had the row before do not', async () => {
    const hold = await held();
    expect(model.apply('t', [hold.expected])).toBeUndefined();
    await takeOver('b');
    expect(model.apply('t', [hold.expected])).toBe(0);
    await hold.end();
  });
});

describe('it is lost', () => {
  test('with the first renewal after somebody else has taken it', async () => {
    const hold = await held();
    await takeOver('b');
    await vi.advanceTimersByTimeAsync(TIMES.renewMs);
    expect(hold.signal.reason).toBeInstanceOf(WorkLost);
    expect(await hold.giveBack({ isTried: false })).toBe(false);
    expect((await stored())?.lease.holder).toBe('b');
  });

  test('with the end of its row', async () => {
    const hold = await held();
    model.apply('t', [jobTable.put({ ...hold.record, result: 'done' })]);
    await hold.saveNow();
    expect(hold.signal.aborted).toBe(true);
  });

  test('where the store is away for the length of the lease, and not before', async () => {
    const hold = await held();
    hold.tell({ stage: 'kept' });
    isDown = true;
    await vi.advanceTimersByTimeAsync(TIMES.leaseMs - 1);
    isDown = false;
    await vi.advanceTimersByTimeAsync(TIMES.renewMs);
    expect(hold.signal.aborted).toBe(false);
    expect((await stored())?.record.stage).toBe('kept');
    isDown = true;
    await vi.advanceTimersByTimeAsync(TIMES.leaseMs + TIMES.renewMs);
    expect(hold.signal.aborted).toBe(true);
  });

  test('where the store does not answer for as long', async () => {
    const never = new Promise<boolean>(() => {});
    ports = { ...ports, tables: { ...ports.tables, renew: () => never } };
    const hold = await held();
    await vi.advanceTimersByTimeAsync(TIMES.leaseMs - 1);
    expect(hold.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(TIMES.renewMs);
    expect(hold.signal.reason).toBeInstanceOf(WorkLost);
  });
});

describe('it is given back', () => {
  test('for whoever is next, and the try counts or does not', async () => {
    const first = await held();
    expect(await first.giveBack({ isTried: false, work: { stage: 'handed on' } })).toBe(true);
    expect(first.signal.aborted).toBe(true);
    const second = await held();
    expect(second.lease.tries).toBe(1);
    expect(second.record.stage).toBe('handed on');
    await second.giveBack({ isTried: true });
    expect((await claimed()).lease.tries).toBe(2);
  });

  test('once: what comes after it writes nothing', async () => {
    const hold = await held();
    await hold.giveBack({ isTried: false });
    const other = await claimed('b');
    await hold.saveNow();
    expect(await hold.giveBack({ isTried: true })).toBe(false);
    expect((await stored())?.lease).toEqual(other.lease);
  });

  test('also by a worker that stops, with its own reason to those who work', async () => {
    const stop = new AbortController();
    const hold = await held(stop.signal);
    stop.abort(new Error('the worker stops'));
    expect(hold.signal.reason).toMatchObject({ message: 'the worker stops' });
    expect(await hold.giveBack({ isTried: false })).toBe(true);
    expect(await stored()).toBeUndefined();
  });
});
