/**
 * The token-sorted form of a folded name. Apart from foldName.ts, so that engine threads, which get
 * names folded, need not hold the fold's tables.
 */

/** Tokens in code-unit order: `hussein saddam` for `saddam hussein`. */
export function sortTokens(folded: string): string {
  return folded.split(' ').sort().join(' ');
}
