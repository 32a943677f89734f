/**
 * A name of a list, laid over a text: which stretch of it has the words that tell most of the name,
 * whether they tell enough, and what is to be compared.
 */
import { SCHEMA_CODE } from './attributeCodes.ts';
import { type NearWords, slips } from './nearWords.ts';
import { RAREST, rarityOf } from './reranker2/wordFacts.ts';
import { FORM_CORE_STARTS, FORM_LEGAL_SHIFT, type Snapshot } from './snapshotFormat.ts';
import type { Places, SpotWord, Standing } from './wordPlaces.ts';

/** Words between those of a name: a title, an initial, a particle. */
const BETWEEN_MAX = 2;
/** What of a name's information has to stand in the text. */
const TOLD_MIN = 0.6;
/** Every word tells something, however many have it. */
const BITS_MIN = 0.5;
/** Bits of a letter in a name's word, and neighbours by one slip for each letter, in bits. */
const LETTER_BITS = 3;
const SLIPS_A_LETTER = 53;
/** Bits of a rarest word beside which letters count, however short the list is. */
const SLIP_SCALE = 14;
/** Shorter words are near everything. */
const SLIP_UNITS_MIN = 3;
/**
 * What a name has to tell, in rarest words of the list: one that stands alone, or beside words that
 * may be of a name; one of which a word is missing; one alone with a slip, and a firm of one word.
 */
const TELLS = { alone: 0.5, beside: 1.75, missing: 1.9, slip: 0.75, slipOfOne: 0.65 } as const;
/** From this part of the rarest word on one is rare. */
export const RARE = 0.7;
/** Words of a legal form behind a name that are compared with it. */
const LEGAL_WORDS_MAX = 5;
/** A form stores a token's number in 24 bits. */
const TOKEN_MASK = 0xffffff;

/** A name in a stretch, and how much it tells. */
export interface Found {
  readonly from: number;
  readonly to: number;
  readonly bits: number;
  /** Words that differ from the list's by a slip. */
  readonly slips: number;
  /** By place, words as the list spells them; an empty one goes. */
  readonly spelt: ReadonlyMap<number, string>;
}

/** A word of the list where it stands in a text. */
interface Placed extends Standing {
  readonly token: number;
  readonly place: number;
  /** What it tells. */
  readonly bits: number;
}

/** A word of a name, with all places of the text where it may stand. */
interface Own {
  readonly token: number;
  readonly bits: number;
  readonly standings: readonly (readonly [place: number, standing: Standing])[];
}

/** Words of a name that stand close together. */
interface Closest {
  readonly from: number;
  readonly to: number;
  readonly bits: number;
  readonly tokens: readonly Placed[];
}

/** The names of one list. */
export class LaidNames {
  readonly #list: Snapshot;
  readonly #near: NearWords;
  /** Bits of a word that one entity has. */
  readonly rarest: number;

  constructor(list: Snapshot, near: NearWords) {
    this.#list = list;
    this.#near = near;
    this.rarest = Math.max(1, Math.log2((list.entitySchema.length + 1) / 2));
  }

  /** Entities that have a token. */
  count(token: number): number {
    const { tokenFirstPosting } = this.#list;
    return (tokenFirstPosting[token + 1] as number) - (tokenFirstPosting[token] as number);
  }

  /** What a token tells. */
  bits(token: number): number {
    const entities = this.#list.entitySchema.length + 1;
    return Math.max(BITS_MIN, Math.log2(entities / (this.count(token) + 1)));
  }

  /** Those of an entity's names that stand in the text. */
  over(entity: number, text: Over): readonly Found[] {
    const { entityFirstForm } = this.#list;
    const found: Found[] = [];
    const end = entityFirstForm[entity + 1] as number;
    for (let form = entityFirstForm[entity] as number; form < end; form++) {
      const one = this.#laidOver(form, entity, text);
      if (one !== undefined) found.push(one);
    }
    return found;
  }

  #hasLegal(form: number): boolean {
    const flags = this.#list.formFlags[form] as number;
    return (flags & FORM_CORE_STARTS) !== 0 || flags >>> FORM_LEGAL_SHIFT > 0;
  }

  /** The words of a name without its legal form; all of them where it is nothing else. */
  #coreOf(form: number): Set<number> {
    const { formFirstToken, formFlags, formToken } = this.#list;
    const [start, end] = [formFirstToken[form] as number, formFirstToken[form + 1] as number];
    const flags = formFlags[form] as number;
    const first = start + ((flags & FORM_CORE_STARTS) === 0 ? 0 : 1);
    const last = end - (flags >>> FORM_LEGAL_SHIFT);
    const [from, to] = first < last ? [first, last] : [start, end];
    const tokens = new Set<number>();
    for (let at = from; at < to; at++) tokens.add((formToken[at] as number) & TOKEN_MASK);
    return tokens;
  }

  #laidOver(form: number, entity: number, { cued, places, words }: Over): Found | undefined {
    const core = this.#coreOf(form);
    const own: Own[] = [];
    const missing: number[] = [];
    let [told, whole] = [0, 0];
    for (const token of core) {
      const bits = this.bits(token);
      whole += bits;
      const standings = [...(places.get(token) ?? [])].filter(
        ([, { legal, partner }]) => partner === undefined || legal || core.has(partner),
      );
      if (standings.length === 0) missing.push(token);
      else {
        told += bits;
        own.push({ bits, standings, token });
      }
    }
    if (missing.length > 1 && told < TOLD_MIN * whole) return undefined;
    const near = closest(own, core.size + BETWEEN_MAX);
    if (near === undefined) return undefined;
    const best = missing.length === 1 ? this.#withShort(near, missing[0] as number, words) : near;
    if (best.bits < TOLD_MIN * whole) return undefined;
    // A word by itself is a name where something says so, or where it is two that are one word.
    const found = withLegal(best, words);
    const hasLegal = found.to > best.to || found.from < best.from || best.tokens.some(isWithLegal);
    const isOne = core.size === 1 && hasLegal && this.#hasLegal(form);
    // A word of the list is not two that were written as one, by itself.
    const isSplit = best.to === best.from && words[best.from]?.isKnown === true;
    const isTwo = best.tokens.length > 1 && core.size > 1 && !isSplit;
    if (!(isOne || cued.has(best.from) || isTwo)) return undefined;
    const count = slipsOf(best);
    const isWhole = best.tokens.length === core.size;
    const isAlone = standsAlone(found, words) || cued.has(best.from);
    const least = leastOf({ count, isAlone, isOne, isWhole });
    const isPerson = this.#list.entitySchema[entity] === SCHEMA_CODE.Person;
    const part = best.tokens.reduce((sum, one) => sum + this.#partOf(one, isPerson), 0);
    if (part < least) return undefined;
    return { ...found, slips: count, spelt: this.#spelt(best.tokens, isWhole && count === 1) };
  }

  /** With the word that is missing, where one beside the others is it but for a slip. */
  #withShort(best: Closest, token: number, words: readonly SpotWord[]): Closest {
    const text = this.#near.text(token);
    if (text.length < SLIP_UNITS_MIN) return best;
    const taken = new Set(best.tokens.map(({ place }) => place));
    for (let place = Math.max(0, best.from - 1); place <= best.to + 1; place++) {
      const word = words[place];
      if (word === undefined || taken.has(place) || word.isOther || word.isLegal) continue;
      if (word.isKnown || !word.tokens.some((one) => slips(one, text) === 1)) continue;
      const bits = this.bits(token);
      const slip: Placed = { as: 'slip', bits, end: place, place, slips: 1, token };
      return {
        bits: best.bits + bits,
        from: Math.min(best.from, place),
        to: Math.max(best.to, place),
        tokens: [...best.tokens, slip],
      };
    }
    return best;
  }

  /**
   * What a word tells, in rarest words: in the list or in names at large, whichever is less. With a
   * slip it is what is left of it, since many words are as near to others.
   */
  #partOf({ as, bits, slips: count = 1, token }: Placed, isPerson: boolean): number {
    const text = this.#near.text(token);
    const atLarge = rarityOf(text, isPerson ? 'person' : 'entity') / RAREST;
    const part = Math.min(bits / this.rarest, atLarge);
    if (as !== 'slip') return part;
    const left = LETTER_BITS * text.length - count * Math.log2(SLIPS_A_LETTER * text.length);
    const ofLetters = left / Math.max(SLIP_SCALE, this.rarest);
    return Math.max(0, part >= RARE ? ofLetters : Math.min(ofLetters, part));
  }

  /**
   * Words that are to be compared as the list spells them: what was broken or run together, and, of
   * a name that is whole but for one slip, that word.
   */
  #spelt(tokens: readonly Placed[], isForgiven: boolean): ReadonlyMap<number, string> {
    const spelt = new Map<number, string>();
    for (const { as, end, isKnown, legal, partner, place, token } of tokens) {
      const text = this.#near.text(token);
      if (as === 'half') {
        const isPair = tokens.some((one) => one.place === place && one.token === partner);
        const { before, behind } = (isPair ? undefined : legal) ?? {};
        const parts = [spelt.get(place), before, text, behind];
        spelt.set(place, parts.filter((part) => part !== undefined).join(' '));
      }
      if (as === 'broken') {
        spelt.set(place, text);
        spelt.set(end, '');
      }
      if (as === 'slip' && isForgiven && isKnown !== true) spelt.set(place, text);
    }
    return spelt;
  }
}

/** What a name is laid over. */
export interface Over {
  readonly words: readonly SpotWord[];
  readonly places: Places;
  readonly cued: ReadonlySet<number>;
}

const isWithLegal = ({ legal }: Placed): boolean => legal !== undefined;

/** What a name has to tell. */
function leastOf({
  count,
  isAlone,
  isOne,
  isWhole,
}: {
  /** Words with a slip. */
  readonly count: number;
  readonly isAlone: boolean;
  readonly isOne: boolean;
  readonly isWhole: boolean;
}): number {
  if (!isWhole) return TELLS.missing;
  if (!isAlone) return TELLS.beside;
  if (isOne) return count === 0 ? 0 : TELLS.slipOfOne;
  return count === 0 ? TELLS.alone : TELLS.slip;
}

type Span = Pick<Found, 'bits' | 'from' | 'to'>;

/** Whether the words beside it, where there are any, are of no name. */
function standsAlone({ from, to }: Span, words: readonly SpotWord[]): boolean {
  const beside = [words[from - 1], words[to + 1]];
  return beside.every((word) => word === undefined || word.isOther);
}

/** With the legal form beside it, which is compared as well. */
function withLegal(best: Closest, words: readonly SpotWord[]): Span {
  let { from, to } = best;
  const isLegal = (place: number): boolean => words[place]?.isLegal === true;
  while (to < best.to + LEGAL_WORDS_MAX) {
    if (isLegal(to + 1)) to += 1;
    // `S.A. de C.V.`
    else if (isLegal(to) && words[to + 1]?.tokens[0] === 'de' && isLegal(to + 2)) to += 2;
    else break;
  }
  while (from > best.from - LEGAL_WORDS_MAX && isLegal(from - 1)) from -= 1;
  return { bits: best.bits, from, to };
}

const slipsOf = ({ tokens }: Closest): number => tokens.filter(({ as }) => as === 'slip').length;

function isCloser(one: Closest, other: Closest): boolean {
  if (one.bits !== other.bits) return one.bits > other.bits;
  const slipsMore = slipsOf(one) - slipsOf(other);
  return slipsMore < 0 || (slipsMore === 0 && one.to - one.from < other.to - other.from);
}

/**
 * The stretch of at most so many words that has most of these tokens; of such one with the fewest
 * slips, and the shortest.
 */
function closest(own: readonly Own[], most: number): Closest | undefined {
  const starts = new Set(own.flatMap(({ standings }) => standings.map(([place]) => place)));
  let best: Closest | undefined;
  for (const from of starts) {
    let [bits, to] = [0, from];
    const tokens: Placed[] = [];
    for (const { bits: of, standings, token } of own) {
      let placed: Placed | undefined;
      for (const [place, standing] of standings) {
        const isNear = place >= from && place < from + most;
        if (isNear && place < (placed?.place ?? Number.POSITIVE_INFINITY)) {
          placed = { ...standing, bits: of, place, token };
        }
      }
      if (placed === undefined) continue;
      bits += of;
      to = Math.max(to, placed.end);
      tokens.push(placed);
    }
    const one = { bits, from, to, tokens };
    if (best === undefined || isCloser(one, best)) best = one;
  }
  return best;
}
