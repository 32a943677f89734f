/** Limits of sanctions. */

/** Shortest statement about a broken chain, which whoever reads the evidence later understands. */
export const STATEMENT_CHARS_MIN = 20;
/** Breaks of a chain that a list shows. */
export const SHOWN_BREAKS_MAX = 20;
