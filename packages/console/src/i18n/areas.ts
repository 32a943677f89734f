/**
 * Words of the pages that are loaded when they are opened: each area of work has its own, beside
 * its pages, in every language. What pages share stands in the catalogues.
 */

import type { words as cases } from '../areas/cases/words/en.ts';
import type { words as monitoring } from '../areas/monitoring/words/en.ts';
import type { words as reports } from '../areas/reports/words/en.ts';
import type { Language } from './language.ts';

type Words<Key extends string> = Readonly<Record<Key, string>>;
type Loader<Key extends string> = () => Promise<{ readonly words: Words<Key> }>;

/** The same keys in every language: what one lacks is an error of types. */
interface AreaWords<Key extends string> {
  readonly en: Loader<Key>;
  readonly fr: Loader<Key>;
  readonly ar: Loader<Key>;
}

const of = <Key extends string>(words: AreaWords<Key>): AreaWords<Key> => words;

export const AREAS = {
  cases: of<keyof typeof cases>({
    ar: () => import('../areas/cases/words/ar.ts'),
    en: () => import('../areas/cases/words/en.ts'),
    fr: () => import('../areas/cases/words/fr.ts'),
  }),
  monitoring: of<keyof typeof monitoring>({
    ar: () => import('../areas/monitoring/words/ar.ts'),
    en: () => import('../areas/monitoring/words/en.ts'),
    fr: () => import('../areas/monitoring/words/fr.ts'),
  }),
  reports: of<keyof typeof reports>({
    ar: () => import('../areas/reports/words/ar.ts'),
    en: () => import('../areas/reports/words/en.ts'),
    fr: () => import('../areas/reports/words/fr.ts'),
  }),
};
export type Area = keyof typeof AREAS;

/** The words of an area in a language. */
export async function loadWords(
  area: Area,
  language: Language,
): Promise<Readonly<Record<string, string>>> {
  return (await AREAS[area][language]()).words;
}
