/** Bounds that both sides of a comparison share. */

/** UTF-16 units of a folded name that are compared; foldName caps names below it. */
export const NAME_UNITS_MAX = 1024;

/** Code points of one name that count; the rest is cut off. */
export const NAME_CODE_POINTS_MAX = 512;

/** Names of one query, its spellings included. */
export const NAMES_MAX = 192;
