/**
 * Words of names in Latin letters, by the engine's tables: letter by letter as they are compared on
 * lists, with the signs between them as they stand.
 */
import { latinWords } from '#engine';

const RUNS = /[\p{L}\p{M}]+|[^\p{L}\p{M}]+/gu;
const ASCII = /^[\u0020-\u007e]+$/;

export const romaniseWords = async (words: readonly string[]): Promise<readonly string[]> =>
  words.map((word) =>
    (word.match(RUNS) ?? []).map((run) => (ASCII.test(run) ? run : latinOf(run))).join(''),
  );

/** Scripts without capitals, and words that begin with one, give one. */
function latinOf(run: string): string {
  const latin = latinWords(run).join(' ');
  const [first = ''] = run;
  const isLower = first === first.toLowerCase() && first !== first.toUpperCase();
  return isLower ? latin : latin.replaceAll(/(?:^| )[a-z]/g, (start) => start.toUpperCase());
}
