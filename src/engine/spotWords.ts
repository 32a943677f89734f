/**
 * Words of texts as a list may have them, and what they do beside a name: legal forms are compared
 * with it, titles and words of payments are no part of any.
 */
import { foldWord, latinTokens } from './foldName.ts';
import { WORD_ROLE, wordRoles } from './nameWords.ts';
import { slips } from './nearWords.ts';
import { isPaymentWord } from './paymentWords.ts';

/** A word of a text: as the list may have it, and what it does beside a name. */
export interface TextWord {
  readonly tokens: readonly string[];
  readonly isLegal: boolean;
  /** As the legal form is spelt that it is but for a slip. */
  readonly legal?: string;
  /** It is no part of a name. */
  readonly isOther: boolean;
}

const DOTTED = /^(?:\p{L}\.){1,}\p{L}?\.?$/u;

/** Reads a word in its script, in Latin letters, and letters with dots between as one. */
export function readWord(word: string): TextWord {
  const folded = foldWord(word).tokens;
  const joined = folded.length > 1 && DOTTED.test(word) ? [folded.join('')] : [];
  const own = joined.length > 0 ? joined : folded;
  const tokens = [...joined, ...folded].flatMap((token) => [token, ...latinTokens(token)]);
  const legal = own.length === 1 ? misspeltLegal(own[0] ?? '') : undefined;
  const isLegal =
    legal !== undefined ||
    (own.length > 0 && own.every((token) => isLegalWord(token) || joined.length > 0));
  return {
    isLegal,
    isOther: own.length > 0 && own.every((token) => isPaymentWord(token) || isTitle(token)),
    tokens,
    ...(legal !== undefined && { legal }),
  };
}

const LEGAL = WORD_ROLE.end | WORD_ROLE.legal | WORD_ROLE.legalEnd;
const TITLE = WORD_ROLE.honorific | WORD_ROLE.title;
/** Whether a token is a word of a legal form. */
export const isLegalWord = (token: string): boolean =>
  token.length > 1 && (wordRoles(token) & LEGAL) !== 0;
const isTitle = (token: string): boolean => (wordRoles(token) & TITLE) !== 0;
/** Those that are told though they are misspelt. */
const LONG_LEGAL = [
  'company',
  'corporation',
  'establishment',
  'incorporated',
  'liability',
  'limited',
];

/** The legal form that a word is but for a slip. */
const misspeltLegal = (token: string): string | undefined =>
  token.length < LONG_LEGAL_MIN || isLegalWord(token)
    ? undefined
    : LONG_LEGAL.find((word) => slips(word, token) === 1);
const LONG_LEGAL_MIN = 6;
