/**
 * A word as it is compared: its letters as codes, once as written and once as respelt by sound, and
 * what is known of it. Made once per word; pairs of words are then compared without strings.
 */
import { codesOf } from './editCost.ts';
import {
  entityPart,
  type NameKind,
  PART,
  personPart,
  RAREST,
  RARITY_BIT,
  rarityOf,
  spellingClass,
} from './wordFacts.ts';

/** One word of a name of one kind. */
export interface NameToken {
  /** Number of its own, by which likenesses are remembered. */
  readonly id: number;
  readonly text: string;
  readonly codes: Uint8Array;
  readonly sounds: Uint8Array;
  /** Which letters it has, a bit each. */
  readonly letters: number;
  /** PART bits. */
  readonly parts: number;
  /** 0..RAREST */
  readonly rarity: number;
  /** How much it says about who is meant, 0..1. */
  readonly weight: number;
  /** Class of common spellings, or 0. */
  readonly spelling: number;
}

/** Weights of words that say little. */
const TITLE_WEIGHT = 0.08;
const PARTICLE_WEIGHT = 0.2;
const INITIAL_WEIGHT = 0.4;
const STOP_WEIGHT = 0.1;
const NUMBER_WEIGHT = 0.7;
/** Rarity at which a word of a person's name weighs all that it can. */
const PERSON_RARE = RARITY_BIT * 16;
/** A word of a company weighs nothing below the first of these rarities, all at the second. */
const ENTITY_COMMON = RARITY_BIT * 3.5;
const ENTITY_RARE = RARITY_BIT * 12;
const ENTITY_WEIGHT_MIN = 0.12;

/** Spellings that sound alike, longest first; the rest are letters of their own. */
const RESPELT: Readonly<Record<string, string>> = {
  sch: 'c',
  tch: 'c',
  sh: 'c',
  ch: 'c',
  ph: 'f',
  kh: 'h',
  gh: 'h',
  ck: 'k',
  th: 't',
  dh: 'd',
  zh: 'j',
  dz: 'j',
  dj: 'j',
  ou: 'u',
  oo: 'u',
  oe: 'u',
  ee: 'i',
  ie: 'i',
  ei: 'i',
  ey: 'i',
  ai: 'e',
  ay: 'e',
  ae: 'e',
  q: 'k',
  w: 'v',
  y: 'i',
  x: 'ks',
};
/** Letters of the longest spelling of one sound. */
const RESPELT_LETTERS_MAX = 3;
const SOFTENING = 'eiy';

function respeltAt(text: string, at: number): { readonly by: string; readonly letters: number } {
  for (let letters = RESPELT_LETTERS_MAX; letters > 0; letters--) {
    const by = RESPELT[text.slice(at, at + letters)];
    if (by !== undefined && at + letters <= text.length) return { by, letters };
  }
  const letter = text.charAt(at);
  if (letter !== 'c') return { by: letter, letters: 1 };
  const next = text.charAt(at + 1);
  return { by: next !== '' && SOFTENING.includes(next) ? 's' : 'k', letters: 1 };
}

/** A word by its sound, doubled letters once. */
export function respell(text: string): string {
  let out = '';
  for (let at = 0; at < text.length; ) {
    const { by, letters } = respeltAt(text, at);
    if (!out.endsWith(by)) out += by;
    at += letters;
  }
  return out;
}

function lettersOf(codes: Uint8Array): number {
  let bits = 0;
  for (const code of codes) bits |= 1 << (code & 31);
  return bits;
}

/** Weight of a word without a part of its own, by its rarity. */
function ordinaryWeight(rarity: number, kind: NameKind): number {
  if (kind === 'person') return 0.7 + 0.3 * Math.min(1, rarity / PERSON_RARE);
  const share = (rarity - ENTITY_COMMON) / (ENTITY_RARE - ENTITY_COMMON);
  return Math.max(ENTITY_WEIGHT_MIN, Math.min(1, share));
}

function weightOf(parts: number, rarity: number, kind: NameKind): number {
  if ((parts & PART.title) !== 0) return TITLE_WEIGHT;
  if ((parts & PART.vesselPrefix) !== 0 && kind === 'vessel') return TITLE_WEIGHT;
  if ((parts & PART.particle) !== 0) return PARTICLE_WEIGHT;
  if ((parts & PART.stop) !== 0) return STOP_WEIGHT;
  if ((parts & PART.number) !== 0) return NUMBER_WEIGHT;
  if ((parts & PART.initial) !== 0) return INITIAL_WEIGHT;
  return ordinaryWeight(rarity, kind);
}

/** The word as it is compared in names of this kind. */
export function nameToken(word: string, kind: NameKind): NameToken {
  const { parts, text } = kind === 'person' ? personPart(word) : entityPart(word);
  return tokenOf(text, parts, kind);
}

/** Several words written as one: it has no part, and no name has it in common with another. */
export function joinedToken(texts: readonly string[], kind: NameKind): NameToken {
  return tokenOf(texts.join(''), 0, kind, RAREST);
}

/** Tokens that this thread has made. */
let made = 0;

/** The same word with other parts. */
export function withParts(token: NameToken, parts: number): NameToken {
  made += 1;
  return { ...token, id: made, parts };
}

function tokenOf(
  text: string,
  parts: number,
  kind: NameKind,
  rarity: number = rarityOf(text, kind),
): NameToken {
  const codes = codesOf(text);
  const sound = respell(text);
  made += 1;
  return {
    codes,
    id: made,
    letters: lettersOf(codes),
    parts,
    rarity,
    sounds: sound === text ? codes : codesOf(sound),
    spelling: kind === 'person' ? spellingClass(text) : 0,
    text,
    weight: weightOf(parts, rarity, kind),
  };
}
