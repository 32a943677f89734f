/** Turns by tenant, and the pauses of what failed. */
import { expect, test } from 'vitest';
import { Turns } from '#core/work';
import { Failures } from '../../../src/core/work/failures.ts';

const lane = (tenantId: string, name: string) => ({ name: `${tenantId}${name}`, tenantId });

test('the tenant that waited longest is next, and of its lanes the one that did', () => {
  const turns = new Turns();
  const waiting = [lane('a', '1'), lane('a', '2'), lane('a', '3'), lane('b', '1')];
  const served = Array.from({ length: 8 }, () => turns.next(waiting)?.name);
  expect(served).toEqual(['a1', 'b1', 'a2', 'b1', 'a3', 'b1', 'a1', 'b1']);
});

test('one who comes later is next, and has no turns to make up for', () => {
  const turns = new Turns();
  const [a, b] = [lane('a', '1'), lane('b', '1')];
  for (let time = 0; time < 5; time++) turns.next([a]);
  expect([turns.next([a, b]), turns.next([a, b]), turns.next([a, b])]).toEqual([b, a, b]);
});

test('a tenant and a lane of one name are two things, and what has gone is forgotten', () => {
  const turns = new Turns();
  const [same, other] = [
    { name: 'x', tenantId: 'y' },
    { name: 'y', tenantId: 'x' },
  ];
  expect([turns.next([same]), turns.next([same, other])]).toEqual([same, other]);
  turns.forgetAllBut([other]);
  expect(turns.next([other, same])).toBe(same);
  expect(turns.next([])).toBeUndefined();
});

test('turns that a process before this one has given count in this one', () => {
  const before = new Turns();
  const [a, b] = [lane('a', '1'), lane('b', '1')];
  before.learn([a, b]);
  expect(before.next([a, b])).toBe(a);
  const stored = { ...a, turn: before.last };
  // As often as processes come and go, the other tenant has its turn.
  const after = new Turns();
  after.learn([stored, b]);
  expect(after.next([stored, b])).toBe(b);
  expect(after.last).toBe(before.last + 1);
  const third = new Turns();
  const both = [stored, { ...b, turn: after.last }];
  third.learn(both);
  expect(third.next(both)?.name).toBe('a1');
});

test('a stored turn that is old lowers none', () => {
  const turns = new Turns();
  const [a, b] = [lane('a', '1'), { ...lane('b', '1'), turn: 7 }];
  turns.learn([a, b]);
  expect([turns.next([a, b])?.name, turns.last]).toEqual(['a1', 8]);
  turns.learn([{ ...a, turn: 2 }, b]);
  expect(turns.next([a, b])?.name).toBe('b1');
});

test('what failed is left alone until its pause is over', () => {
  let now = 0;
  const failures = new Failures({ monotonicMs: () => now });
  expect(failures.mayTry('a')).toBe(true);
  failures.putOff('a', 5_000);
  expect([failures.mayTry('a'), failures.mayTry('b')]).toEqual([false, true]);
  now = 4_999;
  expect(failures.mayTry('a')).toBe(false);
  failures.forgetAllBut(new Set(['b']));
  expect(failures.mayTry('a')).toBe(true);
});
