/** Rows that were changed past the service: found, named, and refused before they decide. */
import { describe, expect, test } from 'vitest';
import type { TableChange } from '#core/kernel';
import { allRecords } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { type Alert, alertIdOf, alertTable, type ComparesAlerts } from '#slices/alerts';
import {
  checkRegister,
  coverageTable,
  delistedSubject,
  findCoverage,
  monitoredTable,
  onDelisted,
  registerSubjects,
  removeMonitored,
  rescreenedTable,
  restoreCoverage,
  runTable,
  type Sighting,
  SignedRegister,
  sightingTable,
  subjectDigest,
} from '#slices/rescreening';
import { subjectKeyOfRef } from '#slices/screening';
import { customer, openWorld, START, TENANT } from './world.ts';

type World = ReturnType<typeof openWorld>;

const add = ({ ports }: World, ...subjects: readonly ReturnType<typeof customer>[]) =>
  registerSubjects(ports, {
    actor: 'cli:test',
    addedBy: 'command-line',
    subjects,
    tenantId: TENANT,
  });
const idOf = (number: number): string => subjectKeyOfRef(TENANT, `C-${number}`);
const rowOf = async (world: World, number: number) => {
  const key = { subjectId: idOf(number), tenantId: TENANT };
  const found = await world.house.tables.find(monitoredTable, key);
  if (found === undefined) throw new Error(`no customer ${number}`);
  return found;
};
/** Written by somebody with the database in his hands. */
function forge({ house }: World, change: TableChange): void {
  const stale = house.apply(house.commits[0]?.chainId ?? '', [change]);
  if (stale !== undefined) throw new Error('the forgery did not fit');
}
const entriesOf = ({ house }: World, action: string) =>
  house.events.filter((event) => event.action === action).map(({ members }) => members);
const entry = (name: string, identity = '1') => ({ identity, name });
/** Somebody is listed, so that a run over everybody begins. */
const publish = (world: World, name: string) => world.publish(new Map([['q-1', entry(name)]]));

describe('customers', () => {
  test('altered, missing and invented ones are named, and not screened', async () => {
    const world = openWorld();
    await add(world, customer(1, 'jane roe'), customer(2, 'john doe'), customer(3, 'ann poe'));
    await world.settle();
    const [one, two] = [await rowOf(world, 1), await rowOf(world, 2)];
    const renamed = { ...one, subject: customer(1, 'nobody'), version: one.version + 1 };
    forge(world, monitoredTable.put(renamed, one.version));
    forge(world, monitoredTable.remove(two, two.version));
    const invented = { ...one, subjectId: idOf(9), subjectRef: 'C-9', version: 1 };
    forge(world, monitoredTable.insert(invented));
    publish(world, 'nobody');
    const before = world.screened();
    await world.settle();
    expect(world.screened()).toBe(before);
    const [altered] = entriesOf(world, 'SANCTIONS_MONITORING_ALTERED');
    expect(altered).toMatchObject({
      altered: [one.subjectId],
      count: 3,
      invented: [idOf(9)],
      missing: [two.subjectId],
    });
    const { refusals } = await checkRegister(world.ports, TENANT);
    expect(refusals.toSorted()).toEqual(
      [
        `customer ${one.subjectId}: his row is not what its last entry made it`,
        `customer ${two.subjectId}: his row is gone: his last entry says that he is watched`,
        `customer ${idOf(9)}: no entry tells of him`,
      ].toSorted(),
    );
    // The leaves tell what was signed, so the next run finds the same.
    publish(world, 'somebody');
    await world.settle();
    expect(entriesOf(world, 'SANCTIONS_MONITORING_ALTERED')).toHaveLength(2);
  });

  test('who is new and forged is named once, and no run begins for him again', async () => {
    const world = openWorld();
    await add(world, customer(1, 'jane roe'));
    const one = await rowOf(world, 1);
    const renamed = { ...one, subject: customer(1, 'nobody'), version: one.version + 1 };
    forge(world, monitoredTable.put(renamed, one.version));
    await world.settle();
    expect(world.screened()).toBe(0);
    expect(await rowOf(world, 1)).toMatchObject({ isNew: false });
    expect((await rowOf(world, 1)).screenedAt).toBeUndefined();
  });

  test('who waits again and came with hits, by his row alone, is told of them', async () => {
    const world = openWorld();
    await add(world, customer(1, 'jane roe'));
    await world.settle();
    const one = await rowOf(world, 1);
    const known = { entries: ['OFAC_SDN q-1'] };
    const waiting = { ...one, isNew: true, known, version: one.version + 1 };
    forge(world, monitoredTable.put(waiting, one.version));
    publish(world, 'jane roe');
    await world.settle();
    const told = world.house.events.filter(({ type }) => type === 'screening').at(-1);
    expect(told?.members).toMatchObject({ rescreening: { entries: ['q-1'] } });
    expect(entriesOf(world, 'SANCTIONS_MONITORING_ALTERED')).toMatchObject([
      { altered: [one.subjectId], count: 1 },
    ]);
  });

  test('are as their entries tell, whatever is held of those at once', async () => {
    const world = openWorld();
    await add(world, ...Array.from({ length: 60 }, (_, number) => customer(number)));
    await world.settle();
    for (const number of [3, 14, 15]) {
      const ask = { actor: 'cli:test', subjectRef: `C-${number}`, tenantId: TENANT } as const;
      await removeMonitored(world.ports, ask);
    }
    await add(world, customer(3, 'again'), ...[70, 71, 72, 7].map((one) => customer(one, 'new')));
    const rows = await allRecords(world.house.tables, monitoredTable, { index: 'key' });
    const active = rows.filter(({ state }) => state === 'active');
    const expected = active.map((row) => [row.subjectId, subjectDigest(row)] as const);
    const coverage = await findCoverage(world.ports, TENANT);
    expect(coverage?.runId).toBeDefined();
    for (const heldMax of [1, 2, 3, 100]) {
      for (const from of [coverage, undefined]) {
        const of = { coverage: from, heldMax, tenantId: TENANT };
        const whole = new SignedRegister(world.ports, of);
        const all = [...(await whole.between())].map(([id, { digest }]) => [id, digest] as const);
        expect(all.toSorted(), `${heldMax}`).toEqual(expected.toSorted());
        const some = new SignedRegister(world.ports, of);
        const ids = rows.map(({ subjectId }) => subjectId).toSorted();
        const found = await some.of(ids);
        expect([...found.keys()]).toEqual(active.map(({ subjectId }) => subjectId).toSorted());
        const middle = ids[20] ?? '';
        const end = ids[40];
        const part = new SignedRegister(world.ports, of);
        expect([...(await part.between(middle, end)).keys()].toSorted()).toEqual(
          active
            .map(({ subjectId }) => subjectId)
            .filter((id) => id > middle && id <= (end ?? ''))
            .toSorted(),
        );
      }
    }
  });

  test('leaves that were changed are refused', async () => {
    const world = openWorld();
    await add(world, customer(1), customer(2));
    await world.settle();
    const [chunk] = (await allRecords(world.house.tables, rescreenedTable, { index: 'key' })).slice(
      -1,
    );
    world.blobs.set(chunk?.leaves ?? '', Buffer.from('{"decision":"x"}\n'));
    const coverage = await findCoverage(world.ports, TENANT);
    const register = new SignedRegister(world.ports, { coverage, tenantId: TENANT });
    await expect(register.between()).rejects.toMatchObject({ code: 'evidence-altered' });
  });
});

describe('findings', () => {
  test('one that was invented keeps nothing quiet', async () => {
    const world = openWorld();
    await add(world, customer(1, 'jane roe'), customer(2, 'john doe'));
    publish(world, 'jane roe');
    await world.settle();
    const [found] = await world.sightings();
    if (found === undefined) throw new Error('nothing was found');
    publish(world, 'john doe');
    const key = { sightingId: found.sightingId, tenantId: TENANT };
    const quiet = { ...found, foundAt: found.foundAt, screeningId: 'another', version: 2 };
    forge(world, sightingTable.put(quiet, found.version));
    const { refusals } = await checkRegister(world.ports, TENANT);
    expect(refusals).toEqual([`finding ${key.sightingId}: not what its last entry made it`]);
    await world.settle();
    expect(entriesOf(world, 'SANCTIONS_MONITORING_ALTERED')[0]).toMatchObject({
      sightings: [found.sightingId],
    });
  });

  test('one that was taken away is not told twice, and is named', async () => {
    const world = openWorld();
    await add(world, customer(1, 'jane roe'));
    publish(world, 'jane roe');
    await world.settle();
    const [found] = await world.sightings();
    if (found === undefined) throw new Error('nothing was found');
    forge(world, sightingTable.remove(found, found.version));
    expect((await checkRegister(world.ports, TENANT)).refusals).toEqual([
      `finding ${found.sightingId.slice(0, 32)}…: its row is gone`,
    ]);
    world.publish(
      new Map([
        ['q-1', entry('jane roe')],
        ['q-2', entry('jane roe')],
      ]),
    );
    await world.settle();
    const told = world.house.events.filter(({ type }) => type === 'screening').at(-1);
    expect(told?.members).toMatchObject({ rescreening: { entries: ['q-2'] } });
    expect((await checkRegister(world.ports, TENANT)).refusals).toEqual([]);
  });
});

describe('a party who is delisted', () => {
  const found = async () => {
    const world = openWorld();
    await add(world, customer(1, 'jane roe'));
    publish(world, 'jane roe');
    await world.settle();
    const [one] = await world.sightings();
    if (one === undefined) throw new Error('nothing was found');
    return { one, world };
  };
  const unreachable = async (): Promise<never> => {
    throw new Error('an alert was about to be raised');
  };
  const signedAs = (answer: boolean): ComparesAlerts => ({
    areAsSigned: async (_, alerts) => alerts.map(() => answer),
    isAsSigned: async () => answer,
  });
  const tell = (
    { ports }: World,
    { sightingId }: Pick<Sighting, 'sightingId'>,
    signed = signedAs(true),
  ) =>
    onDelisted(
      {
        ...ports,
        audit: { findByScreening: unreachable },
        events: { checkOpen: unreachable, read: unreachable },
        listPersons: unreachable,
        signed,
        settingsOf: unreachable,
      },
      { partition: TENANT, payload: { sighting_id: sightingId } },
    );

  test('is told of only where an entry says so', async () => {
    const { one, world } = await found();
    // An event that was invented: the party is listed.
    await tell(world, one);
    forge(world, sightingTable.put({ ...one, isCurrent: false, version: 2 }, one.version));
    await expect(tell(world, one)).rejects.toMatchObject({ code: 'evidence-altered' });
    await tell(world, { sightingId: 'f'.repeat(64) });
  });

  test('whose row was altered or taken away is no alert of another party', async () => {
    const { one, world } = await found();
    world.publish(new Map());
    await world.settle();
    const [gone] = await world.sightings();
    if (gone === undefined) throw new Error('the finding is gone');
    await expect(tell(world, gone)).rejects.toThrow('an alert was about to be raised');
    // People have said that it was somebody else; or somebody who writes the database has.
    const alertId = alertIdOf(TENANT, { kind: 'screening', screeningId: gone.screeningId });
    const review = { ftmId: gone.ftmId, status: 'false_positive', version: 1 };
    const alert = { alertId, reviews: [review], status: 'in_review', tenantId: TENANT, version: 1 };
    forge(world, alertTable.insert(alert as unknown as Alert));
    await tell(world, gone);
    await expect(tell(world, gone, signedAs(false))).rejects.toThrow('about to be raised');
    const other = { ...gone, screeningId: 'another', version: gone.version + 1 };
    forge(world, sightingTable.put(other, gone.version));
    await expect(tell(world, one)).rejects.toMatchObject({ code: 'evidence-altered' });
    forge(world, sightingTable.remove(other, other.version));
    await expect(tell(world, one)).rejects.toMatchObject({ code: 'evidence-altered' });
  });

  test('is shown as the screening of the same customer was signed, and of no other', async () => {
    const { one, world } = await found();
    const of = (subject_key: string) =>
      delistedSubject({
        audit: {
          findByScreening: async () =>
            ({
              body: canonicalJson({ candidates: [], verdict: { hits: [] } }),
              occurredAt: START,
              seq: 1,
            }) as never,
        },
        clock: world.ports.clock,
        events: {
          checkOpen: async () => {},
          read: async () => ({ screening_id: one.screeningId, subject_key }),
        },
        tables: world.ports.tables,
      });
    const ask = {
      findingId: `${one.sightingId}.2`,
      kind: 'list_change',
      subjectId: one.subjectId,
      tenantId: TENANT,
    } as const;
    await expect(of('another')(ask)).rejects.toMatchObject({ code: 'evidence-altered' });
    const renamed = { ...one, ftmId: 'q-9', version: 2 };
    forge(world, sightingTable.put(renamed, one.version));
    await expect(of(one.subjectId)(ask)).rejects.toMatchObject({ code: 'evidence-altered' });
  });
});

describe('how far everybody is compared', () => {
  const compared = async (world: World) => {
    const coverage = await findCoverage(world.ports, TENANT);
    if (coverage === undefined) throw new Error('nobody is watched');
    return coverage;
  };

  test('put forward past the service, everybody is screened whole', async () => {
    const world = openWorld();
    await add(world, customer(1, 'jane roe'), customer(2, 'john doe'));
    await world.settle();
    publish(world, 'jane roe');
    const before = await compared(world);
    const ahead = { ...before, listVersion: `v${2}`, version: before.version + 1 };
    forge(world, coverageTable.put(ahead, before.version));
    await world.settle();
    expect(await world.sightings()).toHaveLength(1);
    const started = entriesOf(world, 'SANCTIONS_RESCREENING_STARTED').at(-1);
    expect(started).toMatchObject({ mode: 'full', refused: expect.any(String), severity: 'ALERT' });
    expect((await checkRegister(world.ports, TENANT)).refusals).toEqual([]);
  });

  test('taken away, it is missed and put back', async () => {
    const world = openWorld();
    await add(world, customer(1, 'jane roe'));
    await world.settle();
    const { version } = await compared(world);
    forge(world, coverageTable.remove({ register: 'subjects', tenantId: TENANT }, version));
    publish(world, 'jane roe');
    await world.settle();
    expect(await world.sightings()).toHaveLength(0);
    expect(await restoreCoverage(world.ports, TENANT)).toBe(true);
    expect(await restoreCoverage(world.ports, TENANT)).toBe(false);
    await world.settle();
    expect(await world.sightings()).toHaveLength(1);
  });

  test('a run that was put forward ends, and another one begins', async () => {
    const world = openWorld();
    await add(world, customer(1, 'jane roe'), customer(2, 'john doe'));
    await world.settle();
    publish(world, 'jane roe');
    world.killAt(2);
    world.onKill(async () => {
      const { records } = await world.house.tables.page(runTable, {
        equal: { isOpen: true },
        index: 'open',
        limit: 1,
      });
      const [run] = records;
      if (run === undefined) throw new Error('no run is open');
      forge(world, runTable.put({ ...run, after: '~', version: run.version + 1 }, run.version));
    });
    expect(await world.settle()).toBe(1);
    expect(await world.sightings()).toHaveLength(1);
    expect(entriesOf(world, 'SANCTIONS_RESCREENING_FAILED')).toMatchObject([
      { code: 'state-altered' },
    ]);
  });
});
