/**
 * The dictionary of distinct tokens while an index is built: text → number, what a token sounds
 * like, its letters, and the lookups over the dictionary: code, consonants, tail → tokens.
 */
import assert from 'node:assert/strict';
import { bytes, shorts, words } from './growingArray.ts';
import { hashText, TOKEN_KIND, type TokenSound, tokenSound } from './phonetic.ts';
import { signatureOnce, signatureTwice } from './signature.ts';
import { type Snapshot, TOKENS_MAX } from './snapshotFormat.ts';
import { groupPairs, sortPairs } from './sortedPairs.ts';

type TokenSections = Pick<
  Snapshot,
  | `token${'Start' | 'Bytes' | 'Units' | 'Kind' | 'Primary' | 'Alternate' | 'Once' | 'Twice'}`
  | `code${'Key' | 'FirstToken' | 'Token'}`
  | `${'skeleton' | 'tail'}${'Key' | 'Token'}`
>;

const NOT_ASCII = 0x80;
/** Shorter tokens have too many that end like them. */
const TAIL_UNITS_MIN = 3;
const SKELETON_UNITS_MIN = 2;

/** Consonants, double ones once; what is no Latin letter is kept (native/expansions.ts). */
export function skeletonOf(token: string): string {
  let skeleton = '';
  for (const unit of token.split('')) {
    if (!'aeiou'.includes(unit) && !skeleton.endsWith(unit)) skeleton += unit;
  }
  return skeleton;
}

/** Numbers are given in order of arrival; `finish` maps them to the order of the snapshot. */
export class TokenTable {
  readonly #numbers = new Map<string, number>();
  readonly #texts: string[] = [];
  readonly #sounds: TokenSound[] = [];

  intern(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const number = this.#texts.length;
    this.#numbers.set(text, number);
    this.#texts.push(text);
    this.#sounds.push(tokenSound(text));
    return number;
  }

  isCoded(number: number): boolean {
    return this.#sounds[number]?.kind === TOKEN_KIND.coded;
  }

  /** `order[number]` is the token's place in the sections, which go by text. */
  finish(): { readonly order: Uint32Array; readonly sections: TokenSections } {
    assert(this.#texts.length < TOKENS_MAX, `tokens: expected fewer than ${TOKENS_MAX}`);
    const texts = this.#texts.toSorted();
    const order = new Uint32Array(texts.length);
    const sounds = texts.map((text, place) => {
      const number = this.#numbers.get(text) ?? 0;
      order[number] = place;
      return this.#sounds[number] ?? tokenSound(text);
    });
    const tokenPrimary = Uint32Array.from(sounds, ({ primary }) => primary);
    const tokenAlternate = Uint32Array.from(sounds, ({ alternate }) => alternate);
    const sections = {
      ...charactersOf(texts),
      tokenKind: Uint8Array.from(sounds, ({ kind }) => kind),
      tokenPrimary,
      tokenAlternate,
      ...codesOf(tokenPrimary, tokenAlternate),
      ...skeletonsOf(texts),
      ...tailsOf(texts),
    };
    return { order, sections };
  }
}

function charactersOf(texts: readonly string[]) {
  const tokenStart = new Uint32Array(texts.length + 1);
  const tokenOnce = new Int32Array(texts.length);
  const tokenTwice = new Int32Array(texts.length);
  const tokenUnits = shorts();
  const tokenBytes = bytes();
  texts.forEach((text, place) => {
    const start = tokenUnits.length;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      tokenUnits.push(unit);
      tokenBytes.push(Math.min(unit, NOT_ASCII));
    }
    const view = tokenUnits.view();
    tokenStart[place + 1] = view.length;
    tokenOnce[place] = signatureOnce(view, start, view.length);
    tokenTwice[place] = signatureTwice(view, start, view.length);
  });
  return {
    tokenStart,
    tokenOnce,
    tokenTwice,
    tokenUnits: tokenUnits.view(),
    tokenBytes: tokenBytes.view(),
  };
}

function codesOf(primary: Uint32Array, alternate: Uint32Array) {
  const keys = words();
  const tokens = words();
  for (const codes of [primary, alternate]) {
    codes.forEach((code, token) => {
      if (code === 0) return;
      keys.push(code);
      tokens.push(token);
    });
  }
  const groups = groupPairs(keys.view(), tokens.view());
  return { codeKey: groups.keys, codeFirstToken: groups.first, codeToken: groups.values };
}

function pairsOf(texts: readonly string[], keyOf: (text: string) => string, unitsMin: number) {
  const keys = words();
  const tokens = words();
  texts.forEach((text, token) => {
    const key = keyOf(text);
    if (key.length < unitsMin) return;
    keys.push(hashText(key));
    tokens.push(token);
  });
  return sortPairs(keys.view(), tokens.view());
}

function skeletonsOf(texts: readonly string[]) {
  const pairs = pairsOf(texts, skeletonOf, SKELETON_UNITS_MIN);
  return { skeletonKey: pairs.keys, skeletonToken: pairs.values };
}

function tailsOf(texts: readonly string[]) {
  const pairs = pairsOf(texts, (text) => text.slice(1), TAIL_UNITS_MIN);
  return { tailKey: pairs.keys, tailToken: pairs.values };
}
