/**
 * Classes of attributes, as native/scoring.ts numbers them: what an entity's sound, dates and
 * nationalities may be worth to a query are 36 cases, whatever the entity is.
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
/** Of a query without variants, by number. */
export const CLASSES = TYPES.map((type) => attributesOf(type, false));
/** Of a query with variants. */
export const CLASSES_WITH_ALIAS = TYPES.map((type) => attributesOf(type, true));
