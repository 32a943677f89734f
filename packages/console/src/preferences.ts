/** What a person chose in this browser: language, theme, and whether single keys do something. */
import { LANGUAGES, type Language } from './i18n/language.ts';
import { readFilters, type SavedFilter } from './savedFilter.ts';

export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const PREFIX = 'console.';

/** A browser may keep nothing, and refuse even to look: then nothing was chosen. */
function read(name: string): string | undefined {
  try {
    return localStorage.getItem(PREFIX + name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Says whether it is kept. */
function write(name: string, value: string): boolean {
  try {
    localStorage.setItem(PREFIX + name, value);
    return true;
  } catch {
    return false;
  }
}

export function chosenLanguage(): Language {
  const chosen = read('language') ?? navigator.language.slice(0, 2);
  return LANGUAGES.find((one) => one === chosen) ?? 'en';
}
export function chooseLanguage(language: Language): void {
  write('language', language);
}

export const chosenTheme = (): Theme => THEMES.find((one) => one === read('theme')) ?? 'auto';
export function chooseTheme(theme: Theme): void {
  write('theme', theme);
  applyTheme(theme);
}
export function applyTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
}

export const areKeysOn = (): boolean => read('keys') !== 'off';
export function switchKeys(isOn: boolean): void {
  write('keys', isOn ? 'on' : 'off');
}

/** `whose`: the person within the tenant, so that people who share a browser share no filters. */
export function savedFilters(whose: string): readonly SavedFilter[] {
  const text = read(`filters.${whose}`);
  return text === undefined ? [] : readFilters(text);
}
/** Says whether they are kept. */
export const saveFilters = (whose: string, filters: readonly SavedFilter[]): boolean =>
  write(`filters.${whose}`, JSON.stringify(filters));
