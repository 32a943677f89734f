/** What a kind of work may say of its room and of its turns. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Hold, LeasedRunner, type LeasedWork, Room } from '#core/work';
import { systemClock } from '#platform/clock';
import { quietLog } from '../../workers/quietWorker.ts';
import { type Job, job, jobTable, kindOf, type Model, openModel } from './jobs.ts';

type JobHold = Hold<Job, 'tenantId' | 'jobNo'>;

let model: Model;
beforeEach(() => {
  vi.useFakeTimers();
  model = openModel();
});
afterEach(() => void vi.useRealTimers());

const start = (kind: LeasedWork<Job, 'tenantId' | 'jobNo'>) =>
  new LeasedRunner(kind, {
    clock: systemClock,
    holder: 'a',
    log: quietLog,
    room: new Room(),
    tables: model.tables,
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

test('short work has room that long work cannot take', async () => {
  const jobs = [job('t', 1), job('u', 1), job('v', 1), job('w', 1), job('x', 1), job('y', 1)];
  model.seed(jobTable, ...jobs);
  const inHand: string[] = [];
  const goOn = Promise.withResolvers<void>();
  const runner = start(
    kindOf({
      atOnce: 2,
      shortBeside: 1,
      work: async (hold) => {
        inHand.push(nameOf(hold));
        await goOn.promise;
        await done(hold);
      },
    }),
  );
  const short = new Set(['w1', 'x1']);
  const offered = rows(...jobs).map((one) => ({ ...one, isShort: short.has(one.name) }));
  runner.offer(offered.slice(0, 3));
  await pass(0);
  expect(inHand).toEqual(['t1', 'u1']);
  runner.offer(offered);
  await pass(0);
  expect(inHand).toEqual(['t1', 'u1', 'w1']);
  goOn.resolve();
  await pass(0);
  expect([...inHand].sort()).toEqual(['t1', 'u1', 'v1', 'w1', 'x1', 'y1']);
  await runner.close();
});

test('work begins once its turn is stored, or could not be', async () => {
  model.seed(jobTable, job('t', 1), job('t', 2), job('u', 1));
  const steps: string[] = [];
  const runner = start(
    kindOf({
      tookTurn: async ({ name }, turn) => {
        steps.push(`turn ${turn} of ${name}`);
        if (turn === 8) throw new Error('full');
      },
      work: async (hold) => {
        steps.push(nameOf(hold));
        await done(hold);
      },
    }),
  );
  runner.offer(lanes('t', 'u').map((one) => ({ ...one, turn: one.name === 't' ? 7 : 0 })));
  await pass(0);
  // Turns of lanes in which nothing was left are not stored.
  const last = expect.stringMatching(/^turn \d+ of t$/);
  expect(steps).toEqual(['turn 8 of u', 'u1', 'turn 9 of t', 't1', last, 't2']);
  await runner.close();
});
