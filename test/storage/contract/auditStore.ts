/** AuditStore, but for the lease of the head: what is appended, read, erased and purged. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Checkpoint, EventGroup } from '#core/audit';
import type { EventId, ScreeningId, TableChange } from '#core/kernel';
import type { Storage } from '../../../src/storage/index.ts';
import {
  append,
  appendFarApart,
  at,
  CHAIN_A,
  CHAIN_B,
  findTenant,
  type MakeHarness,
  makeBus,
  makeGroup,
  makeIdempotency,
  makeTenant,
  putTenant,
  type StoreHarness,
  TENANT_A,
  TTL_MS,
  takeHead,
} from './harness.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** As of a release that knew kinds of changes. */
const NO_CHANGE = { kind: 'drop.everything' } as unknown as TableChange;
const HASH_ZERO = '0'.repeat(64);

export function auditStoreContract(technology: string, makeHarness: MakeHarness): void {
  describe(`${technology}: AuditStore`, () => {
    let harness: StoreHarness;
    let storage: Storage;

    beforeEach(async () => {
      harness = await makeHarness();
      storage = await harness.open();
    });
    afterEach(async () => {
      await storage.close();
      await harness.dispose();
    });

    test('a chain without events has head 0 and a hash of zeros', async () => {
      expect(await storage.audit.head(CHAIN_A)).toEqual({ seq: 0, hash: HASH_ZERO });
      expect(await storage.audit.readEvents({ chainId: CHAIN_A, fromSeq: 1, limit: 10 })).toEqual(
        [],
      );
      expect(await storage.audit.findBySeq(CHAIN_A, 1)).toBeUndefined();
    });

    test('an appended group reads back as it was handed in', async () => {
      const { result, group } = await append(storage, { count: 3, label: 'one' });
      expect(result).toEqual({ kind: 'appended', headWanted: false });
      expect(await storage.audit.readEvents({ chainId: CHAIN_A, fromSeq: 1, limit: 10 })).toEqual(
        group.events,
      );
      expect(await storage.audit.head(CHAIN_A)).toEqual({ seq: 3, hash: group.events[2]?.hash });
    });

    test('an entry without optional members reads back without them', async () => {
      const lease = await takeHead(storage, CHAIN_A);
      const [full] = makeGroup({ fromSeq: 1 }).events;
      if (full === undefined) throw new Error('no event');
      const { screeningId: _screening, decision: _decision, open: _open, ...rest } = full;
      const event = { ...rest, type: 'entry' as const, action: 'TENANT_CREATED' };
      const group = { events: [event], bus: [], changes: [], idempotency: [] };
      await storage.audit.appendGroup(lease, group, { ttlMs: TTL_MS, release: true });
      expect(await storage.audit.findBySeq(CHAIN_A, 1)).toStrictEqual(event);
    });

    test('groups continue a chain, and a page starts and ends inside them', async () => {
      for (const label of ['a', 'b', 'c']) await append(storage, { count: 4, label });
      const page = await storage.audit.readEvents({ chainId: CHAIN_A, fromSeq: 3, limit: 7 });
      expect(page.map(({ seq }) => seq)).toEqual([3, 4, 5, 6, 7, 8, 9]);
      expect((await storage.audit.findBySeq(CHAIN_A, 12))?.seq).toBe(12);
      expect(await storage.audit.findBySeq(CHAIN_A, 13)).toBeUndefined();
    });

    test('entries of one action are read without the others', async () => {
      const { group } = await append(storage, { count: 3, label: 'plain' });
      const lease = await takeHead(storage, CHAIN_A);
      const seqs = [4, 5, 6, 7];
      const events = seqs.map((seq) => {
        const [sample] = group.events;
        if (sample === undefined) throw new Error('no event');
        const { screeningId: _screening, decision: _decision, open: _open, ...rest } = sample;
        const action = seq % 2 === 0 ? 'EVEN' : 'ODD';
        const eventId = `${sample.eventId}-${seq}` as EventId;
        return { ...rest, action, eventId, hash: 'e'.repeat(64), seq, type: 'entry' as const };
      });
      const last = { events, bus: [], changes: [], idempotency: [] };
      await storage.audit.appendGroup(lease, last, { ttlMs: TTL_MS, release: true });
      const read = async (fromSeq: number, limit: number) =>
        (await storage.audit.readEvents({ action: 'EVEN', chainId: CHAIN_A, fromSeq, limit })).map(
          ({ seq }) => seq,
        );
      expect(await read(1, 10)).toEqual([4, 6]);
      expect(await read(5, 10)).toEqual([6]);
      expect(await read(1, 1)).toEqual([4]);
      expect(await read(7, 10)).toEqual([]);
    });

    test('the last entry about each of several things is found', async () => {
      const { group } = await append(storage, { count: 2, label: 'plain' });
      const lease = await takeHead(storage, CHAIN_A);
      const [sample] = group.events;
      if (sample === undefined) throw new Error('no event');
      const { screeningId: _screening, decision: _decision, ...rest } = sample;
      const events = ['alert:a', 'alert:b', 'alert:a', '', 'alert:c"\\'].map((target, at) => ({
        ...rest,
        action: 'CHANGED',
        body: JSON.stringify({ nested: { target: 'alert:d' }, ...(target !== '' && { target }) }),
        eventId: `${rest.eventId}-${at}` as EventId,
        hash: 'e'.repeat(64),
        seq: at + 3,
        type: 'entry' as const,
      }));
      const last = { events, bus: [], changes: [], idempotency: [] };
      await storage.audit.appendGroup(lease, last, { ttlMs: TTL_MS, release: true });
      const targets = ['alert:b', 'alert:c"\\', 'alert:d', 'alert:a'];
      expect(await storage.audit.lastEntries({ chainId: CHAIN_A, targets })).toEqual([
        events[1],
        events[4],
        undefined,
        events[2],
      ]);
      expect(await storage.audit.lastEntries({ chainId: CHAIN_B, targets })).toEqual(
        targets.map(() => undefined),
      );
    });

    test('entries of one action that lie far apart come with their open members', async () => {
      const [first, last] = await appendFarApart(storage);
      const ask = { action: 'EVEN', chainId: CHAIN_A, fromSeq: 1, limit: 10 };
      expect(await storage.audit.readEvents(ask)).toEqual([first, last]);
      expect(first.open).toBeDefined();
    });

    test('a screening is found by its id in its own chain alone', async () => {
      const { group } = await append(storage, { count: 2 });
      await append(storage, { chain: CHAIN_B, label: 'other' });
      const wanted = group.events[1];
      const id = wanted?.screeningId as ScreeningId;
      expect(await storage.audit.findByScreening(CHAIN_A, id)).toEqual(wanted);
      expect(await storage.audit.findByScreening(CHAIN_B, id)).toBeUndefined();
      expect(await storage.audit.findByScreening(CHAIN_A, 'x' as ScreeningId)).toBeUndefined();
    });

    test('several screenings are found at once, those that are there', async () => {
      const { group } = await append(storage, { count: 3 });
      await append(storage, { chain: CHAIN_B, label: 'other' });
      const [first, second, third] = group.events;
      const ids = [third?.screeningId, 'x', first?.screeningId] as ScreeningId[];
      expect(await storage.audit.findByScreenings(CHAIN_A, ids)).toEqual(
        new Map(
          [third, first].flatMap((one) => (one?.screeningId ? [[one.screeningId, one]] : [])),
        ),
      );
      const one = [second?.screeningId as ScreeningId];
      expect(await storage.audit.findByScreenings(CHAIN_B, one)).toEqual(new Map());
    });

    test('a group with a gap or a wrong start writes nothing', async () => {
      const lease = await takeHead(storage, CHAIN_A);
      const options = { ttlMs: TTL_MS, release: false };
      const [first] = makeGroup({ fromSeq: 1 }).events;
      const [third] = makeGroup({ fromSeq: 3 }).events;
      if (first === undefined || third === undefined) throw new Error('no event');
      const gap: EventGroup = { ...makeGroup({ fromSeq: 1 }), events: [first, third] };
      await expect(storage.audit.appendGroup(lease, gap, options)).rejects.toThrow(/gap/);
      expect(await storage.audit.appendGroup(lease, makeGroup({ fromSeq: 2 }), options)).toEqual({
        kind: 'fenced',
      });
      expect((await storage.audit.head(CHAIN_A)).seq).toBe(0);
    });

    test('a group may carry effects and no event: the head stays', async () => {
      await append(storage, { count: 2 });
      const records = [makeIdempotency('scope-1', harness.clock.now())];
      const { result } = await append(storage, { count: 0, idempotency: records });
      expect(result.kind).toBe('appended');
      await append(storage, { count: 0, bus: [makeBus('p', 'x')] });
      expect((await storage.audit.head(CHAIN_A)).seq).toBe(2);
      expect(await storage.audit.findIdempotency('scope-1', at(0))).toEqual(records[0]);
      expect((await append(storage, { count: 1 })).group.events[0]?.seq).toBe(3);
    });

    test('erasing the open members leaves the event, once', async () => {
      const { group } = await append(storage, { count: 2 });
      await append(storage, { chain: CHAIN_B });
      expect(await storage.audit.eraseOpen(CHAIN_A, 1)).toBe(true);
      expect(await storage.audit.eraseOpen(CHAIN_A, 1)).toBe(false);
      expect(await storage.audit.eraseOpen(CHAIN_A, 9)).toBe(false);
      const { open: _erased, ...kept } = group.events[0] ?? {};
      expect(await storage.audit.findBySeq(CHAIN_A, 1)).toStrictEqual(kept);
      expect((await storage.audit.findBySeq(CHAIN_A, 2))?.open).toBe(group.events[1]?.open);
      expect((await storage.audit.findBySeq(CHAIN_B, 1))?.open).toBeDefined();
    });

    test('an idempotency record is found until its age, with either kind of answer', async () => {
      const now = harness.clock.now();
      const byEvent = makeIdempotency('scope-event', now);
      const body = '{"byte":"for byte","é":1.0}';
      const answer = { kind: 'body', status: 201, contentType: 'application/json', body } as const;
      const byBody = { ...makeIdempotency('scope-body', now), answer };
      await append(storage, { idempotency: [byEvent, byBody] });
      expect(await storage.audit.findIdempotency('scope-event', now)).toEqual(byEvent);
      expect(await storage.audit.findIdempotency('scope-body', now)).toEqual(byBody);
      expect(await storage.audit.findIdempotency('scope-body', at(now + 1))).toBeUndefined();
      expect(await storage.audit.findIdempotency('scope', now)).toBeUndefined();
    });

    test('a taken scope refuses the whole group and names every taken scope', async () => {
      const now = harness.clock.now();
      const records = ['s1', 's2', 's3'].map((scope) => makeIdempotency(scope, now));
      await append(storage, { idempotency: records.slice(0, 2) });
      const { result } = await append(storage, {
        label: 'second',
        idempotency: records,
        bus: [makeBus('p', 'never')],
        changes: [putTenant(makeTenant(TENANT_A, 1), 0)],
      });
      expect(result).toEqual({ kind: 'idempotency-taken', scopes: ['s1', 's2'] });
      expect((await storage.audit.head(CHAIN_A)).seq).toBe(1);
      expect(await storage.audit.findIdempotency('s3', at(0))).toBeUndefined();
      expect(await findTenant(storage, TENANT_A)).toBeUndefined();
      expect(await storage.outbox.readFor('bus', 10)).toBeUndefined();
    });

    test('a scope is taken across chains, and twice in one group', async () => {
      const record = makeIdempotency('s1', harness.clock.now());
      const twice = await append(storage, { idempotency: [record, record] });
      expect(twice.result).toEqual({ kind: 'idempotency-taken', scopes: ['s1'] });
      await append(storage, { idempotency: [record] });
      const other = await append(storage, { chain: CHAIN_B, idempotency: [record] });
      expect(other.result).toEqual({ kind: 'idempotency-taken', scopes: ['s1'] });
    });

    test('a key may be used again after 24 hours, purged or not', async () => {
      const first = makeIdempotency('s1', harness.clock.now());
      await append(storage, { idempotency: [first] });
      harness.clock.advance(DAY_MS - 1);
      const early = makeIdempotency('s1', harness.clock.now());
      expect((await append(storage, { idempotency: [early] })).result.kind).toBe(
        'idempotency-taken',
      );
      harness.clock.advance(1);
      const second = { ...makeIdempotency('s1', harness.clock.now()), fingerprint: 'new' };
      expect((await append(storage, { idempotency: [second] })).result.kind).toBe('appended');
      expect(await storage.audit.findIdempotency('s1', at(0))).toEqual(second);
    });

    test('purging removes the records created before an instant, and counts them', async () => {
      const now = harness.clock.now();
      const old = ['o1', 'o2'].map((scope) => makeIdempotency(scope, at(now - 10)));
      await append(storage, { idempotency: [...old, makeIdempotency('new', now)] });
      expect(await storage.audit.purgeIdempotency(now)).toBe(2);
      expect(await storage.audit.findIdempotency('o1', at(0))).toBeUndefined();
      expect(await storage.audit.findIdempotency('new', at(0))).toBeDefined();
      expect(await storage.audit.purgeIdempotency(now)).toBe(0);
    });

    test('a stale change refuses the group, earlier changes included', async () => {
      const { result } = await append(storage, {
        changes: [putTenant(makeTenant(TENANT_A, 1), 0), putTenant(makeTenant(TENANT_A, 5), 4)],
        bus: [makeBus('p', 'never')],
        idempotency: [makeIdempotency('s1', harness.clock.now())],
      });
      expect(result).toEqual({ kind: 'stale', changeIndex: 1 });
      expect(await findTenant(storage, TENANT_A)).toBeUndefined();
      expect((await storage.audit.head(CHAIN_A)).seq).toBe(0);
      expect(await storage.audit.findIdempotency('s1', at(0))).toBeUndefined();
      expect(await storage.outbox.readFor('bus', 10)).toBeUndefined();
    });

    test('a change sees the ones before it in its group', async () => {
      const changes = [
        putTenant(makeTenant(TENANT_A, 1), 0),
        putTenant(makeTenant(TENANT_A, 2), 1),
      ];
      expect((await append(storage, { changes })).result.kind).toBe('appended');
      expect((await findTenant(storage, TENANT_A))?.version).toBe(2);
    });

    test('an unknown change is refused before anything is written', async () => {
      const changes = [putTenant(makeTenant(TENANT_A, 1), 0), NO_CHANGE];
      await expect(append(storage, { changes })).rejects.toThrow(/is not declared/);
      expect(await findTenant(storage, TENANT_A)).toBeUndefined();
      expect((await storage.audit.head(CHAIN_A)).seq).toBe(0);
    });

    test('the latest checkpoint is the one of the highest seq, the later of two', async () => {
      await append(storage, { count: 3 });
      expect(await storage.audit.latestCheckpoint(CHAIN_A)).toBeUndefined();
      await storage.audit.saveCheckpoint(makeCheckpoint(CHAIN_A, 3, 'first'));
      await storage.audit.saveCheckpoint(makeCheckpoint(CHAIN_A, 2, 'older'));
      const latest = makeCheckpoint(CHAIN_A, 3, 'second');
      await storage.audit.saveCheckpoint(latest);
      expect(await storage.audit.latestCheckpoint(CHAIN_A)).toEqual(latest);
      expect(await storage.audit.latestCheckpoint(CHAIN_B)).toBeUndefined();
    });

    test('chains are listed, all of them or those past their checkpoint', async () => {
      const a = await append(storage, { count: 3 });
      await append(storage, { chain: CHAIN_B, count: 2 });
      await storage.audit.saveCheckpoint(makeCheckpoint(CHAIN_B, 2, 'all'));
      await storage.audit.saveCheckpoint(makeCheckpoint(CHAIN_A, 1, 'part'));
      const all = await storage.audit.listChains('all');
      expect(all.map(({ chainId, head }) => [chainId, head.seq])).toEqual([
        [CHAIN_A, 3],
        [CHAIN_B, 2],
      ]);
      expect(await storage.audit.listChains('past-checkpoint')).toEqual([
        {
          chainId: CHAIN_A,
          head: { seq: 3, hash: a.group.events[2]?.hash },
          checkpointSeq: 1,
        },
      ]);
    });

    test('everything is there after closing and opening again', async () => {
      const { group } = await append(storage, {
        count: 2,
        changes: [putTenant(makeTenant(TENANT_A, 1), 0)],
        bus: [makeBus('p', 'kept')],
        idempotency: [makeIdempotency('s1', harness.clock.now())],
      });
      await storage.close();
      storage = await harness.open();
      expect(await storage.audit.readEvents({ chainId: CHAIN_A, fromSeq: 1, limit: 9 })).toEqual(
        group.events,
      );
      expect(await findTenant(storage, TENANT_A)).toBeDefined();
      expect(await storage.audit.findIdempotency('s1', at(0))).toBeDefined();
      expect((await storage.outbox.readFor('bus', 9))?.events[0]?.payload).toEqual({
        name: 'kept',
      });
    });

    test('a closed store refuses with store-unavailable', async () => {
      const closed = await harness.open();
      await closed.ping();
      await closed.close();
      await expect(closed.audit.head(CHAIN_A)).rejects.toMatchObject({
        code: 'store-unavailable',
      });
    });
  });
}

function makeCheckpoint(chain: string, seq: number, name: string): Checkpoint {
  return {
    tenant_id: chain,
    seq,
    hash: 'ab'.repeat(32),
    at: '2026-01-02T03:04:05.006Z',
    key_id: 'k1',
    signature: name,
  };
}
