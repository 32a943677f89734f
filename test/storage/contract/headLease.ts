/** The fenced lease of a chain's head: who may append, and who is refused. */
import { spawnSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HOLDER_HOST } from '#core/work';
import type { Storage } from '../../../src/storage/index.ts';
import {
  CHAIN_A,
  CHAIN_B,
  LONG_MS,
  type MakeHarness,
  makeGroup,
  type StoreHarness,
  TTL_MS,
  takeHead,
  takeOverHead,
} from './harness.ts';

const KEEP = { ttlMs: TTL_MS, release: false };
const RELEASE = { ttlMs: TTL_MS, release: true };

export function headLeaseContract(technology: string, makeHarness: MakeHarness): void {
  describe(`${technology}: lease of the head`, () => {
    let harness: StoreHarness;
    let one: Storage;
    let two: Storage;

    beforeEach(async () => {
      harness = await makeHarness();
      one = await harness.open();
      two = await harness.open();
    });
    afterEach(async () => {
      await one.close();
      await two.close();
      await harness.dispose();
    });
    const ask = (holder: string, chainId = CHAIN_A) => ({ chainId, holder, ttlMs: TTL_MS });

    test('a live lease keeps others away, of its own chain only', async () => {
      await takeHead(one, CHAIN_A, 'one');
      expect(await two.audit.takeHead(ask('two'))).toBeUndefined();
      expect(await two.audit.takeHead(ask('two', CHAIN_B))).toBeDefined();
    });

    test('who keeps it is seen, with the line, and whether it moves', async () => {
      const lease = await takeHead(one, CHAIN_A, 'one');
      const [alone] = await two.heldHeads();
      expect(alone).toMatchObject({ chainId: CHAIN_A, holder: 'one', waiting: 0 });
      await two.audit.takeHead(ask('two'));
      expect(await one.heldHeads()).toEqual([{ ...alone, waiting: 1 }]);
      await one.audit.appendGroup(lease, makeGroup({ fromSeq: 1 }), KEEP);
      const [moved] = await two.heldHeads();
      expect(moved?.pulse).not.toBe(alone?.pulse);
      await one.audit.releaseHead(lease);
      expect(await one.heldHeads()).toMatchObject([{ holder: 'two', waiting: 0 }]);
      const next = await takeHead(two, CHAIN_A, 'two');
      expect(next.isTakenOver).toBeUndefined();
      await two.audit.releaseHead(next);
      expect(await one.heldHeads()).toEqual([]);
    });

    test('its holder renews it without losing it', async () => {
      const lease = await takeHead(one, CHAIN_A, 'one');
      expect(await two.audit.takeHead(ask('two'))).toBeUndefined();
      harness.clock.advance(TTL_MS - 1);
      const renewed = await takeHead(one, CHAIN_A, 'one');
      expect(await two.audit.takeHead(ask('two'))).toBeUndefined();
      harness.clock.advance(TTL_MS - 1);
      expect(await two.audit.takeHead(ask('two'))).toBeUndefined();
      expect(renewed.fence).toBe(lease.fence);
      const result = await one.audit.appendGroup(lease, makeGroup({ fromSeq: 1 }), KEEP);
      expect(result.kind).toBe('appended');
    });

    test('an append renews it', async () => {
      const lease = await takeHead(one, CHAIN_A, 'one');
      expect(await two.audit.takeHead(ask('two'))).toBeUndefined();
      harness.clock.advance(TTL_MS - 1);
      await one.audit.appendGroup(lease, makeGroup({ fromSeq: 1 }), KEEP);
      expect(await two.audit.takeHead(ask('two'))).toBeUndefined();
      harness.clock.advance(TTL_MS - 1);
      expect(await two.audit.takeHead(ask('two'))).toBeUndefined();
    });

    test('who saw it stand still for its length takes it, and the first is fenced', async () => {
      const old = await takeHead(one, CHAIN_A, 'one');
      expect(await two.audit.takeHead(ask('two'))).toBeUndefined();
      harness.clock.advance(TTL_MS);
      const lease = await takeHead(two, CHAIN_A, 'two');
      expect([old.isTakenOver, lease.isTakenOver]).toEqual([undefined, true]);
      expect(lease.fence).toBeGreaterThan(old.fence);
      const group = makeGroup({ fromSeq: 1, label: 'late' });
      expect(await one.audit.appendGroup(old, group, KEEP)).toEqual({ kind: 'fenced' });
      const won = await two.audit.appendGroup(lease, makeGroup({ fromSeq: 1 }), KEEP);
      expect(won.kind).toBe('appended');
      expect(await one.audit.appendGroup(old, group, KEEP)).toEqual({ kind: 'fenced' });
      expect((await one.audit.head(CHAIN_A)).seq).toBe(1);
    });

    test('time that nobody watched ends no lease', async () => {
      await takeHead(one, CHAIN_A, 'one');
      harness.clock.advance(LONG_MS);
      expect(await two.audit.takeHead(ask('two'))).toBeUndefined();
    });

    const HOUR_MS = 60 * 60 * 1000;
    test.each([HOUR_MS, -HOUR_MS])('a wall clock %i ms off ends no lease', async (offMs) => {
      await takeHead(one, CHAIN_A, 'one');
      expect(await two.audit.takeHead(ask('two'))).toBeUndefined();
      harness.clock.set(offMs);
      expect(await two.audit.takeHead(ask('two'))).toBeUndefined();
    });

    test('who dies with its clock an hour ahead is waited for as long as any other', async () => {
      harness.clock.set(HOUR_MS);
      const old = await takeHead(one, CHAIN_A, 'one');
      await one.audit.appendGroup(old, makeGroup({ fromSeq: 1 }), KEEP);
      harness.clock.set(-HOUR_MS);
      expect(await two.audit.takeHead(ask('two'))).toBeUndefined();
      harness.clock.advance(TTL_MS);
      const lease = await takeHead(two, CHAIN_A, 'two');
      const next = await two.audit.appendGroup(lease, makeGroup({ fromSeq: 2 }), KEEP);
      expect(next.kind).toBe('appended');
      expect(await two.audit.takeHead(ask('three'))).toBeUndefined();
      harness.clock.advance(TTL_MS - 1);
      await two.audit.appendGroup(lease, makeGroup({ fromSeq: 3 }), KEEP);
      expect(await two.audit.takeHead(ask('three'))).toBeUndefined();
      harness.clock.advance(TTL_MS - 1);
      expect(await two.audit.takeHead(ask('three'))).toBeUndefined();
    });

    test('past its time but not taken, it still writes', async () => {
      const lease = await takeHead(one, CHAIN_A, 'one');
      harness.clock.advance(LONG_MS);
      const result = await one.audit.appendGroup(lease, makeGroup({ fromSeq: 1 }), KEEP);
      expect(result.kind).toBe('appended');
    });

    test('a released lease is over for its holder', async () => {
      const lease = await takeHead(one, CHAIN_A, 'one');
      await one.audit.appendGroup(lease, makeGroup({ fromSeq: 1 }), RELEASE);
      const again = await one.audit.appendGroup(lease, makeGroup({ fromSeq: 2 }), KEEP);
      expect(again).toEqual({ kind: 'fenced' });
      const next = await takeHead(two, CHAIN_A, 'two');
      expect(next.head.seq).toBe(1);
      await two.audit.releaseHead(next);
      const late = await two.audit.appendGroup(next, makeGroup({ fromSeq: 2 }), KEEP);
      expect(late).toEqual({ kind: 'fenced' });
    });

    test('releasing an old lease leaves the new one alone', async () => {
      const old = await takeHead(one, CHAIN_A, 'one');
      const lease = await takeOverHead(two, harness.clock, { chainId: CHAIN_A, holder: 'two' });
      await one.audit.releaseHead(old);
      const result = await two.audit.appendGroup(lease, makeGroup({ fromSeq: 1 }), KEEP);
      expect(result.kind).toBe('appended');
    });

    test('the holder hears that another waits, and its release hands over', async () => {
      const lease = await takeHead(one, CHAIN_A, 'one');
      const before = await one.audit.appendGroup(lease, makeGroup({ fromSeq: 1 }), KEEP);
      expect(before).toEqual({ kind: 'appended', headWanted: false });
      expect(await two.audit.takeHead(ask('two'))).toBeUndefined();
      const after = await one.audit.appendGroup(lease, makeGroup({ fromSeq: 2 }), RELEASE);
      expect(after).toEqual({ kind: 'appended', headWanted: true });
      expect(await one.audit.takeHead(ask('one'))).toBeUndefined();
      const mine = await takeHead(two, CHAIN_A, 'two');
      expect(mine.head.seq).toBe(2);
      expect(mine.fence).toBeGreaterThan(lease.fence);
    });

    test('those who wait get it in the order in which they came', async () => {
      const names = ['one', 'two', 'three', 'four'];
      let lease = await takeHead(one, CHAIN_A, 'one');
      const others = async (but: string): Promise<void> => {
        // Twice: only the first ask of each counts.
        for (const name of [...names, ...names].filter((other) => other !== but)) {
          expect(await two.audit.takeHead(ask(name))).toBeUndefined();
        }
      };
      for (let turn = 1; turn <= 8; turn++) {
        await others(names[(turn - 1) % 4] ?? '');
        const group = makeGroup({ fromSeq: turn });
        await one.audit.appendGroup(lease, group, turn % 2 === 0 ? RELEASE : KEEP);
        if (turn % 2 !== 0) await one.audit.releaseHead(lease);
        await others(names[turn % 4] ?? '');
        lease = await takeHead(turn % 2 === 0 ? one : two, CHAIN_A, names[turn % 4]);
      }
    });

    test('who is slow to take what it was handed is waited for', async () => {
      const lease = await takeHead(one, CHAIN_A, 'one');
      expect(await two.audit.takeHead(ask('two'))).toBeUndefined();
      await one.audit.releaseHead(lease);
      expect(await one.audit.takeHead(ask('one'))).toBeUndefined();
      // Its event loop was busy, or the store took its time.
      harness.clock.advance(400);
      expect(await one.audit.takeHead(ask('one'))).toBeUndefined();
      expect((await takeHead(two, CHAIN_A, 'two')).fence).toBeGreaterThan(lease.fence);
    });

    test('a handover to one that died ends soon', async () => {
      const lease = await takeHead(one, CHAIN_A, 'one');
      await two.audit.takeHead(ask('dead'));
      await one.audit.releaseHead(lease);
      expect(await one.audit.takeHead(ask('one'))).toBeUndefined();
      harness.clock.advance(1_000);
      expect(await one.audit.takeHead(ask('one'))).toBeDefined();
    });

    test('a holder of this host that has ended is not waited for', async () => {
      const { pid = 0, status } = spawnSync(process.execPath, ['--version']);
      expect(status).toBe(0);
      const dead = `${HOLDER_HOST}/gateway/${pid}/a`;
      const old = await takeHead(one, CHAIN_A, dead);
      const lease = await takeHead(two, CHAIN_A, `${HOLDER_HOST}/gateway/${process.pid}/b`);
      expect(lease.fence).toBeGreaterThan(old.fence);
      const late = await one.audit.appendGroup(old, makeGroup({ fromSeq: 1 }), KEEP);
      expect(late).toEqual({ kind: 'fenced' });
    });

    test('one of another host that may have ended is waited for', async () => {
      const { pid = 0 } = spawnSync(process.execPath, ['--version']);
      await takeHead(one, CHAIN_A, `elsewhere/gateway/${pid}/a`);
      const ownName = `${HOLDER_HOST}/gateway/${process.pid}/b`;
      expect(await two.audit.takeHead(ask(ownName))).toBeUndefined();
      harness.clock.advance(TTL_MS);
      expect(await two.audit.takeHead(ask(ownName))).toBeDefined();
    });

    test('of many who ask at once, one gets it', async () => {
      const asks = Array.from({ length: 8 }, (_, index) =>
        (index % 2 === 0 ? one : two).audit.takeHead(ask(`holder-${index}`)),
      );
      const leases = (await Promise.all(asks)).filter((lease) => lease !== undefined);
      expect(leases).toHaveLength(1);
    });
  });
}
