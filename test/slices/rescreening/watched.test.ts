/** Customers who come from screenings and batches, and runs that are late. */
import { describe, expect, test } from 'vitest';
import { entry } from '#core/audit';
import { type BatchId, chainOf } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { Batch, SubjectResult } from '#slices/batches';
import {
  beginEnrolment,
  checkRegister,
  coverageTable,
  type Enrolment,
  type EnrolPorts,
  enrolBatch,
  enrolmentTable,
  findCoverage,
  findMonitored,
  LATE_AFTER_MS,
  monitoredTable,
  planRuns,
  removeMonitored,
  rescreeningState,
  watchScreened,
} from '#slices/rescreening';
import { customer, openWorld, START, TENANT } from './world.ts';

type World = ReturnType<typeof openWorld>;

const screenedEvents = ({ house }: World) =>
  house.events.filter(({ type }) => type === 'screening').map(({ members }) => members);
const listed = (...ids: readonly string[]) =>
  new Map(ids.map((id) => [id, { identity: '1', name: 'jane roe' }]));

describe('a screening with monitor', () => {
  const SCREENING = '0190aaaa-0000-7000-8000-0000000000aa';
  const watch = async ({ house, ports }: World, name = 'jane roe') => {
    const step = await watchScreened(ports, {
      actor: 'key:k',
      entries: [{ ftmId: 'q-1', source: 'OFAC_SDN' }],
      query: { dob: '1980-02-03', name, schema: 'Person', transliterations: ['J. Roe'] },
      screeningId: SCREENING,
      subjectRef: 'C-1',
      tenantId: TENANT,
    });
    if (step.events.length > 0) await house.commit(chainOf(TENANT), step);
    return step;
  };

  test('has its subject watched, and what it told is not told again', async () => {
    const world = openWorld();
    world.publish(listed('q-1'));
    await watch(world);
    const ask = { subjectRef: 'C-1', tenantId: TENANT };
    expect((await findMonitored(world.ports, ask)).subject).toEqual({
      dob: '1980-02-03',
      external_id: 'C-1',
      full_name: 'jane roe',
      full_name_transliterations: ['J. Roe'],
      type: 'individual',
    });
    await world.settle();
    expect(screenedEvents(world)).toEqual([]);
    expect(await world.sightings()).toMatchObject([{ isCurrent: true, screeningId: SCREENING }]);
    expect(await findMonitored(world.ports, ask)).not.toHaveProperty('known');
    world.publish(listed('q-1', 'q-2'));
    await world.settle();
    expect(screenedEvents(world)).toMatchObject([{ rescreening: { entries: ['q-2'] } }]);
  });

  test('adds nothing where he is watched as he is; another name is a change', async () => {
    const world = openWorld();
    await watch(world);
    await world.settle();
    expect(await watch(world)).toEqual({ bus: [], changes: [], events: [] });
    expect((await watch(world, 'jane poe')).changes).toHaveLength(1);
  });

  test('says in its entry what it told; what was put there past the service is told', async () => {
    const world = openWorld();
    world.publish(listed('q-1', 'q-2'));
    await watch(world);
    const key = { subjectRef: 'C-1', tenantId: TENANT };
    const row = await findMonitored(world.ports, key);
    const known = { entries: ['OFAC_SDN q-1', 'OFAC_SDN q-2'], screeningId: SCREENING };
    world.house.apply(world.house.commits[0]?.chainId ?? '', [
      monitoredTable.put({ ...row, known, version: row.version + 1 }, row.version),
    ]);
    await world.settle();
    const altered = world.house.events.filter(
      ({ action }) => action === 'SANCTIONS_MONITORING_ALTERED',
    );
    expect(altered.map(({ members }) => members)).toMatchObject([{ altered: [row.subjectId] }]);
    // Of both he is told: nobody has signed that they are known.
    expect(screenedEvents(world)).toMatchObject([{ rescreening: { entries: ['q-1', 'q-2'] } }]);
  });
});

describe('a batch with monitor', () => {
  const BATCH = '0190aaaa-0000-7000-8000-0000000000bb' as BatchId;
  const batch = {
    batchId: BATCH,
    chunksTotal: 2,
    counts: { subjects: 4 },
    monitor: true,
    requestedAt: START,
    status: 'completed',
    tenantId: TENANT,
  } as unknown as Batch;
  const resultOf = (number: number, ...found: readonly string[]) =>
    ({
      external_id: `C-${number}`,
      hits: found.map((id) => ({ list_source: 'OFAC_SDN', payload: {}, record_id: id })),
      subject: customer(number, 'jane roe'),
    }) as unknown as SubjectResult;
  const chunks = [
    [resultOf(1, 'q-1'), resultOf(2, 'q-1')],
    [resultOf(3), { ...resultOf(4), erased: true as const }],
  ];

  function portsOf(world: World, of: Partial<Batch> = {}): EnrolPorts {
    return {
      ...world.ports,
      batches: {
        findBatch: async () => ({ ...batch, ...of }),
        listChunks: async ({ fromNo }) =>
          chunks
            .map((_, chunkNo) => ({ batchId: BATCH, chunkNo, result: {} }) as never)
            .slice(fromNo),
      },
      results: {
        checkCompleted: async () => {},
        linesOf: async (_, { chunkNo }) => {
          const results = chunks[chunkNo] ?? [];
          const lines = results.map((_one, at) => Buffer.from(String(at)));
          return { lines, parse: (line) => results[Number(line)] as SubjectResult };
        },
      },
    };
  }

  async function holdOf(world: World) {
    await beginEnrolment(world.ports, { batchId: BATCH, tenantId: TENANT });
    const key = { batchId: BATCH, tenantId: TENANT };
    let record = (await world.house.tables.find(enrolmentTable, key)) as Enrolment;
    return {
      expected: enrolmentTable.expect(key, {}),
      get record() {
        return record;
      },
      replace: (next: Enrolment) => {
        record = next;
      },
      signal: new AbortController().signal,
      tell: () => {},
    };
  }

  test('has its subjects watched, and nobody is told of its hits again', async () => {
    const world = openWorld();
    world.publish(listed('q-1', 'q-2'));
    const hold = await holdOf(world);
    await enrolBatch(portsOf(world), hold);
    expect(hold.record).toMatchObject({ added: 3, chunkNo: 2, status: 'completed' });
    await world.settle();
    const told = screenedEvents(world).map(
      ({ rescreening }) => (rescreening as unknown as { entries: readonly string[] }).entries,
    );
    // What the batch has found is in its own list; q-2 is what the policy finds beside it.
    expect(told.toSorted()).toEqual([['q-1', 'q-2'], ['q-2'], ['q-2']]);
    await expect(
      findMonitored(world.ports, { subjectRef: 'C-4', tenantId: TENANT }),
    ).rejects.toMatchObject({ code: 'monitored-unknown' });
  });

  test('is taken over once, and leaves what was said of a customer since', async () => {
    const world = openWorld();
    const hold = await holdOf(world);
    await enrolBatch(portsOf(world), hold);
    const entries = () =>
      world.house.events.filter(({ action }) => action === 'SANCTIONS_MONITORING_CHANGED').length;
    const before = entries();
    world.moveTo(START + 1);
    await removeMonitored(world.ports, { actor: 'cli:test', subjectRef: 'C-3', tenantId: TENANT });
    // A worker died behind its last chunk, and nothing was saved of how far it was.
    const again = { ...hold, record: { ...hold.record, chunkNo: 0, status: 'running' as const } };
    await expect(enrolBatch(portsOf(world), { ...again, replace: () => {} })).rejects.toMatchObject(
      { code: 'state-conflict' },
    );
    expect(entries()).toBe(before + 1);
    const gone = { subjectRef: 'C-3', tenantId: TENANT };
    await expect(findMonitored(world.ports, gone)).rejects.toMatchObject({
      code: 'monitored-unknown',
    });
  });

  test('whose row was put forward past the service leaves nobody out', async () => {
    const world = openWorld();
    const hold = await holdOf(world);
    hold.replace({ ...hold.record, added: 3, chunkNo: 2 });
    await enrolBatch(portsOf(world), hold);
    expect(hold.record).toMatchObject({ added: 3, chunkNo: 2, status: 'completed' });
    const { records } = await world.house.tables.page(monitoredTable, { index: 'key', limit: 10 });
    expect(records).toHaveLength(3);
  });

  test('that a worker has lost goes on where its last entry says', async () => {
    const world = openWorld();
    const hold = await holdOf(world);
    const members = { added: 2, changed: 0, chunks: 1, unchanged: 0 };
    await world.house.commit(chainOf(TENANT), {
      bus: [],
      changes: [],
      events: [
        entry(world.ports, {
          action: 'SANCTIONS_MONITORING_TAKING',
          actor: 'system:rescreening',
          members,
          target: BATCH,
        }),
      ],
    });
    await enrolBatch(portsOf(world), hold);
    expect(hold.record).toMatchObject({ added: 3, chunkNo: 2, status: 'completed' });
    const { records } = await world.house.tables.page(monitoredTable, { index: 'key', limit: 10 });
    expect(records).toHaveLength(1);
  });

  test('is missed where its row says that it has ended, or was taken away', async () => {
    const world = openWorld();
    const { record } = await holdOf(world);
    expect((await checkRegister(world.ports, TENANT)).refusals).toEqual([]);
    const named = [`batch ${BATCH}: no entry says that its subjects were all taken over`];
    const ended: Enrolment = { ...record, status: 'completed', version: record.version + 1 };
    world.house.apply(chainOf(TENANT), [enrolmentTable.put(ended, record.version)]);
    expect((await checkRegister(world.ports, TENANT)).refusals).toEqual(named);
    world.house.apply(chainOf(TENANT), [enrolmentTable.remove(ended, ended.version)]);
    expect((await checkRegister(world.ports, TENANT)).refusals).toEqual(named);
  });

  test('without a signed wish nobody is watched', async () => {
    const world = openWorld();
    const hold = await holdOf(world);
    const { monitor: _, ...silent } = batch;
    const ports = { ...portsOf(world) };
    const batches = { ...ports.batches, findBatch: async () => silent as Batch };
    await expect(enrolBatch({ ...ports, batches }, hold)).rejects.toMatchObject({
      code: 'results-altered',
    });
  });

  test('of very many is screened beside those who come alone', async () => {
    const world = openWorld();
    const counts = { ...batch.counts, subjects: 1_000_000 };
    await enrolBatch(portsOf(world, { counts }), await holdOf(world));
    await planRuns(world.ports);
    const started = world.house.events
      .filter(({ action }) => action === 'SANCTIONS_RESCREENING_STARTED')
      .map(({ members }) => members.mode);
    expect(started.toSorted()).toEqual(['delta', 'new']);
    const { records } = await world.house.tables.page(monitoredTable, { index: 'key', limit: 10 });
    expect(records.every(({ isBulk, isNew }) => isBulk === true && !isNew)).toBe(true);
    await world.settle();
    const after = await world.house.tables.page(monitoredTable, { index: 'key', limit: 10 });
    expect(after.records.every(({ isBulk, screenedAt }) => !isBulk && screenedAt)).toBe(true);
  });
});

test('a tenant who is behind for four hours is told of once, until a run has ended', async () => {
  const world = openWorld();
  world.publish(listed('q-1'));
  await watchOne(world);
  await world.settle();
  world.publish(listed('q-1', 'q-2'));
  const late = () =>
    world.house.bus.filter(({ topic }) => topic === 'sanctions.rescreening.late').length;
  await planRuns(world.ports);
  expect(late()).toBe(0);
  world.moveTo(START + LATE_AFTER_MS);
  for (let times = 0; times < 3; times++) await planRuns(world.ports);
  expect(late()).toBe(1);
  await world.settle();
  world.moveTo(START + 2 * LATE_AFTER_MS);
  await planRuns(world.ports);
  expect(late()).toBe(1);
});

test('who is behind is told of, whatever the row says was told', async () => {
  const world = openWorld();
  world.publish(listed('q-1'));
  await watchOne(world);
  await world.settle();
  world.publish(listed('q-1', 'q-2'));
  const forge = async (since?: EpochMs): Promise<void> => {
    const row = await findCoverage(world.ports, TENANT);
    if (row === undefined) throw new Error('nobody is watched');
    const { lateSince: _, ...rest } = row;
    const next = { ...rest, ...(since && { lateSince: since }), version: row.version + 1 };
    world.house.apply(chainOf(TENANT), [coverageTable.put(next, row.version)]);
  };
  const late = () =>
    world.house.bus.filter(({ topic }) => topic === 'sanctions.rescreening.late').length;
  world.moveTo(START + LATE_AFTER_MS);
  await forge(START);
  await planRuns(world.ports);
  expect(late()).toBe(1);
  await forge();
  await planRuns(world.ports);
  expect(late()).toBe(1);
  expect(await rescreeningState(world.ports, TENANT)).toMatchObject({ lateSince: START });
  await world.settle();
  expect((await rescreeningState(world.ports, TENANT)).lateSince).toBeUndefined();
});

const watchOne = ({ house, ports }: World) =>
  watchScreened(ports, {
    actor: 'key:k',
    entries: [],
    query: { name: 'jane roe', transliterations: [] },
    screeningId: 's',
    subjectRef: 'C-1',
    tenantId: TENANT,
  }).then((step) => house.commit(chainOf(TENANT), step));
