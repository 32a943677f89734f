/** Customers walked past versions of a list, with workers that die, against full re-runs. */
import { describe, expect, test } from 'vitest';
import { inclusionProof, isIncluded, leafHash } from '#platform/merkleTree';
import {
  findCoverage,
  leavesOf,
  registerSubjects,
  removeMonitored,
  rescreenedTable,
  runTable,
} from '#slices/rescreening';
import { subjectKeyOfRef } from '#slices/screening';
import { customer, type List, openWorld, START, TENANT } from './world.ts';

type World = ReturnType<typeof openWorld>;

const add = ({ ports }: World, ...subjects: readonly ReturnType<typeof customer>[]) =>
  registerSubjects(ports, {
    actor: 'cli:test',
    addedBy: 'command-line',
    subjects,
    tenantId: TENANT,
  });

const entry = (name: string, identity = '1') => ({ identity, name });

/** Who is a hit of what, by the last screening of each. */
const hitsOf = async (world: World): Promise<readonly string[]> =>
  (await world.sightings())
    .filter(({ isCurrent }) => isCurrent)
    .map(({ entityDigest, ftmId, subjectId }) => `${subjectId} ${ftmId} ${entityDigest}`)
    .toSorted();

/** What a screening of everybody on the whole list finds. */
const fullRun = (customers: readonly ReturnType<typeof customer>[], list: List) =>
  customers
    .flatMap(({ external_id, full_name }) =>
      [...list]
        .filter(([, { name }]) => name === full_name)
        .map(
          ([id, { identity, name }]) =>
            `${subjectKeyOfRef(TENANT, external_id)} ${id} ${name}/${identity}`,
        ),
    )
    .toSorted();

/** Each finding that people were told of, once for each telling. */
const toldOf = ({ house }: World): readonly string[] =>
  house.commits.flatMap(({ commit }) =>
    commit.changes
      .filter(({ op, table }) => table === 'rescreening_sighting' && op !== 'remove')
      .map(({ record }) => record as { isCurrent: boolean; sightingId: string; version: number })
      .filter(({ isCurrent }) => isCurrent)
      .map(({ sightingId, version }) => `${sightingId} ${version}`),
  );

const topics = ({ house }: World, topic: string) =>
  house.bus.filter((event) => event.topic === topic);

/** A list that goes on from the one before: some added, some changed, some gone. */
function nextList(before: List, seed: number): List {
  const next = new Map(before);
  for (let step = 0; step < 6; step++) {
    const number = (seed * 31 + step * 17) % 120;
    const id = `q-${number % 40}`;
    if (step % 3 === 2) next.delete(id);
    else next.set(id, entry(`name ${number % 97}`, `${seed}.${step % 2}`));
  }
  return next;
}

describe('twenty versions of a list', () => {
  const CUSTOMERS = Number(process.env.CUSTOMERS ?? 2_000);
  const VERSIONS = 20;

  test('with twenty kills find what full re-runs find, and nothing is told twice', async () => {
    const world = openWorld();
    const customers = Array.from({ length: CUSTOMERS }, (_, number) => customer(number));
    await add(world, ...customers);
    let list: List = new Map();
    let kills = await world.settle();
    for (let version = 1; version <= VERSIONS; version++) {
      list = nextList(list, version);
      world.publish(list);
      // At its beginning, at a chunk, at its end; before the commit, or after it.
      world.killAt(1 + (version % 3), version % 2 === 0);
      kills += await world.settle();
      expect(await hitsOf(world), `version ${version}`).toEqual(fullRun(customers, list));
    }
    expect(kills).toBe(VERSIONS);
    const told = toldOf(world);
    expect(new Set(told).size).toBe(told.length);
    expect(told.length).toBeGreaterThan(100);
    // Everybody is looked at in each run, and few are screened whole.
    expect(world.screened()).toBeLessThan((CUSTOMERS * VERSIONS) / 4);
    const coverage = await findCoverage(world.ports, TENANT);
    expect(coverage?.listVersion).toBe(`v${VERSIONS + 1}`);
  }, 300_000);
});

describe('a customer', () => {
  test('who is new is screened at once, and again where something near has changed', async () => {
    const world = openWorld();
    world.publish(new Map([['q-1', entry('jane roe')]]));
    await add(world, customer(1, 'jane roe'), customer(2, 'john doe'));
    await world.settle();
    expect(await hitsOf(world)).toHaveLength(1);
    const [event] = topics(world, 'sanctions.screening.completed');
    expect(event?.payload).toMatchObject({ verdict: 'MATCH_DIRECT_SANCTIONS' });
    const draft = world.house.events.find(({ type }) => type === 'screening');
    expect(draft?.members).toMatchObject({ rescreening: { entries: ['q-1'] } });
    world.publish(
      new Map([
        ['q-1', entry('jane roe')],
        ['q-2', entry('john doe')],
      ]),
    );
    const before = world.screened();
    await world.settle();
    expect(world.screened()).toBe(before + 1);
    expect(topics(world, 'sanctions.screening.completed')).toHaveLength(2);
  });

  test('is told of again where the party is another one, not where all is as it was', async () => {
    const world = openWorld();
    world.publish(new Map([['q-1', entry('jane roe')]]));
    await add(world, customer(1, 'jane roe'));
    await world.settle();
    world.publish(new Map([['q-1', entry('jane roe', '2')]]));
    await world.settle();
    expect(topics(world, 'sanctions.screening.completed')).toHaveLength(2);
    expect(topics(world, 'sanctions.rescreening.delisted')).toHaveLength(0);
    world.publish(
      new Map([
        ['q-1', entry('jane roe', '2')],
        ['q-9', entry('nobody')],
      ]),
    );
    await world.settle();
    expect(topics(world, 'sanctions.screening.completed')).toHaveLength(2);
  });

  test('whose party is delisted is told of, and once more where it is back', async () => {
    const world = openWorld();
    const listed: List = new Map([['q-1', entry('jane roe')]]);
    world.publish(listed);
    await add(world, customer(1, 'jane roe'));
    await world.settle();
    world.publish(new Map());
    await world.settle();
    expect(topics(world, 'sanctions.rescreening.delisted')).toHaveLength(1);
    expect(await hitsOf(world)).toEqual([]);
    world.publish(listed);
    await world.settle();
    expect(topics(world, 'sanctions.screening.completed')).toHaveLength(2);
  });

  test('who has changed is screened once; who is the same, or removed, is not', async () => {
    const world = openWorld();
    world.publish(new Map([['q-1', entry('jane roe')]]));
    await add(world, customer(1, 'somebody'));
    await world.settle();
    expect(await add(world, customer(1, 'somebody'))).toMatchObject({ unchanged: 1 });
    await world.settle();
    const before = world.screened();
    expect(await add(world, customer(1, 'jane roe'))).toMatchObject({ changed: 1 });
    await world.settle();
    expect(world.screened()).toBe(before + 1);
    expect(await hitsOf(world)).toHaveLength(1);
    const ask = { actor: 'cli:test', subjectRef: 'C-1', tenantId: TENANT } as const;
    expect(await removeMonitored(world.ports, ask)).not.toHaveProperty('subject');
    await expect(removeMonitored(world.ports, ask)).rejects.toMatchObject({
      code: 'monitored-unknown',
    });
    world.publish(new Map([['q-1', entry('jane roe', '3')]]));
    await world.settle();
    expect(world.screened()).toBe(before + 1);
  });
});

test('a week later everybody is screened whole, and a difference is told', async () => {
  const world = openWorld();
  world.publish(new Map([['q-1', entry('jane roe')]]));
  await add(world, customer(1, 'jane roe'), customer(2, 'john doe'));
  await world.settle();
  world.moveTo(START + 7 * 24 * 3_600_000);
  const before = world.screened();
  await world.settle();
  expect(world.screened()).toBe(before + 2);
  const completed = topics(world, 'sanctions.rescreening.completed');
  expect(completed.at(-1)?.payload).toMatchObject({ differences: 0, mode: 'full' });
  // Somebody took a finding away.
  const [sighting] = await world.sightings();
  if (sighting === undefined) throw new Error('nothing was found');
  const { isCurrent: _, ...rest } = sighting;
  const gone = { ...rest, isCurrent: false, version: sighting.version + 1 };
  const { sightingTable } = await import('#slices/rescreening');
  world.house.apply(world.house.commits[0]?.chainId ?? '', [
    sightingTable.put(gone, sighting.version),
  ]);
  world.moveTo(START + 14 * 24 * 3_600_000);
  await world.settle();
  const last = topics(world, 'sanctions.rescreening.completed').at(-1);
  expect(last?.payload).toMatchObject({ differences: 1, mode: 'full' });
  expect(world.house.events.at(-1)?.action).toBe('SANCTIONS_RESCREENING_DIFFERENT');
});

test('each customer of a chunk is under the root that its entry has', async () => {
  const world = openWorld();
  await add(world, ...Array.from({ length: 70 }, (_, number) => customer(number)));
  await world.settle();
  const { records } = await world.house.tables.page(rescreenedTable, { index: 'key', limit: 10 });
  const [chunk] = records;
  expect(chunk?.customers).toBe(70);
  const told = world.house.events.find(({ action }) => action === 'SANCTIONS_RESCREENED');
  expect(told?.members).toMatchObject({ merkle_root: chunk?.merkleRoot });
  const leaves = Array.from({ length: 5 }, (_, number) => ({
    decision: 'CLEAR',
    subject_digest: 'd',
    subject_id: `s-${number}`,
  }));
  const { lines, merkleRoot } = leavesOf(leaves);
  const texts = lines.toString().split('\n').slice(0, -1).map(leafHash);
  const root = Buffer.from(merkleRoot, 'hex');
  for (const [index, leaf] of texts.entries()) {
    const proof = inclusionProof(texts, index);
    expect(isIncluded(root, leaf, { index, proof, size: texts.length })).toBe(true);
  }
  const runs = await world.house.tables.page(runTable, { index: 'key', limit: 10 });
  expect(runs.records.map(({ status }) => status)).toEqual(['completed', 'completed']);
});
