/**
 * Latin spellings of a word of another script as people write it, by what was learnt from names
 * that exist in both (config/tables, made by scripts/trainArabicSpellings.ts and
 * scripts/makeScriptReadings.ts): each letter of the word is one chunk of Latin letters, by its
 * neighbours.
 *
 * A beam search over the word's letters; costs are integers and ties go by code units, so every
 * host finds the same spellings in the same order. Cost is bounded by the letters of a word, BEAM
 * states and the table's few chunks per context.
 */
import { RecentMemo } from './recentMemo.ts';

/** Spellings of one word that are kept while it is searched. */
export const BEAM = 12;
/** Contexts whose chunks are kept, up to twice as many; a stranger's words must not fill memory. */
const CACHED_MAX = 5_000;

/** Context → its chunks with their costs, as the tables hold them. */
export type Rows = Readonly<Record<string, string>>;

interface Chunk {
  readonly text: string;
  readonly cost: number;
}

/** Kinds of contexts of a letter, from the letter alone to two letters on either side. */
const CONTEXTS = 5;

/**
 * The context of the letter at `at`. Kind 0 is the letter alone; each kind above adds a neighbour.
 */
function contextOf(letters: readonly string[], at: number, written: string, kind: number): string {
  const letter = letters[at] ?? '';
  if (kind === 0) return `0|${letter}`;
  const next = letters[at + 1] ?? '$';
  if (kind === 1) return `1|${letter}|${next}`;
  const last = written.slice(-1) || '^';
  if (kind === 2) return `2|${letter}|${next}|${last}`;
  const previous = letters[at - 1] ?? '^';
  if (kind === 3) return `3|${letter}|${next}|${last}|${previous}`;
  const around = `${previous}|${letters[at + 2] ?? '$'}${written.slice(-2, -1) || '^'}`;
  return `4|${letter}|${next}|${last}|${around}`;
}

/**
 * The contexts of the letter at `at` after the Latin text `written`, shortest first; the table is
 * asked for the longest one that it has. For the training script, which counts every kind.
 */
export function contextsOf(letters: readonly string[], at: number, written: string): string[] {
  return Array.from({ length: CONTEXTS }, (_, kind) => contextOf(letters, at, written, kind));
}

/** The rows of one table; they are laid out when a word is first spelt, each parsed when needed. */
export class SpellingTable {
  readonly #written: Rows;
  #rows: Map<string, string | readonly Chunk[]> | undefined;
  readonly #found = new RecentMemo(CACHED_MAX, () => new Map<string, readonly Chunk[]>());

  constructor(rows: Rows) {
    this.#written = rows;
  }

  /**
   * Ways to write a letter, by the last two letters written; called for each state of the beam.
   */
  ways(letters: readonly string[], at: number): (written: string) => readonly Chunk[] {
    // The key holds all that a context is made of, so few contexts are built.
    const around = `${letters[at - 1] ?? ''}|${letters[at] ?? ''}|${letters[at + 1] ?? ''}`;
    const found = this.#found.get(`${around}|${letters[at + 2] ?? ''}`);
    return (written) => {
      const key = written.slice(-2);
      const known = found.get(key);
      if (known !== undefined) return known;
      const chunks = this.#find(letters, at, written);
      found.set(key, chunks);
      return chunks;
    };
  }

  /** The row of the longest context in the table; a letter without any stays silent. */
  #find(letters: readonly string[], at: number, written: string): readonly Chunk[] {
    for (let kind = CONTEXTS - 1; kind >= 0; kind--) {
      const found = this.#row(contextOf(letters, at, written, kind));
      if (found !== undefined) return found;
    }
    return [{ text: '', cost: 0 }];
  }

  #row(context: string): readonly Chunk[] | undefined {
    this.#rows ??= new Map(Object.entries(this.#written));
    const row = this.#rows.get(context);
    if (typeof row !== 'string') return row;
    const chunks = row
      .split(' ')
      .map(parseChunk)
      .sort((one, other) => one.cost - other.cost);
    this.#rows.set(context, chunks);
    return chunks;
  }
}

/** `ou23`: the letters, then their cost. */
function parseChunk(written: string): Chunk {
  let digits = 0;
  while (written.charCodeAt(digits) > 57) digits += 1;
  return { text: written.slice(0, digits), cost: Number(written.slice(digits)) };
}

/** A spelling, and what it costs: -log2 of its likelihood, in sixteenths of a bit. */
export interface Spelt {
  readonly text: string;
  readonly cost: number;
}

/** At most BEAM Latin spellings of a word given by its letters, likeliest first. */
export function searchSpellings(letters: readonly string[], spellings: SpellingTable): Spelt[] {
  let states: Spelt[] = [{ text: '', cost: 0 }];
  for (let at = 0; at < letters.length; at++) {
    const ways = spellings.ways(letters, at);
    const next: Spelt[] = [];
    for (const { text, cost } of states) {
      for (const chunk of ways(text)) {
        // Ways ascend by cost: the rest cost more.
        if (!offer(next, text, chunk, cost + chunk.cost)) break;
      }
    }
    states = next;
  }
  return states.filter(({ text }) => text !== '');
}

/**
 * Keeps the BEAM best by cost and text, each text once at its least cost. False where the cost is
 * too high for any text.
 */
function offer(best: Spelt[], before: string, chunk: Chunk, cost: number): boolean {
  const worst = best[BEAM - 1];
  if (worst !== undefined && cost > worst.cost) return false;
  const state = { text: before + chunk.text, cost };
  if (worst !== undefined && !isBefore(state, worst)) return true;
  const same = placeOf(best, state.text);
  if (same >= 0) {
    if ((best[same]?.cost ?? 0) <= cost) return true;
    best.splice(same, 1);
  }
  let place = best.length;
  best.push(state);
  for (; place > 0; place--) {
    const other = best[place - 1] as Spelt;
    if (!isBefore(state, other)) break;
    best[place] = other;
  }
  best[place] = state;
  if (best.length > BEAM) best.pop();
  return true;
}

function placeOf(states: readonly Spelt[], text: string): number {
  for (let at = 0; at < states.length; at++) if (states[at]?.text === text) return at;
  return -1;
}

function isBefore(state: Spelt, other: Spelt): boolean {
  return state.cost < other.cost || (state.cost === other.cost && state.text < other.text);
}
