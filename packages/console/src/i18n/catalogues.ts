/** The catalogues of all languages; those of others than English are loaded when they are chosen. */

import { en, enPlurals } from './en.ts';
import type { Language } from './language.ts';
import type { Catalogue } from './messages.ts';

export const ENGLISH: Catalogue = { messages: en, plurals: enPlurals };

export async function loadCatalogue(language: Language): Promise<Catalogue> {
  if (language === 'fr') return (await import('./fr.ts')).fr;
  if (language === 'ar') return (await import('./ar.ts')).ar;
  return ENGLISH;
}
