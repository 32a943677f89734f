/** The lease of a subscriber over a store that fails. */
import { afterEach, expect, test } from 'vitest';
import type { OutboxEvent, SubscriberLease, SubscriberLeaseStore } from '#core/reactions';
import { WorkLost } from '#core/work';
import type { EpochMs } from '#platform/clock';
import {
  type SubscriberHold,
  SubscriberWatch,
} from '../../../src/core/reactions/subscriberHold.ts';

const EVENT: OutboxEvent = {
  createdAt: 0 as EpochMs,
  id: '7',
  partition: 'p',
  payload: {},
  topic: 'sanctions.screening.completed',
};

/** A store of one lease, that does not answer while `isAway`. */
class OneLease implements SubscriberLeaseStore {
  isAway = false;
  lease: SubscriberLease = { beat: 0, fence: 0, subscriber: 'one', tries: 0 };

  async findLease() {
    return this.lease;
  }
  async takeLease(seen: SubscriberLease, holder: string) {
    this.lease = { ...seen, beat: seen.beat + 1, fence: seen.fence + 1, holder };
    return this.lease;
  }
  async renewLease(next: SubscriberLease) {
    if (this.isAway) throw new Error('the store is away');
    this.lease = { ...next };
    return true;
  }
  async releaseLease() {
    const { holder: _, trying: __, ...free } = this.lease;
    this.lease = { ...free, tries: 0 };
  }
}

let hold: SubscriberHold | undefined;
afterEach(() => hold?.end());

test('what cannot be noted is not begun, and the lease is taken with care again', async () => {
  const store = new OneLease();
  const clock = { monotonicMs: () => 0 };
  const times = { leaseMs: 15_000, renewMs: 3_000 };
  const watch = new SubscriberWatch({ clock, holder: 'me', store, times }, 'one');
  hold = await watch.take();
  expect(hold?.isTakenOver).toBe(false);
  store.isAway = true;
  await expect(hold?.careful([EVENT])(EVENT.id)).rejects.toThrow(WorkLost);
  expect(hold?.signal.aborted).toBe(true);
  await hold?.end();
  expect(store.lease.holder).toBe('me');
  store.isAway = false;
  hold = await watch.take();
  expect(hold?.isTakenOver).toBe(true);
  expect(await hold?.careful([EVENT])(EVENT.id)).toBe(1);
  expect(store.lease).toMatchObject({ tries: 1, trying: EVENT.id });
});
