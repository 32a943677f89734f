/** The consonants of a word, by which words are found whose vowels differ or are left out. */
import { getU16, setU16 } from './machine.ts';

/**
 * Writes the consonants of `length` units at `text` to `out`, double ones once, and returns how
 * many. A unit that is no Latin letter counts as one; tokenSections.ts does the same.
 */
export function skeletonOf(text: i32, length: i32, out: i32): i32 {
  let count = 0;
  let before = 0;
  for (let at = 0; at < length; at++) {
    const unit = getU16(text + (at << 1));
    const isVowel: bool =
      unit === 0x61 || unit === 0x65 || unit === 0x69 || unit === 0x6f || unit === 0x75;
    if (isVowel || unit === before) continue;
    setU16(out + (count << 1), unit);
    count += 1;
    before = unit;
  }
  return count;
}
