/**
 * What it costs to turn the query's word into each of 16 words, by the costs of single letters
 * (optimal string alignment: no stretch is edited twice). wordCosts.as.ts does the 16 at once; here
 * they come one after the other. Both stop counting at 255.
 */
import { getU8, setU8 } from './machine.ts';
import {
  DOUBLED,
  SWAPPED,
  WORD_CHANGED,
  WORD_COLUMNS,
  WORD_COSTS,
  WORD_DROPPED,
  WORD_LANES,
  WORD_LENGTHS,
  WORD_LETTERS_MAX,
  WORD_QUERY,
} from './wordScratch.ts';

const COST_MAX = 255;
const rows = [0, 1, 2].map(() => new Int32Array(WORD_LETTERS_MAX + 1));

function dropped(code: i32, before: i32): i32 {
  return code === before ? DOUBLED : getU8(WORD_DROPPED + code);
}

/**
 * Compares the word at WORD_QUERY, of `letters` letters, with those in the lanes, of which the
 * longest has `most`.
 */
export function wordCosts(letters: i32, most: i32): void {
  for (let lane = 0; lane < WORD_LANES; lane++) {
    const length = Math.min(getU8(WORD_LENGTHS + lane), most);
    setU8(WORD_COSTS + lane, Math.min(COST_MAX, laneCost(lane, letters, length)));
  }
}

function laneCost(lane: i32, letters: i32, length: i32): i32 {
  let [beforeLast, last, row] = rows as [Int32Array, Int32Array, Int32Array];
  const codeAt = (at: i32): i32 => (at < 0 ? 0 : getU8(WORD_COLUMNS + at * WORD_LANES + lane));
  last[0] = 0;
  for (let at = 0; at < length; at++) {
    last[at + 1] = (last[at] as number) + dropped(codeAt(at), codeAt(at - 1));
  }
  let above = 0;
  for (let i = 0; i < letters; i++) {
    const code = getU8(WORD_QUERY + i);
    const gone = dropped(code, above);
    row[0] = (last[0] as number) + gone;
    for (let at = 0; at < length; at++) {
      const other = codeAt(at);
      const before = codeAt(at - 1);
      let cost = (last[at] as number) + getU8(WORD_CHANGED + code * 64 + other);
      cost = Math.min(cost, (last[at + 1] as number) + gone);
      cost = Math.min(cost, (row[at] as number) + dropped(other, before));
      if (at > 0 && above === other && before === code && other !== code) {
        cost = Math.min(cost, (beforeLast[at - 1] as number) + SWAPPED);
      }
      row[at + 1] = cost;
    }
    above = code;
    [beforeLast, last, row] = [last, row, beforeLast];
  }
  return last[length] as number;
}
