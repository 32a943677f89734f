/** Pieces of work take iterations of the event loop in turns. */
import { setImmediate as iteration } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { loopTurn } from '#platform/loopTurns';

/** How many iterations of the event loop had begun at each piece. */
async function iterationsOf(callers: number, piecesEach: number): Promise<readonly number[]> {
  let iterations = 0;
  let isOver = false;
  const counting = (async () => {
    while (!isOver) {
      await iteration();
      iterations++;
    }
  })();
  const at: number[] = [];
  const all = Array.from({ length: callers }, async () => {
    for (let piece = 0; piece < piecesEach; piece++) {
      await loopTurn();
      at.push(iterations);
    }
  });
  await Promise.all(all);
  isOver = true;
  await counting;
  return at;
}

it('gives callers that are ready together an iteration each', async () => {
  const at = await iterationsOf(20, 3);
  expect(at).toHaveLength(60);
  expect(new Set(at).size).toBe(60);
});

it('serves callers in the order in which they ask', async () => {
  const order: string[] = [];
  const caller = async (name: string): Promise<void> => {
    for (let piece = 0; piece < 2; piece++) {
      await loopTurn();
      order.push(name);
    }
  };
  await Promise.all([caller('a'), caller('b'), caller('c')]);
  expect(order).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
});
