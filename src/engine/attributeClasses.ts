/**
 * Classes of attributes, numbered as in native/scoring.ts: the sound, dates and nationalities of an
 * entity compare with a query in 36 ways, and the formula needs nothing else of them.
 */
import type { Attributes } from './formula.ts';

/** Scores by class; NaN: absent. */
const PHONETIC_CLASSES = [Number.NaN, 0, 1];
const DATE_CLASSES = [Number.NaN, 0, 0.5, 1];
const NATION_CLASSES = [Number.NaN, 0, 1];

function attributesOf(type: number, alias: boolean): Attributes {
  return {
    phonetic: PHONETIC_CLASSES[Math.floor(type / 12)] ?? Number.NaN,
    dob: DATE_CLASSES[Math.floor(type / 3) % 4] ?? Number.NaN,
    nationality: NATION_CLASSES[type % 3] ?? Number.NaN,
    alias,
  };
}

const TYPES = Array.from({ length: 36 }, (_, type) => type);
/** Component scores of each class, by its number (0..35), for a query without variants. */
export const CLASSES = TYPES.map((type) => attributesOf(type, false));
/** The same 36 classes for a query with variants, which has an alias score too. */
export const CLASSES_WITH_ALIAS = TYPES.map((type) => attributesOf(type, true));
