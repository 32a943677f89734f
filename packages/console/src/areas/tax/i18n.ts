/** The words of this area beside those of all pages. */
import { type I18n, useAreaI18n } from '../../i18n/index.ts';
import type { words } from './words/en.ts';

export type AreaKey = keyof typeof words;

export const useI18n = (): I18n<AreaKey> => useAreaI18n<AreaKey>();
