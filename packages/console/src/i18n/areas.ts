/**
 * Words of the pages that are loaded when they are opened: each area of work has its own, beside
 * its pages, in every language. What pages share stands in the catalogues.
 */

import type { words as cases } from '../areas/cases/words/en.ts';
import type { words as forms } from '../areas/forms/words/en.ts';
import type { words as monitoring } from '../areas/monitoring/words/en.ts';
import type { words as policies } from '../areas/policies/words/en.ts';
import type { words as privacy } from '../areas/privacy/words/en.ts';
import type { words as reports } from '../areas/reports/words/en.ts';
import type { words as risk } from '../areas/risk/words/en.ts';
import type { words as tax } from '../areas/tax/words/en.ts';
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
  forms: of<keyof typeof forms>({
    ar: () => import('../areas/forms/words/ar.ts'),
    en: () => import('../areas/forms/words/en.ts'),
    fr: () => import('../areas/forms/words/fr.ts'),
  }),
  monitoring: of<keyof typeof monitoring>({
    ar: () => import('../areas/monitoring/words/ar.ts'),
    en: () => import('../areas/monitoring/words/en.ts'),
    fr: () => import('../areas/monitoring/words/fr.ts'),
  }),
  policies: of<keyof typeof policies>({
    ar: () => import('../areas/policies/words/ar.ts'),
    en: () => import('../areas/policies/words/en.ts'),
    fr: () => import('../areas/policies/words/fr.ts'),
  }),
  privacy: of<keyof typeof privacy>({
    ar: () => import('../areas/privacy/words/ar.ts'),
    en: () => import('../areas/privacy/words/en.ts'),
    fr: () => import('../areas/privacy/words/fr.ts'),
  }),
  reports: of<keyof typeof reports>({
    ar: () => import('../areas/reports/words/ar.ts'),
    en: () => import('../areas/reports/words/en.ts'),
    fr: () => import('../areas/reports/words/fr.ts'),
  }),
  risk: of<keyof typeof risk>({
    ar: () => import('../areas/risk/words/ar.ts'),
    en: () => import('../areas/risk/words/en.ts'),
    fr: () => import('../areas/risk/words/fr.ts'),
  }),
  tax: of<keyof typeof tax>({
    ar: () => import('../areas/tax/words/ar.ts'),
    en: () => import('../areas/tax/words/en.ts'),
    fr: () => import('../areas/tax/words/fr.ts'),
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
