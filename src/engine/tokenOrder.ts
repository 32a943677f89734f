/**
 * The token-sorted form of a folded name. It stands apart from foldName.ts because engine threads
 * get folded names and need not load the fold's tables.
 */

/** The tokens of a folded name in code-unit order: `hussein saddam` for `saddam hussein`. */
export function sortTokens(folded: string): string {
  return folded.split(' ').sort().join(' ');
}

/** How the sorted form of a name is made. */
export type TokenOrder = (folded: string) => string;

const LETTER = /^[a-z]$/;

/**
 * The same for re-ranker 1.1: single letters stand first and keep their order, since C.B.A. is not
 * A.B.C. (native/forms.ts sorts names of the list alike).
 */
export function sortWords(folded: string): string {
  const tokens = folded.split(' ');
  const letters = tokens.filter((token) => LETTER.test(token));
  if (letters.length === 0) return tokens.sort().join(' ');
  const words = tokens.filter((token) => !LETTER.test(token)).sort();
  return [...letters, ...words].join(' ');
}
