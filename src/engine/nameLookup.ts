/**
 * Entries by what a person types: one of their names has, for each word typed, a word that is it,
 * begins with it, or sounds like its beginning. It is for finding an entry, not for screening: what
 * is typed wrong is not found.
 *
 * The rarest word leads to tokens (dictionaryHeads.ts), and these to entities by the postings that
 * screening uses, in shared memory; their names are then compared with all the words. Beside the
 * dictionary a list takes 4 bytes an entity here.
 */
import { ListText } from './answer.ts';
import { DictionaryHeads, LIKENESS, type TypedWord } from './dictionaryHeads.ts';
import { foldReadings } from './foldName.ts';
import { LENGTH_BITS } from './native/tokens.ts';
import { isRemoved } from './overlayFormat.ts';
import type { LookupAnswer, LookupAsk, LookupPlace, LookupRow } from './ports.ts';
import { openSnapshot, type Snapshot } from './snapshotFormat.ts';

/** Words of what was typed that are looked up. */
const WORDS_MAX = 8;
/** Entities that a word alone leads to; the first letter of a name has ten times as many. */
const ENTITIES_MAX = 50_000;
/** Entities whose names are compared with several words: what takes the time. */
const COMPARED_MAX = 10_000;
/** Bytes at the start of a snapshot that tell it from any other: its length and checksum. */
const HEADER_BYTES = 32;
/** Ranks of one likeness: by letters that the name has beyond what was typed. */
const NEARNESSES = 1 << LENGTH_BITS;
const LENGTH_MASK = NEARNESSES - 1;
/** Ranks from 0 on: likenesses of all words together, then nearness. */
export const LOOKUP_RANKS = NEARNESSES * (LIKENESS.sounds * WORDS_MAX + 1);
/** Rank of an entity without such a name. */
const NO_RANK = LOOKUP_RANKS;
const UNRANKED = LOOKUP_RANKS + 1;
/** A form stores a token's number in 24 bits. */
const TOKEN_MASK = 0xffffff;

/** A part of an index in shared memory, and whose index it is. */
export interface LookupPart {
  readonly buffer: SharedArrayBuffer;
  readonly removed: Uint8Array | undefined;
  /** Place of the index among those of the question. */
  readonly index: number;
}

/** Looks up in the parts that it is given; keeps what it made of them while they are in use. */
export class NameLookup {
  readonly #lists = new Map<string, LookupList>();

  /** Makes what is new, and forgets what is not in use any more. */
  use(inUse: readonly Pick<LookupPart, 'buffer'>[]): void {
    const keys = new Set(inUse.map(({ buffer }) => keyOf(buffer)));
    for (const key of this.#lists.keys()) if (!keys.has(key)) this.#lists.delete(key);
    for (const { buffer } of inUse) this.#listOf(buffer);
  }

  /** Answers a page over these parts. */
  search(parts: readonly LookupPart[], ask: LookupAsk): LookupAnswer {
    const forms = formsOf(ask.text);
    if (forms.length === 0) return { hasMore: false, isEmpty: true, isTruncated: false, rows: [] };
    const found = parts.map((part) => {
      const list = this.#listOf(part.buffer);
      return { list, part, ...list.search(forms, part.removed) };
    });
    const rows: LookupRow[] = [];
    for (let rank = ask.after?.rank ?? 0; rank < LOOKUP_RANKS; rank++) {
      const heads = found.flatMap(({ list, part, places, row }) => {
        const of = places.of(rank);
        if (of.length === 0) return [];
        const at = list.firstAfter(of, { index: part.index, rank }, ask.after);
        return [{ at, list, of, part, row }];
      });
      for (;;) {
        const next = leastOf(heads);
        if (next === undefined) break;
        if (rows.length === ask.limit) {
          return { hasMore: true, isEmpty: false, isTruncated: found.some(isCut), rows };
        }
        const entity = next.of[next.at++] ?? 0;
        rows.push({ ...next.row(entity), index: next.part.index, rank });
      }
    }
    return { hasMore: false, isEmpty: false, isTruncated: found.some(isCut), rows };
  }

  #listOf(buffer: SharedArrayBuffer): LookupList {
    const key = keyOf(buffer);
    const list = this.#lists.get(key) ?? new LookupList(openSnapshot(buffer));
    this.#lists.set(key, list);
    return list;
  }
}

const isCut = ({ isTruncated }: { readonly isTruncated: boolean }): boolean => isTruncated;
const keyOf = (buffer: SharedArrayBuffer): string =>
  Buffer.from(new Uint8Array(buffer, 0, HEADER_BYTES)).toString('latin1');

/** Words of one form of what was typed. */
type Form = readonly string[];

/**
 * Words as they are compared: in the script that was typed, and in Latin letters. Single letters at
 * the end are read in both ways, since nobody said whether a person is meant.
 */
function formsOf(text: string): readonly Form[] {
  const forms = foldReadings(text, undefined).flatMap(({ latin, native }) => [native, latin]);
  const words = [...new Set(forms)].map((form) => form.split(' ').filter(Boolean));
  return words.filter((form) => form.length > 0).map((form) => form.slice(0, WORDS_MAX));
}

/** What a search has found in one list. */
interface Found {
  readonly places: Places;
  readonly isTruncated: boolean;
  /** An entity with the name that answers best. */
  row(entity: number): Pick<LookupRow, 'id' | 'card' | 'matchedName'>;
}

interface Head {
  readonly list: LookupList;
  readonly of: Uint32Array;
  readonly part: LookupPart;
  readonly row: Found['row'];
  at: number;
}

/** The one with the least id, then with the least place of its index; undefined: none is left. */
function leastOf(heads: readonly Head[]): Head | undefined {
  let least: { readonly head: Head; readonly id: string } | undefined;
  for (const head of heads) {
    if (head.at >= head.of.length) continue;
    const id = head.list.id(head.of[head.at] ?? 0);
    const isLess =
      least === undefined ||
      id < least.id ||
      (id === least.id && head.part.index < least.head.part.index);
    if (isLess) least = { head, id };
  }
  return least?.head;
}

/** Entities by rank. */
interface Places {
  /** Ascending. */
  of(rank: number): Uint32Array;
}

/** One snapshot, with what a search needs beside it. */
class LookupList {
  readonly #list: Snapshot;
  readonly #text: ListText;
  readonly #heads: DictionaryHeads;
  /** By entity: the search that has met it last. */
  readonly #met: Uint32Array;
  #search = 0;

  constructor(list: Snapshot) {
    this.#list = list;
    this.#text = new ListText(list);
    this.#heads = new DictionaryHeads(list);
    this.#met = new Uint32Array(list.entitySchema.length);
  }

  id(entity: number): string {
    return this.#text.id(entity);
  }

  search(forms: readonly Form[], removed: Uint8Array | undefined): Found {
    const typed = forms.map((words) => words.map((word) => this.#heads.word(word)));
    const lengths = forms.map((words) => words.join(' ').length);
    const { entities, isTruncated, ranks } = this.#entitiesOf(typed, lengths);
    for (let at = 0; at < entities.length; at++) {
      const entity = entities[at] as number;
      if (isRemoved(removed, entity)) ranks[at] = NO_RANK;
      else if (ranks[at] === UNRANKED) ranks[at] = this.#best(entity, typed, lengths).rank;
    }
    return {
      isTruncated,
      places: placesOf(entities, ranks),
      row: (entity) => ({
        card: this.#text.card(entity),
        id: this.#text.id(entity),
        matchedName: this.#text.name(this.#best(entity, typed, lengths).name),
      }),
    };
  }

  /**
   * Those that the rarest word of each form leads to, each once. A word alone ranks them at once,
   * by the shortest of their names that has it.
   */
  #entitiesOf(typed: readonly (readonly TypedWord[])[], lengths: readonly number[]) {
    const { tokenFirstPosting: first, tokenPosting: posting } = this.#list;
    const met = this.#met;
    this.#search = (this.#search + 1) % 2 ** 32 || 1;
    const search = this.#search;
    const [entities, ranks]: [number[], number[]] = [[], []];
    for (const [form, words] of typed.entries()) {
      const [rarest] = words.toSorted((a, b) => a.postings - b.postings);
      const most = words.length === 1 ? ENTITIES_MAX : COMPARED_MAX;
      const length = lengths[form] as number;
      for (const token of rarest?.tokens() ?? []) {
        const own = words.length === 1 ? (rarest as TypedWord).likenessOf(token) * NEARNESSES : -1;
        const end = first[token + 1] as number;
        for (let at = first[token] as number; at < end; at++) {
          const entity = (posting[at] as number) >>> LENGTH_BITS;
          if (met[entity] === search) continue;
          if (entities.length === most) return { entities, isTruncated: true, ranks };
          met[entity] = search;
          entities.push(entity);
          const beyond = Math.max(0, ((posting[at] as number) & LENGTH_MASK) - length);
          ranks.push(own < 0 ? UNRANKED : own + beyond);
        }
      }
    }
    return { entities, isTruncated: false, ranks };
  }

  /** The best of an entity's names, by its place among the published ones. */
  #best(
    entity: number,
    typed: readonly (readonly TypedWord[])[],
    lengths: readonly number[],
  ): { readonly rank: number; readonly name: number } {
    const { entityFirstForm, formName } = this.#list;
    let [rank, name] = [NO_RANK, -1];
    const end = entityFirstForm[entity + 1] as number;
    for (let form = entityFirstForm[entity] as number; form < end; form++) {
      for (let at = 0; at < typed.length; at++) {
        const own = this.#rankOf(form, typed[at] as readonly TypedWord[], lengths[at] as number);
        if (own >= rank) continue;
        rank = own;
        name = formName[form] as number;
      }
    }
    return { name, rank };
  }

  #rankOf(form: number, words: readonly TypedWord[], typedLength: number): number {
    const { formFirstToken, formToken } = this.#list;
    const start = formFirstToken[form] as number;
    const end = formFirstToken[form + 1] as number;
    let likeness = 0;
    for (let at = 0; at < words.length; at++) {
      const word = words[at] as TypedWord;
      let best: number = LIKENESS.none;
      for (let place = start; place < end && best > LIKENESS.whole; place++) {
        const own = word.likenessOf((formToken[place] as number) & TOKEN_MASK);
        if (own < best) best = own;
      }
      if (best === LIKENESS.none) return NO_RANK;
      likeness += best;
    }
    let length = end - start - 1;
    for (let place = start; place < end; place++) {
      length += this.#heads.units((formToken[place] as number) & TOKEN_MASK);
    }
    const beyond = Math.min(NEARNESSES - 1, Math.max(0, length - typedLength));
    return likeness * NEARNESSES + beyond;
  }

  /** Place of the first of `entities`, which ascend, that is on the page after `after`. */
  firstAfter(
    entities: Uint32Array,
    { index, rank }: Pick<LookupPlace, 'rank' | 'index'>,
    after: LookupPlace | undefined,
  ): number {
    if (after === undefined || after.rank !== rank) return 0;
    const isBefore = (id: string): boolean =>
      id < after.id || (id === after.id && index <= after.index);
    let [low, high] = [0, entities.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(this.id(entities[middle] as number))) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Counted, then laid out; the entities of a rank are put in order when they are asked for. */
function placesOf(entities: readonly number[], ranks: readonly number[]): Places {
  const starts = new Uint32Array(LOOKUP_RANKS + 2);
  for (const rank of ranks) starts[rank + 1] = (starts[rank + 1] as number) + 1;
  for (let rank = 0; rank <= LOOKUP_RANKS; rank++) {
    starts[rank + 1] = (starts[rank + 1] as number) + (starts[rank] as number);
  }
  const placed = new Uint32Array(entities.length);
  const next = starts.slice();
  for (const [at, entity] of entities.entries()) {
    const rank = ranks[at] as number;
    placed[next[rank] as number] = entity;
    next[rank] = (next[rank] as number) + 1;
  }
  return { of: (rank) => placed.subarray(starts[rank], starts[rank + 1]).sort() };
}
