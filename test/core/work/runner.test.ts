/** The runner of a kind of leased work, over the model: turns, tries, poison, pauses, the end. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type Fault,
  type Hold,
  LeasedRunner,
  type LeasedWork,
  Room,
  type RunnerOptions,
  WorkLost,
} from '#core/work';
import { systemClock } from '#platform/clock';
import { quietLog } from '../../workers/quietWorker.ts';
import { dueTable, type Job, job, jobTable, kindOf, type Model, openModel } from './jobs.ts';

type JobHold = Hold<Job, 'tenantId' | 'jobNo'>;
type JobKind = LeasedWork<Job, 'tenantId' | 'jobNo'>;

let model: Model;
let room: Room;
beforeEach(() => {
  vi.useFakeTimers();
  model = openModel();
  room = new Room();
});
afterEach(() => void vi.useRealTimers());

const start = (kind: JobKind, options: Partial<RunnerOptions> = {}) =>
  new LeasedRunner(kind, {
    clock: systemClock,
    holder: 'a',
    log: quietLog,
    room,
    tables: model.tables,
    ...options,
  });

const lanes = (...tenants: string[]) =>
  tenants.map((tenantId) => ({ lane: [tenantId], name: tenantId, tenantId }));
const rows = (...jobs: Job[]) =>
  jobs.map(({ jobNo, tenantId }) => ({
    key: { jobNo, tenantId },
    name: `${tenantId}${jobNo}`,
    tenantId,
  }));
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const nameOf = ({ record: { jobNo, tenantId } }: Pick<JobHold, 'record'>) => `${tenantId}${jobNo}`;
const done = async (hold: JobHold): Promise<void> => {
  model.apply(hold.record.tenantId, [jobTable.put({ ...hold.record, result: 'done' })]);
};
const held = () => model.tables.held(jobTable, { limit: 10 });

/** Workers that began the first job of tenant t, and died. */
async function begunAndDied(times: number): Promise<void> {
  await model.tables.lease(jobTable, { holder: 'dead/1', lane: ['t'], limit: 1, now: 0 as never });
  for (let time = 2; time <= times; time++) {
    const seen = (await held())[0];
    if (seen === undefined) throw new Error('nobody has it');
    const ask = { holder: `dead/${time}`, key: seen.record, seen: seen.lease };
    await model.tables.takeOver(jobTable, ask);
  }
}

describe('what is offered', () => {
  test('is done lane by lane in turns, until nothing waits', async () => {
    model.seed(jobTable, job('t', 1), job('t', 2), job('t', 3), job('u', 1));
    const order: string[] = [];
    const runner = start(
      kindOf({
        work: async (hold) => {
          order.push(nameOf(hold));
          await done(hold);
        },
      }),
    );
    runner.offer(lanes('t', 'u'));
    await pass(0);
    expect(order).toEqual(['t1', 'u1', 't2', 't3']);
    expect(await held()).toEqual([]);
    await runner.close();
  });

  test('is done by as many as may, of one tenant by fewer, and each row by one', async () => {
    const jobs = [job('t', 1), job('t', 2), job('t', 3), job('u', 1)];
    model.seed(jobTable, ...jobs);
    const inHand = new Map<string, PromiseWithResolvers<void>>();
    const runner = start(
      kindOf({
        atOnce: 3,
        atOncePerTenant: 2,
        work: async (hold) => {
          const goOn = Promise.withResolvers<void>();
          inHand.set(nameOf(hold), goOn);
          await goOn.promise;
          inHand.delete(nameOf(hold));
          await done(hold);
        },
      }),
    );
    runner.offer(rows(...jobs));
    runner.offer(rows(...jobs));
    await pass(0);
    expect([...inHand.keys()].sort()).toEqual(['t1', 't2', 'u1']);
    inHand.get('u1')?.resolve();
    await pass(0);
    expect([...inHand.keys()].sort()).toEqual(['t1', 't2']);
    inHand.get('t1')?.resolve();
    await pass(0);
    expect([...inHand.keys()].sort()).toEqual(['t2', 't3']);
    for (const { resolve } of inHand.values()) resolve();
    await runner.close();
  });

  test('is left where nothing may be taken just now', async () => {
    model.seed(jobTable, job('t', 1));
    let mayTake = false;
    const runner = start(kindOf({ mayTake: () => mayTake, work: done }));
    runner.offer(lanes('t'));
    await pass(0);
    expect(model.records(jobTable)[0]?.result).toBeUndefined();
    mayTake = true;
    runner.offer(lanes('t'));
    await pass(0);
    expect(model.records(jobTable)[0]?.result).toBe('done');
    await runner.close();
  });
});

describe('work that fails', () => {
  async function failing(code: string, kind: Partial<JobKind> = {}) {
    model.seed(jobTable, job('t', 1));
    const faults: [string, Fault][] = [];
    let begun = 0;
    const note = (what: string) => async (_: JobHold, fault: Fault) => {
      faults.push([what, fault]);
      return { stage: fault.code };
    };
    const runner = start(
      kindOf({
        giveUp: async (hold, fault) => void (await note('given up')(hold, fault)),
        heldUp: note('held up'),
        work: async () => {
          begun++;
          throw new Error(code);
        },
        ...kind,
      }),
    );
    return { begunBy: () => begun, faults, runner };
  }

  test('for a while waits, says why, and no try of it counts', async () => {
    const { begunBy, faults, runner } = await failing('full');
    for (let time = 1; time <= 9; time++) {
      runner.offer(lanes('t'));
      await pass(0);
      runner.offer(lanes('t'));
      await pass(4_999);
      expect(begunBy()).toBe(time);
      await pass(1);
    }
    expect(model.records(jobTable)[0]?.stage).toBe('full');
    expect(faults.every(([what]) => what === 'held up')).toBe(true);
    const [next] = await model.tables.lease(jobTable, {
      holder: 'b',
      lane: ['t'],
      limit: 1,
      now: systemClock.now(),
    });
    expect(next?.lease.tries).toBe(1);
    await runner.close();
  });

  test('each time is given up after so many tries, and is in nobody’s hands then', async () => {
    const { begunBy, faults, runner } = await failing('of its own');
    for (let time = 1; time <= 9; time++) {
      runner.offer(lanes('t'));
      await pass(5_000);
      if (faults.some(([what]) => what === 'given up')) break;
    }
    expect(begunBy()).toBe(4);
    expect(faults.at(-1)).toEqual([
      'given up',
      { code: 'of its own', error: new Error('of its own'), isFinal: false },
    ]);
    expect(await held()).toEqual([]);
    await runner.close();
  });

  test('for good is given up at once', async () => {
    const { begunBy, faults, runner } = await failing('broken');
    runner.offer(lanes('t'));
    await pass(0);
    expect([begunBy(), faults.map(([what, { isFinal }]) => [what, isFinal])]).toEqual([
      1,
      [['given up', true]],
    ]);
    await runner.close();
  });

  test('with its row in other hands is no failure', async () => {
    const { faults, runner } = await failing('', {
      work: async () => {
        throw new WorkLost('another worker has it');
      },
    });
    runner.offer(lanes('t'));
    await pass(0);
    expect(faults).toEqual([]);
    await runner.close();
  });

  test('is due again after its pause where its table says when', async () => {
    model.seed(dueTable, { ...job('t', 1), dueAt: 0 });
    const runner = start(
      kindOf({
        table: dueTable,
        work: async () => {
          throw new Error('of its own');
        },
      }),
    );
    runner.offer(lanes('t'));
    await pass(0);
    expect(model.records(dueTable)[0]?.dueAt).toBe(systemClock.now() + 5_000);
    await runner.close();
  });

  test('leaves the others of its lane their turn where its table says when it is due', async () => {
    for (const jobNo of [1, 2, 3]) model.seed(dueTable, { ...job('t', jobNo), dueAt: 0 });
    const tried: number[] = [];
    const runner = start(
      kindOf({
        table: dueTable,
        work: async ({ record }) => {
          tried.push(record.jobNo);
          throw new Error('of its own');
        },
      }),
    );
    runner.offer(lanes('t'));
    await pass(0);
    runner.offer(lanes('t'));
    await pass(0);
    expect(tried.sort()).toEqual([1, 2, 3]);
    await runner.close();
  });

  test('to be taken waits for the store, not at once', async () => {
    model.seed(jobTable, job('t', 1));
    let asked = 0;
    const tables = {
      ...model.tables,
      lease: async () => {
        asked++;
        throw new Error('the store is away');
      },
    };
    const runner = start(kindOf({ work: done }), { tables });
    for (let time = 0; time < 4; time++) {
      runner.offer(lanes('t'));
      await pass(2_500);
    }
    expect(asked).toBe(2);
    await runner.close();
  });
});

describe('work that its workers died of', () => {
  test('is done alone, once what is beside it has ended', async () => {
    model.seed(jobTable, job('t', 1), job('u', 1));
    await begunAndDied(2);
    const steps: string[] = [];
    const goOn = Promise.withResolvers<void>();
    const runner = start(
      kindOf({
        atOnce: 2,
        work: async (hold) => {
          const name = nameOf(hold);
          steps.push(name);
          if (name === 'u1') await goOn.promise;
          await done(hold);
          steps.push(`${name} ended`);
        },
      }),
      { isGone: (holder) => holder.startsWith('dead') },
    );
    runner.offer(lanes('u'));
    await pass(0);
    // The dead worker's row is free, and its third try is a suspect's.
    await runner.freeSilent();
    runner.offer(lanes('t'));
    await pass(0);
    model.seed(jobTable, job('u', 2));
    runner.offer(lanes('t', 'u'));
    await pass(0);
    expect([steps, room.isOpen]).toEqual([['u1'], false]);
    await pass(60_000);
    expect((await held()).map(({ record }) => `${record.tenantId}${record.jobNo}`)).toEqual([
      't1',
      'u1',
    ]);
    goOn.resolve();
    await pass(0);
    expect(steps).toEqual(['u1', 'u1 ended', 't1', 't1 ended', 'u2', 'u2 ended']);
    await runner.close();
  });

  test('more often than its plan allows is given up without a try', async () => {
    model.seed(jobTable, job('t', 1));
    await begunAndDied(4);
    const told: unknown[] = [];
    const runner = start(
      kindOf({
        giveUp: async ({ lease: { tries } }, fault) => void told.push(tries, fault),
        work: async () => void told.push('begun'),
      }),
      { isGone: () => true },
    );
    await runner.freeSilent();
    runner.offer(lanes('t'));
    await pass(0);
    expect(told).toEqual([5, { code: 'internal', isFinal: false }]);
    await runner.close();
  });

  test('is told of by the one who freed it', async () => {
    model.seed(jobTable, job('t', 1));
    await begunAndDied(1);
    const freed: unknown[] = [];
    const kind = kindOf({ freed: (records) => freed.push(...records), work: done });
    const runners = [start(kind), start(kind, { holder: 'b' })];
    for (const runner of runners) await runner.freeSilent();
    await pass(kind.times.leaseMs);
    for (const runner of runners) await runner.freeSilent();
    expect(freed).toEqual([job('t', 1)]);
    await Promise.all(runners.map((runner) => runner.close()));
  });
});

describe('a worker that stops', () => {
  test('leaves what has just failed to its own end, whose try counts', async () => {
    model.seed(jobTable, job('t', 1));
    const goOn = Promise.withResolvers<void>();
    const runner = start(
      kindOf({
        heldUp: async () => {
          await goOn.promise;
          return {};
        },
        work: async () => {
          throw new Error('of its own');
        },
      }),
    );
    runner.offer(lanes('t'));
    await pass(0);
    const closing = runner.close();
    goOn.resolve();
    await closing;
    const ask = { holder: 'b', lane: ['t'], limit: 1, now: systemClock.now() };
    expect((await model.tables.lease(jobTable, ask))[0]?.lease.tries).toBe(2);
  });

  test('hands on what it has in hand at once, and it costs no try', async () => {
    model.seed(jobTable, job('t', 1));
    const unwound = Promise.withResolvers<void>();
    const runner = start(
      kindOf({
        handedOn: () => ({ stage: 'handed on' }),
        work: async (hold) => {
          await unwound.promise;
          hold.signal.throwIfAborted();
        },
      }),
    );
    runner.offer(lanes('t'));
    await pass(0);
    const closing = runner.close();
    await pass(0);
    const [next] = await model.tables.lease(jobTable, {
      holder: 'b',
      lane: ['t'],
      limit: 1,
      now: systemClock.now(),
    });
    expect(next).toMatchObject({ lease: { tries: 1 }, record: { stage: 'handed on' } });
    unwound.resolve();
    await closing;
    expect((await held())[0]?.lease).toEqual(next?.lease);
    runner.offer(lanes('t'));
    expect((await held()).length).toBe(1);
  });
});
