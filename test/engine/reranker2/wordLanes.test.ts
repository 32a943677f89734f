/** Sixteen words at once cost what each costs alone, as WebAssembly and as its twin. */
import { describe, expect, test } from 'vitest';
import { pick, seededRandom } from '../../../bench/random.ts';
import { codesOf, editCost, TOO_FAR } from '../../../src/engine/reranker2/editCost.ts';
import { COST_MAX, LANES, WordLanes } from '../../../src/engine/reranker2/wordLanes.ts';

const LETTERS = 'aabehiklmosttuyzx09жب';
const random = seededRandom(17);

function word(most: number): string {
  const length = 1 + Math.floor(random() * most);
  return Array.from({ length }, () => pick(random, [...LETTERS])).join('');
}

/** Some letters of it doubled, lost or in each other's place. */
function slipped(text: string): string {
  const at = Math.floor(random() * text.length);
  const turned = text.charAt(at + 1) + text.charAt(at);
  const middle = pick(random, ['', text.charAt(at).repeat(2), turned, word(2)]);
  return text.slice(0, at) + middle + text.slice(at + 2);
}

describe.each([
  ['WebAssembly', new WordLanes()],
  ['the twin', new WordLanes(true)],
] as const)('%s', (_, lanes) => {
  test.each([4, 9, 23, 48])('compares words of up to %d letters', (most) => {
    for (let round = 0; round < 60; round++) {
      const query = codesOf(word(most));
      lanes.clear();
      const count = 1 + Math.floor(random() * LANES);
      const others = Array.from({ length: count }, () => word(most)).map((text, lane) =>
        codesOf(lane % 3 === 0 ? slipped(slipped(text)) : text),
      );
      for (const [lane, codes] of others.entries()) lanes.set(lane, codes);
      lanes.run(query);
      const expected = others.map((codes) =>
        Math.min(COST_MAX, editCost(query, codes, TOO_FAR - 1)),
      );
      expect([...lanes.costs.subarray(0, count)]).toEqual(expected);
    }
  });

  test('knows a word and its slips', () => {
    const codes = ['mohammed', 'mohamed', 'mohamemd', 'mohammad', ''].map(codesOf);
    lanes.clear();
    for (const [lane, one] of codes.entries()) lanes.set(lane, one);
    lanes.run(codesOf('mohammed'));
    expect([...lanes.costs.subarray(0, codes.length)]).toEqual([0, 5, 12, 9, 112]);
  });
});
