/** What the slice needs beside it: the engine's forms of names. */
import { adapter } from '#core/kernel';

/** How alike two names are, 0 to 1: the best of their folded forms, in either order of words. */
export type CompareNames = (said: string, read: string) => Promise<number>;

/** Compares a name that was said with one that was read. */
export const compareNames = adapter<CompareNames>();
