/**
 * Where listed names may stand in texts: which words of a text stand near each other and are, but
 * for slips of the keyboard, words of one and the same name of a list. What is spotted is compared
 * afterwards as any name is; here nothing is decided but what is worth comparing, and a text of
 * twenty words has a hundred sequences of up to five.
 *
 * Words lead to tokens of the list, these to entities by the postings that screening uses, the rare
 * ones first. An entity's names are then laid over the text, and a name is spotted where the words
 * that tell most of it lie close together.
 */
import { ListText } from './answer.ts';
import { foldWord, latinTokens } from './foldName.ts';
import { hashIdentifier } from './identifiers.ts';
import type { LookupPart } from './nameLookup.ts';
import { LENGTH_BITS } from './native/tokens.ts';
import { NearWords } from './nearWords.ts';
import { isRemoved } from './overlayFormat.ts';
import type { SpotAnswer, SpotAsk, SpotRun, SpottedName, SpottedNumber } from './ports.ts';
import { openSnapshot, type Snapshot } from './snapshotFormat.ts';
import { lowerBound } from './sortedPairs.ts';

/** Postings that a stretch of a text leads to, those of rare words first. */
const POSTINGS_MAX = 8_000;
/** Words of a text that are looked at together. */
const STRETCH_WORDS_MAX = 48;
/** Words that two stretches share, so that no name falls between them: the longest spotted name. */
const SHARED_WORDS = 10;
/** Names of one stretch that are spotted. */
const SPOTTED_MAX = 12;
/** Words between those of a name: a title, an initial, a particle. */
const BETWEEN_MAX = 2;
/** What of a name's information has to stand in the text. */
const TOLD_MIN = 0.6;
/** From so much on a name is whole: a legal form may be written otherwise. */
const WHOLE_MIN = 0.85;
/** Every word tells something, however many have it. */
const BITS_MIN = 0.5;
/** Letters of each half of two words that were written as one. */
const HALF_UNITS_MIN = 2;
/** A word with a slip is compared as the list spells it from so many letters on. */
const SLIP_UNITS_MIN = 5;
/** A form stores a token's number in 24 bits. */
const TOKEN_MASK = 0xffffff;
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
        const name = list.nameOf(number, removed);
        if (name !== undefined) known.set(`${number} ${name}`, { name, number });
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

/** A name in a stretch, and how much it tells. */
interface Found {
  readonly from: number;
  readonly to: number;
  readonly bits: number;
  /** By place, words as the list spells them; an empty one goes. */
  readonly spelt: ReadonlyMap<number, string>;
}

/** A word of the list where it stands in a text. */
interface Placed extends Standing {
  readonly token: number;
  readonly place: number;
}

interface Closest extends Omit<Found, 'spelt'> {
  readonly tokens: readonly Placed[];
}

function spottedIn(
  { cued, words }: SpotRun,
  run: number,
  lists: readonly ListPart[],
): readonly SpottedName[] {
  const tokens = words.map(tokensOf);
  const found = new Map<string, SpottedName>();
  const step = STRETCH_WORDS_MAX - SHARED_WORDS;
  for (let start = 0; start === 0 || start + SHARED_WORDS < words.length; start += step) {
    const stretch = tokens.slice(start, start + STRETCH_WORDS_MAX);
    const own = new Set(cued.map((place) => place - start));
    const all = lists.flatMap(({ list, removed }) => list.spot(stretch, own, removed));
    const distinct = new Map<string, Found>();
    for (const one of all) {
      const key = JSON.stringify([one.from, one.to, [...one.spelt]]);
      if ((distinct.get(key)?.bits ?? -1) < one.bits) distinct.set(key, one);
    }
    const told = [...distinct.values()].sort((one, other) => other.bits - one.bits);
    for (const { from, spelt, to } of told.slice(0, SPOTTED_MAX)) {
      const text = words
        .slice(start + from, start + to + 1)
        .map((word, at) => spelt.get(from + at) ?? word)
        .filter((word) => word !== '')
        .join(' ');
      const name = { from: start + from, name: text, run, to: start + to };
      found.set(`${name.from} ${name.to} ${text}`, name);
    }
  }
  return [...found.values()].sort((one, other) => one.from - other.from || one.to - other.to);
}

/** A word of a text as a list may have it: in its script, and in Latin letters. */
const tokensOf = (word: string): readonly string[] =>
  foldWord(word).tokens.flatMap((token) => [token, ...latinTokens(token)]);

/** How a word of a text is a word of the list. */
interface Standing {
  /** The last of its words: two that were broken in one are one. */
  readonly end: number;
  readonly as: 'it' | 'slip' | 'broken' | 'half';
}

/** By token of the list, the places of the words that are it. */
type Places = Map<number, Map<number, Standing>>;

/** One snapshot, with what is needed beside it. */
class SpotList {
  readonly #list: Snapshot;
  readonly #near: NearWords;
  readonly #text: ListText;

  constructor(list: Snapshot) {
    this.#list = list;
    this.#near = new NearWords(list);
    this.#text = new ListText(list);
  }

  /** The primary name of the entity with this number; undefined where none has it. */
  nameOf(number: string, removed: Uint8Array | undefined): string | undefined {
    const { entityFirstForm, formName, identifierCheck, identifierEntity, identifierKey } =
      this.#list;
    const { check, key } = hashIdentifier(number);
    for (let at = lowerBound(identifierKey, key); identifierKey[at] === key; at++) {
      const entity = identifierEntity[at] as number;
      if (identifierCheck[at] !== check || isRemoved(removed, entity)) continue;
      const form = entityFirstForm[entity] as number;
      if (form < (entityFirstForm[entity + 1] as number)) {
        return this.#text.name(formName[form] as number);
      }
    }
    return undefined;
  }

  /** Names in a stretch of words; each word is one token or more. */
  spot(
    words: readonly (readonly string[])[],
    cued: ReadonlySet<number>,
    removed: Uint8Array | undefined,
  ): readonly Found[] {
    const places = this.#placesOf(words);
    const seen = new Map<number, number>();
    const all = [...places.keys()].sort((one, other) => this.#count(one) - this.#count(other));
    let left = POSTINGS_MAX;
    for (const token of all) {
      const count = this.#count(token);
      left -= count;
      if (left < 0) break;
      const start = this.#list.tokenFirstPosting[token] as number;
      for (let at = start; at < start + count; at++) {
        const entity = (this.#list.tokenPosting[at] as number) >>> LENGTH_BITS;
        seen.set(entity, (seen.get(entity) ?? 0) + 1);
      }
    }
    // Behind the postings that were read an entity may have common words besides its rare one.
    const least = left < 0 || cued.size > 0 ? 1 : 2;
    return [...seen].flatMap(([entity, count]) =>
      count < least || isRemoved(removed, entity) ? [] : this.#namesOf(entity, places, cued),
    );
  }

  #count(token: number): number {
    const { tokenFirstPosting } = this.#list;
    return (tokenFirstPosting[token + 1] as number) - (tokenFirstPosting[token] as number);
  }

  #bits(token: number): number {
    const entities = this.#list.entitySchema.length + 1;
    return Math.max(BITS_MIN, Math.log2(entities / (this.#count(token) + 1)));
  }

  /** Also words that are written as one, or broken in two by the end of a line. */
  #placesOf(words: readonly (readonly string[])[]): Places {
    const places: Places = new Map();
    const note = (token: number, place: number, as: Standing['as'], end = place): void => {
      const known = places.get(token) ?? new Map<number, Standing>();
      if (!known.has(place)) known.set(place, { as, end });
      places.set(token, known);
    };
    for (const [place, tokens] of words.entries()) {
      for (const token of tokens) {
        const exact = this.#near.exact(token);
        if (exact >= 0) note(exact, place, 'it');
        for (const near of this.#near.near(token)) note(near, place, 'slip');
        if (exact < 0) for (const half of this.#halvesOf(token)) note(half, place, 'half');
      }
      const joined = this.#near.exact(`${tokens[0] ?? ''}${words[place + 1]?.[0] ?? ''}`);
      if (joined >= 0 && words[place + 1] !== undefined) note(joined, place, 'broken', place + 1);
    }
    return places;
  }

  #halvesOf(word: string): readonly number[] {
    for (let at = HALF_UNITS_MIN; at <= word.length - HALF_UNITS_MIN; at++) {
      const first = this.#near.exact(word.slice(0, at));
      const second = first < 0 ? -1 : this.#near.exact(word.slice(at));
      if (second >= 0) return [first, second];
    }
    return [];
  }

  /** Those of an entity's names that stand in the text. */
  #namesOf(entity: number, places: Places, cued: ReadonlySet<number>): readonly Found[] {
    const { entityFirstForm } = this.#list;
    const found: Found[] = [];
    const end = entityFirstForm[entity + 1] as number;
    for (let form = entityFirstForm[entity] as number; form < end; form++) {
      const one = this.#laidOver(form, places, cued);
      if (one !== undefined) found.push(one);
    }
    return found;
  }

  #laidOver(form: number, places: Places, cued: ReadonlySet<number>): Found | undefined {
    const { formFirstToken, formToken } = this.#list;
    const start = formFirstToken[form] as number;
    const end = formFirstToken[form + 1] as number;
    const own: { readonly token: number; readonly bits: number }[] = [];
    let whole = 0;
    for (let at = start; at < end; at++) {
      const token = (formToken[at] as number) & TOKEN_MASK;
      const bits = this.#bits(token);
      whole += bits;
      if (places.has(token)) own.push({ bits, token });
    }
    const told = own.reduce((sum, { bits }) => sum + bits, 0);
    if (told < TOLD_MIN * whole) return undefined;
    const best = closest(own, places, end - start + BETWEEN_MAX);
    if (best === undefined || best.bits < TOLD_MIN * whole) return undefined;
    // A word by itself is a name where something says so, or where it is two that are one word.
    const isOne = best.to > best.from || cued.has(best.from);
    if (!isOne && (own.length < 2 || end - start < 2)) return undefined;
    return { ...best, spelt: this.#spelt(best.tokens, best.bits >= WHOLE_MIN * whole) };
  }

  /**
   * Words that are to be compared as the list spells them: what was broken or run together, and, of
   * a name that is whole but for one slip, that word.
   */
  #spelt(tokens: readonly Placed[], isWhole: boolean): ReadonlyMap<number, string> {
    const spelt = new Map<number, string>();
    const slips = tokens.filter(({ as }) => as === 'slip');
    for (const { as, end, place, token } of tokens) {
      const text = this.#near.text(token);
      if (as === 'half') spelt.set(place, `${spelt.get(place) ?? ''} ${text}`.trim());
      if (as === 'broken') {
        spelt.set(place, text);
        spelt.set(end, '');
      }
      const isSlip = as === 'slip' && isWhole && slips.length === 1 && tokens.length > 1;
      if (isSlip && text.length >= SLIP_UNITS_MIN) spelt.set(place, text);
    }
    return spelt;
  }
}

/** The stretch of at most so many words that has most of these tokens; of such the shortest. */
function closest(
  own: readonly { readonly token: number; readonly bits: number }[],
  places: Places,
  most: number,
): Closest | undefined {
  const starts = new Set(own.flatMap(({ token }) => [...(places.get(token)?.keys() ?? [])]));
  let best: Closest | undefined;
  for (const from of starts) {
    let [bits, to] = [0, from];
    const tokens: Placed[] = [];
    for (const { bits: of, token } of own) {
      let placed: Placed | undefined;
      for (const [place, standing] of places.get(token) ?? []) {
        const isNear = place >= from && place < from + most;
        if (isNear && place < (placed?.place ?? Number.POSITIVE_INFINITY)) {
          placed = { ...standing, place, token };
        }
      }
      if (placed === undefined) continue;
      bits += of;
      to = Math.max(to, placed.end);
      tokens.push(placed);
    }
    const isBetter =
      best === undefined ||
      bits > best.bits ||
      (bits === best.bits && to - from < best.to - best.from);
    if (isBetter) best = { bits, from, to, tokens };
  }
  return best;
}
