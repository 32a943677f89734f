/**
 * What lies where in a thread's scratch, in bytes from its start. The query's names (slots and
 * tokens) fill a heap behind the fixed part.
 */
/** A comparison's own: jaro.ts, levenshtein.ts. */
export const COMPARE: i32 = 0;
/** The form at hand: as bytes and as units, in natural and in sorted order; its tokens sorted. */
export const NATURAL_BYTES: i32 = 4096;
export const SORTED_BYTES: i32 = 5184;
export const NATURAL_UNITS: i32 = 6272;
export const SORTED_UNITS: i32 = 8384;
export const SORTED_TOKENS: i32 = 10496;
/** Initials of a form that are spent, by letter. */
export const SPENT: i32 = 14592;
/** Query attributes: what scoring.ts reads. */
export const ATTRIBUTES: i32 = 14720;
/** Of a sweep: Jaro similarities that are asked for, f64, by attributes and by head. */
export const SWEEP_JAROS: i32 = 14848;
/** Of the stretch at hand: misses of the query's letters that are few enough, and of the form's. */
export const SWEEP_LIMITS: i32 = 14944;
/** 36 classes of attributes: weight sum f64, points f64. */
export const CLASSES: i32 = 15104;
/** 32 classes of categories: directScore that still matters, f64. */
export const REQUIRED: i32 = 15872;
/** Query names: NAME_BYTES each. */
export const NAMES: i32 = 16384;
export const NAME_BYTES: i32 = 64;
export const NAMES_MAX: i32 = 192;
/** Variants: address of the natural and of the sorted slot, letters once and twice. */
export const VARIANTS: i32 = 28672;
export const VARIANT_BYTES: i32 = 16;
export const VARIANTS_MAX: i32 = 64;
/** Survivors of a batch: RESULT_BYTES each. */
export const RESULTS: i32 = 30720;
export const RESULT_BYTES: i32 = 24;
export const BATCH_MAX: i32 = 256;
/** Texts that the caller hands over: units. */
export const INPUT: i32 = 36864;
export const INPUT_UNITS: i32 = 1024;
/** Units of retrieval and their expansions: votes.ts. */
export const VOTE_UNITS: i32 = 40960;
export const EXPANSIONS: i32 = 45056;
export const EXPANSIONS_MAX: i32 = 4096;
export const HISTOGRAM: i32 = 126976;
/** Names that votes may show to be heard: bits of units, letters; and the letter of each bit. */
export const HEARD_NAMES: i32 = 143360;
export const HEARD_LETTERS: i32 = 143616;
/** Tokens of the unit at hand, by their hash: expansions.ts. */
export const TAKEN: i32 = 143872;
export const TAKEN_BITS: i32 = 11;
export const HEAP: i32 = 152064;
