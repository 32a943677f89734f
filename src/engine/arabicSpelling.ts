/**
 * Latin spellings of one Arabic word as people write it, learnt from names that exist in both
 * scripts (config/tables/arabicSpellings.json, made by scripts/trainArabicSpellings.ts). They cover
 * short vowels that Arabic leaves out, foreign names (`الكساندرو`), and letters that are read in
 * several ways. The search is that of letterSpelling.ts.
 */
import table from '../../config/tables/arabicSpellings.json' with { type: 'json' };
import { type Rows, SpellingTable, searchSpellings } from './letterSpelling.ts';
import { RecentMemo } from './recentMemo.ts';

const LETTERS_MAX = 24;
/** Words that are kept, up to twice as many; a stranger's words must not fill the memory. */
const CACHED_MAX = 5_000;

const SHIPPED = new SpellingTable(table.rows);
const answers = new RecentMemo(CACHED_MAX, (word) => search(word, SHIPPED));

/**
 * At most `count` (1..12) Latin spellings of a folded Arabic word, likeliest first; letters after
 * the 24th are ignored. `rows` replaces the shipped table and skips the cache, for training.
 */
export function spellArabic(word: string, count: number, rows?: Rows): readonly string[] {
  if (rows !== undefined) return search(word, new SpellingTable(rows)).slice(0, count);
  return answers.get(word).slice(0, count);
}

function search(word: string, spellings: SpellingTable): readonly string[] {
  const letters = [...word].slice(0, LETTERS_MAX);
  return searchSpellings(letters, spellings).map(({ text }) => text);
}
