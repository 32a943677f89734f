/** Who waits before a place, in whose order, and who is told that it is over. */
import { describe, expect, test } from 'vitest';
import { TurnLine } from '../../src/platform/turnLine.ts';

const LONG_MS = 60_000;

/** A line of one place, whose work is ended by hand. */
function lineOfOne(waitingMax = 8) {
  const line = new TurnLine({ places: 1, waitingMax, what: 'reads' });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (
    turn: string,
    name: string,
    more: { deadlineMs?: number; signal?: AbortSignal } = {},
  ) => {
    const work = () => {
      begun.push(name);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    };
    const answer = line.run({ deadlineMs: LONG_MS, turn, ...more }, work);
    answer.catch(() => undefined); // looked at by the test
    return answer;
  };
  const end = async (name: string, answer: Promise<string>) => {
    ends.get(name)?.();
    expect(await answer).toBe(name);
  };
  return { ask, begun, end, line };
}

describe('a line before one place', () => {
  test('goes from tenant to tenant, however many one has waiting', async () => {
    const { ask, begun, end } = lineOfOne();
    const first = ask('a', 'a1');
    const answers = new Map([
      ['a2', ask('a', 'a2')],
      ['a3', ask('a', 'a3')],
      ['b1', ask('b', 'b1')],
    ]);
    await end('a1', first);
    for (const name of ['a2', 'b1', 'a3']) {
      await expect.poll(() => begun.at(-1)).toBe(name);
      await end(name, answers.get(name) ?? Promise.reject(new Error(name)));
    }
  });

  test('keeps room for one who has nothing in it', async () => {
    const { ask, line } = lineOfOne(4);
    void ask('a', 'a0');
    const refused: unknown[] = [];
    for (let no = 1; no <= 50; no++) ask('a', `a${no}`).catch(({ code }) => refused.push(code));
    await expect.poll(() => refused).toEqual(Array.from({ length: 48 }, () => 'line-full'));
    expect(line.waiting).toBe(2);
    void ask('b', 'b1');
    expect(line.waiting).toBe(3);
  });

  test('drops whose caller left, before it begins', async () => {
    const { ask, begun, end } = lineOfOne();
    const first = ask('a', 'a1');
    const client = new AbortController();
    const gone = ask('a', 'a2', { signal: client.signal });
    client.abort();
    await expect(gone).rejects.toMatchObject({ code: 'caller-gone' });
    await expect(ask('a', 'a3', { signal: client.signal })).rejects.toMatchObject({
      code: 'caller-gone',
    });
    await end('a1', first);
    expect(begun).toEqual(['a1']);
  });

  test('tells whoever waits at the deadline, though the place is held', async () => {
    const { ask, begun, end, line } = lineOfOne();
    const first = ask('a', 'a1');
    await expect(ask('b', 'b1', { deadlineMs: 1 })).rejects.toMatchObject({
      code: 'deadline-exceeded',
    });
    expect(line.waiting).toBe(0);
    await end('a1', first);
    expect(begun).toEqual(['a1']);
  });

  test('tells whose work takes too long, and gives the place on once it has ended', async () => {
    const { ask, begun, end } = lineOfOne();
    const late = ask('a', 'a1', { deadlineMs: 1 });
    await expect(late).rejects.toMatchObject({ code: 'deadline-exceeded' });
    const next = ask('b', 'b1');
    expect(begun).toEqual(['a1']);
    await end('a1', Promise.resolve('a1'));
    await expect.poll(() => begun).toEqual(['a1', 'b1']);
    await end('b1', next);
  });

  test('goes on after work that failed', async () => {
    const { line } = lineOfOne();
    const by = { deadlineMs: LONG_MS, turn: 'a' };
    await expect(line.run(by, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await line.run(by, async () => 'well')).toBe('well');
  });

  test('refuses all that wait where it is closed', async () => {
    const { ask, line } = lineOfOne();
    void ask('a', 'a1');
    const waits = ask('a', 'a2');
    line.refuseAll(new Error('closed'));
    await expect(waits).rejects.toThrow('closed');
  });
});
