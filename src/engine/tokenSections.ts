/**
 * The sections of a snapshot's dictionary, made from its tokens in order: their letter signs, and
 * the lookups code → tokens, consonants → tokens, tail → tokens.
 */
import assert from 'node:assert/strict';
import { words } from './growingArray.ts';
import { HASH_START, hashUnit, hashWord } from './phonetic.ts';
import { signatureOnce, signatureTwice } from './signature.ts';
import { type Snapshot, TOKENS_MAX } from './snapshotFormat.ts';
import type { PartTokens } from './snapshotPart.ts';
import { groupPairs, sortPairs } from './sortedPairs.ts';

type Sounds = Pick<Snapshot, `token${'Primary' | 'Alternate'}`>;
type Texts = Pick<Snapshot, `token${'Start' | 'Units'}`>;

/** All sections of a snapshot that are made from its tokens alone. */
export type TokenSections = PartTokens &
  Pick<
    Snapshot,
    | `token${'Bytes' | 'Once' | 'Twice'}`
    | `code${'Key' | 'FirstToken' | 'Token'}`
    | `${'skeleton' | 'tail'}${'Key' | 'Token'}`
  >;

const NOT_ASCII = 0x80;
/** Shorter tails are shared by too many tokens. */
const TAIL_UNITS_MIN = 3;
const SKELETON_UNITS_MIN = 2;

/** Makes these sections; asserts that the dictionary has fewer than TOKENS_MAX tokens. */
export function tokenSections(tokens: PartTokens): TokenSections {
  assert(tokens.tokenKind.length < TOKENS_MAX, `tokens: expected fewer than ${TOKENS_MAX}`);
  return {
    ...tokens,
    ...lettersOf(tokens),
    ...codesOf(tokens),
    ...skeletonsOf(tokens),
    ...tailsOf(tokens),
  };
}

function lettersOf({ tokenStart, tokenUnits }: Texts) {
  const count = tokenStart.length - 1;
  const tokenBytes = new Uint8Array(tokenUnits.length);
  for (let at = 0; at < tokenUnits.length; at++) {
    tokenBytes[at] = Math.min(tokenUnits[at] as number, NOT_ASCII);
  }
  const tokenOnce = new Int32Array(count);
  const tokenTwice = new Int32Array(count);
  for (let token = 0; token < count; token++) {
    const start = tokenStart[token] as number;
    const end = tokenStart[token + 1] as number;
    tokenOnce[token] = signatureOnce(tokenUnits, start, end);
    tokenTwice[token] = signatureTwice(tokenUnits, start, end);
  }
  return { tokenBytes, tokenOnce, tokenTwice };
}

function codesOf({ tokenPrimary, tokenAlternate }: Sounds) {
  const keys = words();
  const tokens = words();
  for (const codes of [tokenPrimary, tokenAlternate]) {
    codes.forEach((code, token) => {
      if (code === 0) return;
      keys.push(code);
      tokens.push(token);
    });
  }
  const groups = groupPairs(keys.view(), tokens.view());
  return { codeKey: groups.keys, codeFirstToken: groups.first, codeToken: groups.values };
}

function isVowel(unit: number): boolean {
  return unit === 0x61 || unit === 0x65 || unit === 0x69 || unit === 0x6f || unit === 0x75;
}

/**
 * Tokens by the hash of their consonants, double ones once; what is no Latin letter is kept
 * (native/expansions.ts).
 */
function skeletonsOf({ tokenStart, tokenUnits }: Texts) {
  const keys = words();
  const tokens = words();
  for (let token = 0; token + 1 < tokenStart.length; token++) {
    const end = tokenStart[token + 1] as number;
    let hash = HASH_START;
    let last = -1;
    let count = 0;
    for (let at = tokenStart[token] as number; at < end; at++) {
      const unit = tokenUnits[at] as number;
      if (unit === last || isVowel(unit)) continue;
      hash = hashUnit(hash, unit);
      last = unit;
      count += 1;
    }
    if (count < SKELETON_UNITS_MIN) continue;
    keys.push(hashWord(hash));
    tokens.push(token);
  }
  const pairs = sortPairs(keys.view(), tokens.view());
  return { skeletonKey: pairs.keys, skeletonToken: pairs.values };
}

function tailsOf({ tokenStart, tokenUnits }: Texts) {
  const keys = words();
  const tokens = words();
  for (let token = 0; token + 1 < tokenStart.length; token++) {
    const start = (tokenStart[token] as number) + 1;
    const end = tokenStart[token + 1] as number;
    if (end - start < TAIL_UNITS_MIN) continue;
    let hash = HASH_START;
    for (let at = start; at < end; at++) hash = hashUnit(hash, tokenUnits[at] as number);
    keys.push(hashWord(hash));
    tokens.push(token);
  }
  const pairs = sortPairs(keys.view(), tokens.view());
  return { tailKey: pairs.keys, tailToken: pairs.values };
}
