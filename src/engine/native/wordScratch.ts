/**
 * Where wordCosts finds what it compares, in bytes of a memory of its own, and what edits cost that
 * depend on no letter. A lane is one of the 16 words that are compared at once.
 */
/** Cost of changing one letter code into another, a u8 each: 64 rows of 64. */
export const WORD_CHANGED: i32 = 0;
/** Cost of a letter code more or less, a u8 each. */
export const WORD_DROPPED: i32 = 4096;
/** Letter codes of the query's word, a u8 each. */
export const WORD_QUERY: i32 = 4160;
/** Letters of the word of each lane, a u8 each. */
export const WORD_LENGTHS: i32 = 4224;
/** What wordCosts found for each lane, a u8 each; 255 stands for that and more. */
export const WORD_COSTS: i32 = 4240;
/** Letter codes by place and lane, a u8 each; 0 behind a word's end. */
export const WORD_COLUMNS: i32 = 4256;
/** Cost of each of these letters more, by place and lane. */
export const WORD_ADDED: i32 = 5024;
/** Three rows of costs. */
export const WORD_ROWS: i32 = 5792;
/** Bytes of such a row: 48 letters, one before the first, and one more in front. */
export const WORD_ROW_BYTES: i32 = 800;
/** Bytes that all of it takes. */
export const WORD_BYTES: i32 = 8192;
/** Words that are compared at once. */
export const WORD_LANES: i32 = 16;
/** Letters of a word at most. */
export const WORD_LETTERS_MAX: i32 = 48;
/** Cost of a letter that only repeats the one before. */
export const DOUBLED: i32 = 5;
/** Cost of two letters that changed places. */
export const SWAPPED: i32 = 12;
