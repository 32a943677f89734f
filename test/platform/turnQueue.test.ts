/** Whose turn it is, and how much of the queue one may have. */
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../bench/random.ts';
import { TurnQueue } from '../../src/platform/turnQueue.ts';

interface Job {
  readonly turn: string;
  readonly no: number;
}

const job = (turn: string, no: number): Job => ({ no, turn });
const jobs = (turn: string, count: number): Job[] =>
  Array.from({ length: count }, (_, no) => job(turn, no));
const nameOf = ({ no, turn }: Job): string => `${turn}${no}`;

/** As many as find room. */
function fill(queue: TurnQueue<Job>, turn: string): number {
  for (let count = 0; ; count++) if (!queue.offer(job(turn, count))) return count;
}

function takeAll(queue: TurnQueue<Job>): string[] {
  const taken: string[] = [];
  for (let next = queue.take(); next !== undefined; next = queue.take()) taken.push(nameOf(next));
  return taken;
}

describe('turns', () => {
  test('go round, each in the order of its own jobs', () => {
    const queue = new TurnQueue<Job>(100);
    for (const one of [...jobs('a', 4), ...jobs('b', 1), ...jobs('c', 2)]) queue.offer(one);
    expect(takeAll(queue)).toEqual(['a0', 'b0', 'c0', 'a1', 'c1', 'a2', 'a3']);
    expect([queue.count, queue.take()]).toEqual([0, undefined]);
  });

  test('one that comes late waits for one job of each other, not for their backlog', () => {
    const queue = new TurnQueue<Job>(1_000);
    for (const one of [...jobs('a', 200), ...jobs('b', 200)]) queue.offer(one);
    queue.take();
    queue.offer(job('late', 0));
    expect([queue.take(), queue.take(), queue.take()].map((one) => one?.turn)).toEqual([
      'b',
      'a',
      'late',
    ]);
  });
});

describe('room', () => {
  test('one alone gets half, and leaves as much for others', () => {
    const queue = new TurnQueue<Job>(2_000);
    expect(fill(queue, 'a')).toBe(1_000);
    expect(queue.offer(job('b', 0))).toBe(true);
    expect(queue.offer(job('a', 1_000))).toBe(false);
  });

  test.for([1, 2, 5, 20])(
    '%i that want all of it get the same, and as much stays free',
    (count) => {
      const most = 1_050;
      const queue = new TurnQueue<Job>(most);
      const turns = Array.from({ length: count }, (_, at) => `t${at}`);
      const held = new Map(turns.map((turn) => [turn, 0]));
      for (let refused = 0; refused < count; ) {
        refused = 0;
        for (const turn of turns) {
          if (queue.offer(job(turn, 0))) held.set(turn, (held.get(turn) ?? 0) + 1);
          else refused += 1;
        }
      }
      for (const places of held.values()) {
        expect(Math.abs(places - most / (count + 1))).toBeLessThanOrEqual(1);
      }
      expect(queue.offer(job('one more', 0))).toBe(true);
    },
  );

  test('a queue of one place takes one job', () => {
    const queue = new TurnQueue<Job>(1);
    expect([queue.offer(job('a', 0)), queue.offer(job('b', 0))]).toEqual([true, false]);
  });
});

test('what is taken out of turn is gone, and makes room', () => {
  const queue = new TurnQueue<Job>(6);
  const [first, second] = [job('a', 0), job('a', 1)] as const;
  for (const one of [first, second, job('b', 0)]) queue.offer(one);
  expect([queue.remove(second), queue.remove(second), queue.remove(job('a', 0))]).toEqual([
    true,
    false,
    false,
  ]);
  expect(queue.count).toBe(2);
  expect(takeAll(queue)).toEqual(['a0', 'b0']);
});

test('the oldest jobs of every turn go where they are over', () => {
  const queue = new TurnQueue<Job>(100);
  for (const one of [...jobs('a', 4), ...jobs('b', 3), job('c', 9)]) queue.offer(one);
  expect(queue.removeOver(({ no }) => no < 2).map(nameOf)).toEqual(['a0', 'a1', 'b0', 'b1']);
  expect(takeAll(queue)).toEqual(['a2', 'b2', 'c9', 'a3']);
});

test('nothing is lost or given twice, whatever is done in whichever order', () => {
  const random = seededRandom(16);
  const queue = new TurnQueue<Job>(40);
  const inside = new Set<Job>();
  for (let step = 0; step < 20_000; step++) {
    const choice = random();
    if (choice < 0.5) {
      const one = job('abcdefg'[Math.floor(random() * 7)] ?? 'a', step);
      if (queue.offer(one)) inside.add(one);
    } else if (choice < 0.8) {
      const one = queue.take();
      expect(one === undefined ? inside.size === 0 : inside.delete(one)).toBe(true);
    } else {
      const [one] = inside;
      if (one !== undefined && random() < 0.5) expect(queue.remove(one)).toBe(inside.delete(one));
    }
    expect(queue.count).toBe(inside.size);
  }
});
