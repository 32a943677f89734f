/** What a person chose in this browser: language, theme, and whether single keys do something. */
import { LANGUAGES, type Language } from './i18n/language.ts';

export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const PREFIX = 'console.';

const read = (name: string): string | undefined => localStorage.getItem(PREFIX + name) ?? undefined;
const write = (name: string, value: string): void => localStorage.setItem(PREFIX + name, value);

export function chosenLanguage(): Language {
  const chosen = read('language') ?? navigator.language.slice(0, 2);
  return LANGUAGES.find((one) => one === chosen) ?? 'en';
}
export const chooseLanguage = (language: Language): void => write('language', language);

export const chosenTheme = (): Theme => THEMES.find((one) => one === read('theme')) ?? 'auto';
export function chooseTheme(theme: Theme): void {
  write('theme', theme);
  applyTheme(theme);
}
export function applyTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
}

export const areKeysOn = (): boolean => read('keys') !== 'off';
export const switchKeys = (isOn: boolean): void => write('keys', isOn ? 'on' : 'off');

/** Filters that a person gave a name, in this browser. */
export interface SavedFilter {
  readonly name: string;
  readonly query: Readonly<Record<string, string>>;
}

/** `whose`: the person within the tenant, so that people who share a browser share no filters. */
export function savedFilters(whose: string): readonly SavedFilter[] {
  const text = read(`filters.${whose}`);
  return text === undefined ? [] : (JSON.parse(text) as readonly SavedFilter[]);
}
export const saveFilters = (whose: string, filters: readonly SavedFilter[]): void =>
  write(`filters.${whose}`, JSON.stringify(filters));
