/** An exclusion from its proposal to each of its ends. */
import { describe, expect, test } from 'vitest';
import { systemClock } from '#platform/clock';
import {
  approveExclusion,
  checkLists,
  entityDigest,
  exclusionSetTable,
  exclusionsInForce,
  exclusionTable,
  expireExclusions,
  lastSet,
  onScreened,
  readExclusions,
  revokeExclusion,
  usesOf,
} from '#slices/exclusions';
import type { ListEntity } from '#slices/lists';
import { excludedFor, type NormalizedQuery } from '#slices/screening';
import {
  entityOf,
  machine,
  openExclusionDesk,
  person,
  SOURCE,
  START,
  TENANT,
} from './exclusionDesk.ts';

type Desk = ReturnType<typeof openExclusionDesk>;

const queryOf = (number: number): NormalizedQuery => ({
  names: [`person ${number}`],
  variants: [],
});

/** Whether a screening of this subject leaves the entry out, on the version in force. */
async function holds({ ports }: Desk, number: number, at = ports.clock.now()) {
  const version = await ports.inForce(SOURCE);
  const inForce = exclusionsInForce({
    ...ports,
    clock: systemClock,
    onRefused: (_, ids) => {
      throw new Error(`refused: ${ids.join()}`);
    },
  });
  const exclusions = await inForce({ tenantId: TENANT });
  const lists = [{ content_digest: version?.contentDigest ?? '', source: SOURCE }];
  const excluded = excludedFor(exclusions, queryOf(number), { at, lists });
  return excluded?.(SOURCE, `q-${number}`) !== undefined;
}

function openWithOne(policy = {}, typology?: string) {
  const desk = openExclusionDesk(policy, typology);
  desk.publish([entityOf(1), entityOf(2)]);
  desk.found(1);
  desk.found(2);
  return desk;
}

const decideBy = (name: string, exclusionId = '') => ({
  by: person(name),
  exclusionIds: [exclusionId],
});

describe('one is decided', () => {
  test('by two persons for a sanctions list, whatever the policy says', async () => {
    const desk = openWithOne({ fourEyes: 'none' });
    await expect(desk.add(1, { by: machine })).rejects.toMatchObject({ code: 'person-required' });
    const [proposed] = await desk.add(1);
    expect(proposed).toMatchObject({ createdBy: 'person:lena', state: 'proposed' });
    expect(await holds(desk, 1)).toBe(false);
    const id = proposed?.exclusionId;
    await expect(approveExclusion(desk.ports, decideBy('lena', id))).rejects.toMatchObject({
      code: 'four-eyes-same-person',
    });
    const [active] = await approveExclusion(desk.ports, decideBy('carl', id));
    expect(active).toMatchObject({ approvedBy: 'person:carl', fromSet: 1, state: 'active' });
    expect([await holds(desk, 1), await holds(desk, 2)]).toEqual([true, false]);
    await expect(approveExclusion(desk.ports, decideBy('mia', id))).rejects.toMatchObject({
      code: 'state-conflict',
    });
    await expect(desk.add(1)).rejects.toMatchObject({ code: 'state-conflict' });
  });

  test('by one for another list, and by two where the policy says so', async () => {
    const [alone] = await openWithOne({}, 'MATCH_PEP').add(1, { by: machine });
    expect(alone?.state).toBe('active');
    const [proposed] = await openWithOne({ fourEyes: 'all' }, 'MATCH_PEP').add(1);
    expect(proposed?.state).toBe('proposed');
  });

  test('and refused by name', async () => {
    const desk = openWithOne();
    const refused = async (given: Parameters<Desk['add']>[1], pointer: string) =>
      expect(desk.add(1, given)).rejects.toMatchObject({
        code: 'exclusion-invalid',
        violations: [{ pointer }],
      });
    await refused({ reason: 'too short' }, '/reason');
    await refused({ expiresAt: desk.days(366) }, '/expires_at');
    await refused({ expiresAt: START }, '/expires_at');
    await expect(desk.add(1, { ftmId: 'q-2' })).rejects.toMatchObject({ code: 'not-found' });
    await expect(openWithOne({ isEnabled: false }).add(1)).rejects.toMatchObject({
      code: 'exclusion-invalid',
    });
    desk.publish([{ ...entityOf(1), dates_of_birth: ['1999'] }]);
    await expect(desk.add(1)).rejects.toMatchObject({ code: 'state-conflict' });
  });
});

describe('it ends', () => {
  test('on the second, and the record says so', async () => {
    const desk = openWithOne({}, 'MATCH_PEP');
    await desk.add(1, { expiresAt: desk.days(1) });
    expect(await holds(desk, 1, (desk.days(1) - 1) as typeof START)).toBe(true);
    expect(await holds(desk, 1, desk.days(1))).toBe(false);
    expect(await expireExclusions(desk.ports)).toBe(0);
    desk.moveTo(desk.days(1));
    const ask = { limit: 10, now: desk.days(1), status: 'expired', tenantId: TENANT } as const;
    expect((await readExclusions(desk.ports, ask)).exclusions).toHaveLength(1);
    expect(await expireExclusions(desk.ports)).toBe(1);
    expect(desk.house.bus.at(-1)).toMatchObject({
      payload: { status: 'expired', was_active: true },
      topic: 'sanctions.exclusion.ended',
    });
  });

  test('when it is revoked, and is told by its event', async () => {
    const desk = openWithOne({}, 'MATCH_PEP');
    const [record] = await desk.add(1);
    const [ended] = await revokeExclusion(desk.ports, decideBy('mia', record?.exclusionId));
    expect(ended).toMatchObject({ endedBy: 'person:mia', state: 'revoked', untilSet: 2 });
    expect(await holds(desk, 1)).toBe(false);
  });

  const IDENTIFYING: Readonly<Record<string, Partial<ListEntity>>> = {
    akas: { akas: ['Somebody Else'] },
    categories: { categories: ['SAN', 'PEP'] },
    citizenships: { citizenships: ['DZ'] },
    dates_of_birth: { dates_of_birth: ['1901'] },
    identifiers: { identifiers: { passport: 'Z' } },
    places_of_birth: { places_of_birth: ['Sfax'] },
    primary_name: { primary_name: 'Somebody Else' },
    schema: { schema: 'Company' },
  };
  const OTHER: Readonly<Record<string, Partial<ListEntity>>> = {
    addresses: { addresses: ['Elsewhere'] },
    countries: { countries: ['FR'] },
    last_seen_at: { last_seen_at: '2026-02-01' },
    nothing: {},
    programmes: { programmes: ['CAATSA'] },
    properties: { properties: { notes: ['another remark'] } },
  };

  test('each identifying member of a thousand parties ends it, and no other does', async () => {
    const count = 1_000;
    const desk = openExclusionDesk({}, 'MATCH_PEP');
    const entities = Array.from({ length: count }, (_, number) => entityOf(number));
    const changes = [...Object.values(IDENTIFYING), ...Object.values(OTHER)];
    const changedBy = (number: number) => changes[number % changes.length] ?? {};
    const ends = (number: number) => number % changes.length < Object.keys(IDENTIFYING).length;
    // By the digest, every party with every change.
    for (const entity of entities) {
      const digest = entityDigest(entity);
      for (const [name, change] of Object.entries(IDENTIFYING)) {
        expect(entityDigest({ ...entity, ...change }), name).not.toBe(digest);
      }
      for (const [name, change] of Object.entries(OTHER)) {
        expect(entityDigest({ ...entity, ...change }), name).toBe(digest);
      }
    }
    // By the publication, each party with one of them.
    const excluded = 300;
    desk.publish(entities);
    for (let number = 0; number < excluded; number++) {
      desk.found(number);
      await desk.add(number);
    }
    desk.publish(entities.map((entity, number) => ({ ...entity, ...changedBy(number) })));
    // Until the list is compared, none holds on it.
    expect([await holds(desk, 0), await holds(desk, changes.length - 1)]).toEqual([false, false]);
    const numbers = Array.from({ length: excluded }, (_, number) => number);
    const expected = numbers.filter(ends).length;
    const found = { ended: 0, lists: 0 };
    while (found.lists === 0) Object.assign(found, await checkLists(desk.ports, TENANT));
    const ended = desk.house.bus.filter(({ payload }) => payload.status === 'ended_on_change');
    expect(ended).toHaveLength(expected);
    const idsEnded = new Set(ended.map(({ payload }) => payload.ftm_id));
    expect(numbers.filter((number) => idsEnded.has(`q-${number}`))).toEqual(numbers.filter(ends));
    expect(await checkLists(desk.ports, TENANT)).toEqual({ ended: 0, lists: 0 });
    expect([await holds(desk, 0), await holds(desk, changes.length - 1)]).toEqual([false, true]);
  });

  test('when the party is gone from the list', async () => {
    const desk = openWithOne({}, 'MATCH_PEP');
    await desk.add(1);
    desk.publish([entityOf(2)]);
    expect(await checkLists(desk.ports, TENANT)).toEqual({ ended: 1, lists: 1 });
    const ask = { limit: 10, now: START, tenantId: TENANT };
    expect((await readExclusions(desk.ports, ask)).exclusions[0]).toMatchObject({
      endedAt: START,
      state: 'ended_on_change',
    });
  });
});

test('a pinned set stays what it was, whatever is decided since', async () => {
  const desk = openWithOne({}, 'MATCH_PEP');
  const [first] = await desk.add(1);
  const pinned = (await lastSet(desk.ports.tables, TENANT))?.digest ?? '';
  await desk.add(2);
  await revokeExclusion(desk.ports, decideBy('mia', first?.exclusionId));
  const inForce = exclusionsInForce({
    ...desk.ports,
    clock: systemClock,
    onRefused: () => undefined,
  });
  const then = await inForce({ digest: pinned, tenantId: TENANT });
  const now = await inForce({ tenantId: TENANT });
  const idsOf = (of: typeof now) =>
    [...(of?.bySubject.values() ?? [])].flat().map(({ ftmId }) => ftmId);
  expect([then?.digest, idsOf(then), idsOf(now)]).toEqual([pinned, ['q-1'], ['q-2']]);
  expect(await inForce({ digest: 'f'.repeat(64), tenantId: TENANT })).toBeUndefined();
});

test('a row that nobody signed suppresses nothing, and is named', async () => {
  const desk = openWithOne({}, 'MATCH_PEP');
  const [record] = await desk.add(1);
  if (record === undefined) throw new Error('no exclusion');
  const forged = { ...record, exclusionId: 'x-forged', ftmId: 'q-2' };
  const longer = { ...record, expiresAt: desk.days(3_000), version: 2 };
  desk.house.apply(desk.house.commits[0]?.chainId as never, [
    exclusionTable.insert(forged),
    exclusionTable.put(longer, 1),
    exclusionSetTable.insert({
      at: START,
      checked: {},
      digest: 'f'.repeat(64),
      setNo: 2,
      tenantId: TENANT,
    }),
  ]);
  const refused: string[] = [];
  const inForce = exclusionsInForce({
    ...desk.ports,
    clock: systemClock,
    onRefused: (_, ids) => void refused.push(...ids),
  });
  const found = await inForce({ tenantId: TENANT });
  expect(found?.bySubject.size).toBe(0);
  expect(refused.toSorted()).toEqual([record.exclusionId, 'x-forged'].toSorted());
  await expect(revokeExclusion(desk.ports, decideBy('mia', 'x-forged'))).rejects.toMatchObject({
    code: 'exclusion-altered',
  });
});

test('what it was applied to is counted once for each screening', async () => {
  const desk = openWithOne({}, 'MATCH_PEP');
  const [record] = await desk.add(1);
  const exclusionId = record?.exclusionId ?? '';
  const event = (id: string) =>
    ({
      createdAt: START,
      id,
      partition: TENANT,
      payload: { suppressed: [exclusionId] },
      topic: 'sanctions.screening.completed',
    }) as const;
  for (const id of ['e-1', 'e-1', 'e-2']) await onScreened(desk.ports as never, event(id));
  const uses = await usesOf(desk.ports, [{ exclusionId, tenantId: TENANT }]);
  expect(uses.get(exclusionId)).toMatchObject({ count: 2, lastAppliedAt: START });
});
