/** Limits of sanctions. */

/** Shortest statement about a broken chain, which whoever reads the evidence later understands. */
export const STATEMENT_CHARS_MIN = 20;
/** Breaks of a chain that a list shows. */
export const SHOWN_BREAKS_MAX = 20;
/** Reports of screenings that are made for one tenant at once, in a gateway. */
export const REPORTS_PER_TENANT_MAX = 4;
/** Reports of screenings that a gateway makes at once. */
export const REPORTS_AT_ONCE_MAX = 16;
/** Price of a report that is not there yet, in tokens of the rate limits. Its file lies a day. */
export const REPORT_TOKENS = 10;
