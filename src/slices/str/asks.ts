/** What the slice needs beside it: the engine's tables of letters. */
import { adapter } from '#core/kernel';

/** Words in Latin letters without marks, in their order; empty for a word without a sound. */
export type RomaniseWords = (words: readonly string[]) => Promise<readonly string[]>;

/** Romanises the words of names for schemas that take no other letters. */
export const romaniseWords = adapter<RomaniseWords>();
