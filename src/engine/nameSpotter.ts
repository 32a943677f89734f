/**
 * Where listed names may stand in texts: which words of a text stand near each other and are, but
 * for slips of the keyboard, words of one and the same name of a list. What is spotted is compared
 * afterwards as any name is; here nothing is decided but what is worth comparing, and a text of
 * twenty words has a hundred sequences of up to five.
 *
 * Words lead to tokens of the list, these to entities by the postings that screening uses, the rare
 * ones first. An entity's names are then laid over the text, and a name is spotted where the words
 * that tell most of it lie close together, legal forms apart.
 *
 * How much is worth comparing follows from what its words tell: a whole name nearly always; one
 * with a slip, or of which a word is missing, where the others tell enough; and a whole name of
 * common words where it stands alone, since it is part of many longer names of others.
 */
import { ListText } from './answer.ts';
import { bankOfBic, hashIdentifier } from './identifiers.ts';
import { type Found, LaidNames, RARE } from './laidNames.ts';
import type { LookupPart } from './nameLookup.ts';
import { LENGTH_BITS } from './native/tokens.ts';
import { NearWords } from './nearWords.ts';
import { isRemoved } from './overlayFormat.ts';
import type { SpotAnswer, SpotAsk, SpotRun, SpottedName, SpottedNumber } from './ports.ts';
import { openSnapshot, type Snapshot } from './snapshotFormat.ts';
import { lowerBound } from './sortedPairs.ts';
import { readWord } from './spotWords.ts';
import { placesOf, type SpotWord } from './wordPlaces.ts';

/** Postings that a stretch of a text leads to, those of rare words first. */
const POSTINGS_MAX = 8_000;
/** Words of a text that are looked at together. */
const STRETCH_WORDS_MAX = 48;
/** Words that two stretches share, so that no name falls between them: the longest spotted name. */
const SHARED_WORDS = 10;
/** Names of one stretch that are spotted. */
const SPOTTED_MAX = 12;
/** Bytes at the start of a snapshot that tell it from any other: its length and checksum. */
const HEADER_BYTES = 32;

/** Spots in the parts that it is given; keeps what it made of them while they are in use. */
export class NameSpotter {
  readonly #lists = new Map<string, SpotList>();

  /** Makes what is new, and forgets what is not in use any more. */
  use(inUse: readonly Pick<LookupPart, 'buffer'>[]): void {
    const keys = new Set(inUse.map(({ buffer }) => keyOf(buffer)));
    for (const key of this.#lists.keys()) if (!keys.has(key)) this.#lists.delete(key);
    for (const { buffer } of inUse) this.#listOf(buffer);
  }

  spot(parts: readonly LookupPart[], { numbers, runs }: SpotAsk): SpotAnswer {
    const lists = parts.map(({ buffer, removed }) => ({ list: this.#listOf(buffer), removed }));
    const names = runs.flatMap((run, at) => spottedIn(run, at, lists));
    const known = new Map<string, SpottedNumber>();
    for (const number of numbers) {
      for (const { list, removed } of lists) {
        for (const name of list.namesOf(number, removed)) {
          known.set(`${number} ${name}`, { name, number });
        }
      }
    }
    return { names, numbers: [...known.values()] };
  }

  #listOf(buffer: SharedArrayBuffer): SpotList {
    const key = keyOf(buffer);
    const list = this.#lists.get(key) ?? new SpotList(openSnapshot(buffer));
    this.#lists.set(key, list);
    return list;
  }
}

const keyOf = (buffer: SharedArrayBuffer): string =>
  Buffer.from(new Uint8Array(buffer, 0, HEADER_BYTES)).toString('latin1');

interface ListPart {
  readonly list: SpotList;
  readonly removed: Uint8Array | undefined;
}

function spottedIn(
  { cued, words }: SpotRun,
  run: number,
  lists: readonly ListPart[],
): readonly SpottedName[] {
  const read = words.map(readWord).map((word) => ({
    ...word,
    isKnown: word.tokens.some((token) => lists.some(({ list }) => list.has(token))),
  }));
  const found = new Map<string, SpottedName>();
  const step = STRETCH_WORDS_MAX - SHARED_WORDS;
  for (let start = 0; start === 0 || start + SHARED_WORDS < words.length; start += step) {
    const stretch = read.slice(start, start + STRETCH_WORDS_MAX);
    const own = new Set(cued.map((place) => place - start));
    const all = lists.flatMap(({ list, removed }) => list.spot(stretch, own, removed));
    const distinct = new Map<string, Found>();
    for (const one of all) {
      const key = JSON.stringify([one.from, one.to, [...one.spelt]]);
      if ((distinct.get(key)?.bits ?? -1) < one.bits) distinct.set(key, one);
    }
    const told = [...distinct.values()].sort((one, other) => other.bits - one.bits);
    for (const { from, slips: count, spelt, to } of told.slice(0, SPOTTED_MAX)) {
      const text = words
        .slice(start + from, start + to + 1)
        .map((word, at) => spelt.get(from + at) ?? stretch[from + at]?.legal ?? word)
        .filter((word) => word !== '')
        .join(' ');
      const name = { from: start + from, name: text, run, slips: count, to: start + to };
      found.set(`${name.from} ${name.to} ${text}`, name);
    }
  }
  return [...found.values()].sort((one, other) => one.from - other.from || one.to - other.to);
}

/** One snapshot, with what is needed beside it. */
class SpotList {
  readonly #list: Snapshot;
  readonly #near: NearWords;
  readonly #text: ListText;
  readonly #names: LaidNames;

  constructor(list: Snapshot) {
    this.#list = list;
    this.#near = new NearWords(list);
    this.#text = new ListText(list);
    this.#names = new LaidNames(list, this.#near);
  }

  /** Whether its dictionary has the word. */
  has(word: string): boolean {
    return this.#near.exact(word) >= 0;
  }

  /** The primary names of who has this number, or this BIC, be it of another branch. */
  namesOf(number: string, removed: Uint8Array | undefined): readonly string[] {
    const { entityFirstForm, formName, identifierCheck, identifierEntity, identifierKey } =
      this.#list;
    const names: string[] = [];
    for (const sought of [number, bankOfBic(number)]) {
      const { check, key } = hashIdentifier(sought);
      for (let at = lowerBound(identifierKey, key); identifierKey[at] === key; at++) {
        const entity = identifierEntity[at] as number;
        if (identifierCheck[at] !== check || isRemoved(removed, entity)) continue;
        const form = entityFirstForm[entity] as number;
        if (form < (entityFirstForm[entity + 1] as number)) {
          names.push(this.#text.name(formName[form] as number));
        }
      }
    }
    return names;
  }

  /** Names in a stretch of words; each word is one token or more. */
  spot(
    words: readonly SpotWord[],
    cued: ReadonlySet<number>,
    removed: Uint8Array | undefined,
  ): readonly Found[] {
    const places = placesOf(words, this.#near);
    // Words of it that were seen, a rare one as two.
    const seen = new Map<number, number>();
    const all = [...places.keys()].sort(
      (one, other) => this.#names.count(one) - this.#names.count(other),
    );
    let left = POSTINGS_MAX;
    for (const token of all) {
      const count = this.#names.count(token);
      left -= count;
      if (left < 0) break;
      const start = this.#list.tokenFirstPosting[token] as number;
      const weight = this.#names.bits(token) >= RARE * this.#names.rarest ? 2 : 1;
      for (let at = start; at < start + count; at++) {
        const entity = (this.#list.tokenPosting[at] as number) >>> LENGTH_BITS;
        seen.set(entity, (seen.get(entity) ?? 0) + weight);
      }
    }
    // Behind the postings that were read an entity may have common words besides its rare one.
    const least = left < 0 || cued.size > 0 ? 1 : 2;
    return [...seen].flatMap(([entity, count]) =>
      count < least || isRemoved(removed, entity)
        ? []
        : this.#names.over(entity, { cued, places, words }),
    );
  }
}
