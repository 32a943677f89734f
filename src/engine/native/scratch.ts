/**
 * The layout of a thread's scratch, in bytes from its start. The query's names (slots and tokens)
 * fill a heap behind the fixed part.
 */
/** Working memory of one comparison (jaro.ts, levenshtein.ts). */
export const COMPARE: i32 = 0;
/** The current form (forms.ts) as bytes in natural order. */
export const NATURAL_BYTES: i32 = 4096;
/** The current form as bytes, its tokens sorted. */
export const SORTED_BYTES: i32 = 5184;
/** The current form as UTF-16 units in natural order. */
export const NATURAL_UNITS: i32 = 6272;
/** The current form as UTF-16 units, its tokens sorted; expansions.ts keeps short texts here. */
export const SORTED_UNITS: i32 = 8384;
/** The current form's token numbers, sorted, i32 each. */
export const SORTED_TOKENS: i32 = 10496;
/** Initials of a form that matched already, a u8 per letter. */
export const SPENT: i32 = 14592;
/** Attributes of the query, as scoring.ts lists them. */
export const ATTRIBUTES: i32 = 14720;
/** Jaro similarities that a sweep requires, f64: by attributes (4) and by head (3). */
export const SWEEP_JAROS: i32 = 14848;
/**
 * Limits for the current length of a sweep, two i32 per head: letters of the query and letters of
 * the form that may go without a match; -1: none passes.
 */
export const SWEEP_LIMITS: i32 = 14944;
/** Per class of attributes (36): weight sum f64, points f64. */
export const CLASSES: i32 = 15104;
/** Per set of categories (32): directScore that still matters, f64. */
export const REQUIRED: i32 = 15872;
/** Names of the query (query.ts), NAME_BYTES each. */
export const NAMES: i32 = 16384;
/** Bytes of one name's record. */
export const NAME_BYTES: i32 = 64;
/** Names that one query has at most. */
export const NAMES_MAX: i32 = 192;
/**
 * Variants of the query, VARIANT_BYTES each: address of the natural and of the sorted slot, letters
 * once and twice.
 */
export const VARIANTS: i32 = 28672;
/** Bytes of one variant's record. */
export const VARIANT_BYTES: i32 = 16;
/** Variants that one query has at most. */
export const VARIANTS_MAX: i32 = 64;
/**
 * Entities of a batch that passed (scoring.ts), RESULT_BYTES each: i32 entity, class and form, then
 * at +16 the nameScore f64.
 */
export const RESULTS: i32 = 30720;
/** Bytes of one result. */
export const RESULT_BYTES: i32 = 24;
/** Entities that one call of scoreBatch takes at most. */
export const BATCH_MAX: i32 = 256;
/** Text that the caller hands over, in UTF-16 units. */
export const INPUT: i32 = 36864;
/** Units of one such text; its sorted order may follow it. */
export const INPUT_UNITS: i32 = 1024;
/** Units of retrieval, UNIT_BYTES each (units.ts). */
export const VOTE_UNITS: i32 = 40960;
/** Expansions of all units, EXPANSION_BYTES each (units.ts). */
export const EXPANSIONS: i32 = 45056;
/** Expansions of one query at most. */
export const EXPANSIONS_MAX: i32 = 4096;
/** Histogram of votes: 4,096 i32 (ranking.ts). */
export const HISTOGRAM: i32 = 126976;
/**
 * Names that votes may show to be heard (phoneticVotes.ts), two i32 each: bits of their units, and
 * letters of their initials.
 */
export const HEARD_NAMES: i32 = 143360;
/** Letter bit of the unit of each bit, i32 each. */
export const HEARD_LETTERS: i32 = 143616;
/** Hash table of the current unit's tokens, i32 each: token + 1, or 0 (expansions.ts). */
export const TAKEN: i32 = 143872;
/** Bits of a place in that table. */
export const TAKEN_BITS: i32 = 11;
/** Titles of the dictionary: how many, then their numbers, ascending, i32 each (titles.ts). */
export const TITLES: i32 = 152064;
/** Titles that a list may have at most. */
export const TITLES_MAX: i32 = 127;
/** Tokens of a form without its titles, i32 each. */
export const PLAIN_TOKENS: i32 = 152576;
/** A u8 per token of a form: 1 where the query's name has it (heardName.ts). */
export const FOUND: i32 = 156672;
/** Tokens of the longest form, about. */
export const FORM_TOKENS_MAX: i32 = 1024;
/** Start of the heap of query names, slots and tokens; the fixed part ends here. */
export const HEAP: i32 = 157696;
