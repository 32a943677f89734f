/**
 * The token-sorted form of a folded name. It stands apart from foldName.ts because engine threads
 * get folded names and need not load the fold's tables.
 */

/** The tokens of a folded name in code-unit order: `hussein saddam` for `saddam hussein`. */
export function sortTokens(folded: string): string {
  return folded.split(' ').sort().join(' ');
}
