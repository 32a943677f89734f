/**
 * A word as it is compared: its letters as codes, once as written and once as respelt by sound, and
 * what is known of it. Made once per word; pairs of words are then compared without strings.
 */
import { codesOf } from './editCost.ts';
import { isSpelt } from './speltWords.ts';
import {
  entityPart,
  type NameKind,
  nicknamesOf,
  PART,
  personPart,
  RAREST,
  RARITY_BIT,
  rarityOf,
  spellingClass,
} from './wordFacts.ts';

/** One word of a name of one kind. */
export interface NameToken {
  /** Its place among the words of a search (wordMemo.ts). */
  place: number;
  readonly text: string;
  /** It is spelt in several ways (speltWords.ts). */
  readonly isSpelt: boolean;
  readonly codes: Uint8Array;
  readonly sounds: Uint8Array;
  /** PART bits. */
  readonly parts: number;
  /** 0..RAREST */
  readonly rarity: number;
  /** How much it says about who is meant, 0..1. */
  readonly weight: number;
  /** Class of common spellings, or 0. */
  readonly spelling: number;
  /** Names that it is short for, or that are short for it, in names of persons. */
  readonly nicknames: ReadonlySet<string> | undefined;
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

/** Spellings that sound alike; the rest are letters of their own. */
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
const SOFTENING = 'eiy';
const LETTER_C = 'c'.charCodeAt(0);

interface Respelling {
  readonly from: string;
  readonly by: string;
}

/** Spellings by the code unit that they begin with, longest first. */
const BY_UNIT: readonly (readonly Respelling[] | undefined)[] = unitsOf(RESPELT);

function unitsOf(respelt: Readonly<Record<string, string>>): readonly (Respelling[] | undefined)[] {
  const units: (Respelling[] | undefined)[] = new Array(128).fill(undefined);
  const longestFirst = Object.entries(respelt).sort(([a], [b]) => b.length - a.length);
  for (const [from, by] of longestFirst) {
    const unit = from.charCodeAt(0);
    units[unit] = [...(units[unit] ?? []), { by, from }];
  }
  return units;
}

function respellingAt(text: string, at: number, unit: number): Respelling | undefined {
  const known = BY_UNIT[unit];
  if (known === undefined) return undefined;
  for (const one of known) if (text.startsWith(one.from, at)) return one;
  return undefined;
}

/** A word by its sound, doubled letters once. */
export function respell(text: string): string {
  let out = '';
  for (let at = 0; at < text.length; ) {
    const unit = text.charCodeAt(at);
    const respelling = respellingAt(text, at, unit);
    let by = respelling?.by ?? text.charAt(at);
    if (respelling === undefined && unit === LETTER_C) {
      const next = text.charAt(at + 1);
      by = next !== '' && SOFTENING.includes(next) ? 's' : 'k';
    }
    if (!out.endsWith(by)) out += by;
    at += respelling?.from.length ?? 1;
  }
  return out;
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

function tokenOf(
  text: string,
  parts: number,
  kind: NameKind,
  rarity: number = rarityOf(text, kind),
): NameToken {
  const codes = codesOf(text);
  const sound = respell(text);
  return {
    codes,
    isSpelt: isSpelt(text),
    nicknames: kind === 'person' ? nicknamesOf(text) : undefined,
    parts,
    place: 0,
    rarity,
    sounds: sound === text ? codes : codesOf(sound),
    spelling: spellingClass(text, kind),
    text,
    weight: weightOf(parts, rarity, kind),
  };
}
