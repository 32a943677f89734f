/** Which rows keep their place among the best, and what a row must have to be looked at. */
import { describe, expect, test } from 'vitest';
import { COLUMN, ROW_LENGTH, TopK } from '../../src/engine/topK.ts';

function row(entity: number, directScore: number, boost: number): Float64Array {
  const made = new Float64Array(ROW_LENGTH);
  made[COLUMN.entity] = entity;
  made[COLUMN.directScore] = directScore;
  made[COLUMN.finalScore] = directScore * boost;
  made[COLUMN.boost] = boost;
  return made;
}

describe('the best candidates', () => {
  test('what no answer shows takes the place of none that it does, whatever its boost', () => {
    const best = new TopK();
    best.reset({ answerScoreMin: 0.5, directScoreMin: 0.7, idOrder: () => 0, size: 1 });
    expect(best.directRequired(1)).toBe(0.5);
    expect(best.offer(row(1, 0.49, 1))).toBe(false);
    expect(best.offer(row(2, 0.6, 0.7))).toBe(true);
    // A finalScore of 0.42 is reached from 0.42 on, but nothing under 0.5 is shown.
    expect(best.directRequired(1)).toBe(0.5);
    expect(best.offer(row(3, 0.45, 1))).toBe(false);
    const written = new Float64Array(ROW_LENGTH);
    best.write(written, 0);
    expect([best.count, best.truncated, written[COLUMN.entity]]).toEqual([1, false, 2]);
  });
});
