/** What words that stand for each other weigh, and what is known by them: sums of the features. */
import type { Link } from './alignment.ts';
import type { NameToken } from './nameToken.ts';
import type { PreparedName } from './preparedName.ts';
import { REASON, SAME } from './tokenSimilarity.ts';
import { RARITY_BIT } from './wordFacts.ts';

/** What an initial tells, in bits. */
export const INITIAL_BITS = 3;
/**
 * What a letter of an acronym tells, in bits. One name of three words in a hundred has the initials
 * of a name on OFAC's list, so three letters are less than what decides by itself; four are more.
 */
export const ACRONYM_LETTER_BITS = 2.8;
/** Information at which the term is a half, in bits. */
const INFORMATION_HALF = 24;

/** The term of so many bits of information. */
export function informationOf(bits: number): number {
  return bits / (bits + INFORMATION_HALF);
}

/** Weight of some words of a name that stand beside each other. */
export function weightOf({ tokens }: PreparedName, from: number, count: number): number {
  let weight = 0;
  for (let at = from; at < from + count; at++) weight += tokens[at]?.weight ?? 0;
  return weight;
}

/** Rarity of the commoner word; of one that stands for several, its own. */
function commonest(one: NameToken, other: NameToken, link: Link): number {
  if (link.queryCount > 1) return other.rarity;
  return link.entryCount > 1 ? one.rarity : Math.min(one.rarity, other.rarity);
}

/** Mean weight of the words on both sides of a link. */
export function linkWeight(query: PreparedName, entry: PreparedName, link: Link): number {
  return (
    (weightOf(query, link.query, link.queryCount) + weightOf(entry, link.entry, link.entryCount)) /
    2
  );
}

/** What a link adds to the bits that both names have. */
export function bitsOf(query: PreparedName, entry: PreparedName, link: Link): number {
  if (link.reason === REASON.initial) return INITIAL_BITS;
  const one = query.tokens[link.query] as NameToken;
  const other = entry.tokens[link.entry] as NameToken;
  const bits = bitsBy(link.alike, commonest(one, other, link), linkWeight(query, entry, link));
  if (link.reason !== REASON.acronym) return bits;
  return acronymBits(bits, (link.queryCount === 1 ? one : other).codes.length);
}

/** Bits of an acronym of so many letters: not those of a rare word, which names do not share. */
export function acronymBits(bits: number, letters: number): number {
  return Math.min(bits, ACRONYM_LETTER_BITS * letters);
}

/** The same from the likeness of the words, the rarity of the commoner and their mean weight. */
export function bitsBy(alike: number, rarity: number, weight: number): number {
  const sure = 2 * (alike / SAME) - 1;
  return sure <= 0 ? 0 : (rarity / RARITY_BIT) * sure * Math.min(weight, 1);
}

/** The weight of linked words, and what words left over on both sides weigh against them. */
export function withRest(linked: number, query: number, entry: number): number {
  const conflict = Math.min(query, entry);
  return linked + 2 * conflict + 0.6 * (query - conflict) + 0.35 * (entry - conflict);
}
