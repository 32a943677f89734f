/** The line for a head, and what a process of a former release makes of it. */
import { expect, test } from 'vitest';
import type { ChainId } from '../../src/core/kernel/index.ts';
import {
  askForLease,
  LEASE_FREE,
  type LeaseState,
  mustWait,
  releaseLease,
  silenceMs,
  understood,
} from '../../src/storage/headLease.ts';
import { HEAD_LINE_MAX } from '../../src/storage/limits.ts';

const chainId = '0190aaaa-0000-7000-8000-00000000000a' as ChainId;
const askOf = (holder: string) => ({ chainId, holder, ttlMs: 3_000 });
const seen = { isSilent: false, nowMs: 1_000 };
const asked = (state: LeaseState, ...holders: readonly string[]) =>
  holders.reduce((before, holder) => askForLease(before, askOf(holder), seen), state);

test('the line has room for so many; others wait until somebody has left it', () => {
  const names = Array.from({ length: HEAD_LINE_MAX }, (_, n) => `waits-${n}`);
  const full = asked(LEASE_FREE, 'holder', ...names);
  expect(mustWait(full, askOf('late'))).toBe(true);
  expect(asked(full, 'late')).toBe(full);
  const released = releaseLease(full);
  expect(released.holder).toBe('waits-0');
  expect(mustWait(released, askOf('late'))).toBe(false);
});

test('an offer that is not taken ends sooner than a lease', () => {
  const held = asked(LEASE_FREE, 'one', 'two');
  expect(silenceMs(held, askOf('three'))).toBe(3_000);
  const offered = releaseLease(held);
  expect(silenceMs(offered, askOf('three'))).toBeLessThan(3_000);
  const taken = asked(offered, 'two');
  expect(taken).toMatchObject({ fence: offered.fence, holder: 'two' });
  expect(silenceMs(taken, askOf('three'))).toBe(3_000);
});

test('who takes over leaves the others in line', () => {
  const held = asked(LEASE_FREE, 'dead', 'two', 'three');
  const taken = askForLease(held, askOf('three'), { ...seen, isSilent: true });
  expect(taken).toMatchObject({ fence: 2, holder: 'three', wantedBy: 'two' });
});

test('a former release hands the head to the whole line: its first has it', () => {
  const held = asked(LEASE_FREE, 'former', 'two', 'three');
  const released = { ...held, fence: 9, holder: held.wantedBy, leaseUntil: 1_100, wantedBy: null };
  const offered = understood(released);
  expect(offered).toEqual({ fence: 9, holder: 'two', leaseUntil: 0, wantedBy: 'three' });
  expect(mustWait(offered, askOf('two'))).toBe(false);
});

test('who only passes takes a free head, and leaves no name in a line', () => {
  const passing = { ...askOf('look'), isPassing: true } as const;
  const held = asked(LEASE_FREE, 'one');
  expect(mustWait(held, passing)).toBe(true);
  expect(askForLease(held, passing, seen)).toBe(held);
  expect(releaseLease(held).holder).toBeNull();
  expect(askForLease(releaseLease(held), passing, seen).holder).toBe('look');
  expect(askForLease(held, passing, { ...seen, isSilent: true }).holder).toBe('look');
});
