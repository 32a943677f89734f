/**
 * Latin spellings of words of one script, learnt from names that exist in both: the words that are
 * common have a table of their own, the others are spelt letter by letter (letterSpelling.ts).
 */
import { type Rows, SpellingTable, searchSpellings } from '../letterSpelling.ts';
import { RecentMemo } from '../recentMemo.ts';

/** Letters of a word that are spelt; the rest is left out. */
const LETTERS_MAX = 24;
/** Words that are kept, up to twice as many; a stranger's words must not fill the memory. */
const CACHED_MAX = 2_000;

/** A script's tables, as scripts/makeScriptReadings.ts writes them. */
export interface ScriptTable {
  /** A common word → its spellings, most frequent first, separated by spaces. */
  readonly words: Readonly<Record<string, string>>;
  readonly rows: Rows;
}

/** One script's spellings. */
export class LearntScript {
  readonly #table: ScriptTable;
  /** Laid out for the first word: a thread that meets none of its script does without. */
  #words: ReadonlyMap<string, string> | undefined;
  readonly #rows: SpellingTable;
  readonly #memo: RecentMemo<readonly string[]>;

  /** @param lettersOf the letters that the table was learnt by */
  constructor(table: ScriptTable, lettersOf: (word: string) => readonly string[]) {
    this.#table = table;
    this.#rows = new SpellingTable(table.rows);
    this.#memo = new RecentMemo(CACHED_MAX, (word) => this.#spell(lettersOf(word), word));
  }

  /** Spellings of a folded word, likeliest first: at most three that are known, and twelve more. */
  spellings(word: string): readonly string[] {
    return this.#memo.get(word);
  }

  /** Whether the word has a place in the table of common words. */
  knows(word: string): boolean {
    return this.#known().has(word);
  }

  #known(): ReadonlyMap<string, string> {
    this.#words ??= new Map(Object.entries(this.#table.words));
    return this.#words;
  }

  #spell(letters: readonly string[], word: string): readonly string[] {
    const known = this.#known().get(word)?.split(' ') ?? [];
    const made = searchSpellings(letters.slice(0, LETTERS_MAX), this.#rows);
    return [...new Set([...known, ...made.map(({ text }) => text)])];
  }
}
