/** Messages, plurals, numbers and dates in the language that a person chose. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { ENGLISH } from './catalogues.ts';
import type { Language } from './language.ts';
import type { Catalogue, MessageKey, PluralKey } from './messages.ts';

export type { MessageKey } from './messages.ts';

const LOCALES: Readonly<Record<Language, string>> = { ar: 'ar-TN', en: 'en-GB', fr: 'fr-TN' };

/** `AreaKey`: what the words of an area say beside the catalogue. */
export interface I18n<AreaKey extends string = never> {
  readonly language: Language;
  readonly direction: 'ltr' | 'rtl';
  t(key: AreaKey | MessageKey, values?: Readonly<Record<string, string | number>>): string;
  plural(key: PluralKey, count: number): string;
  number(value: number, digits?: number): string;
  percent(value: number): string;
  date(iso: string): string;
  list(words: readonly string[]): string;
}

export function i18nOf(language: Language, catalogue: Catalogue): I18n {
  const locale = LOCALES[language];
  const rules = new Intl.PluralRules(locale);
  const dates = new Intl.DateTimeFormat(locale, {
    calendar: 'gregory',
    dateStyle: 'medium',
    hourCycle: 'h23',
    timeStyle: 'short',
  });
  const number: I18n['number'] = (value, digits = 0) =>
    new Intl.NumberFormat(locale, {
      maximumFractionDigits: digits,
      minimumFractionDigits: digits,
    }).format(value);
  return {
    date: (iso) => dates.format(new Date(iso)),
    direction: language === 'ar' ? 'rtl' : 'ltr',
    language,
    list: (words) => new Intl.ListFormat(locale).format(words),
    number,
    percent: (value) => new Intl.NumberFormat(locale, { style: 'percent' }).format(value),
    plural(key, count) {
      const forms: Readonly<Record<string, string>> = catalogue.plurals[key];
      const form = forms[rules.select(count)] ?? forms.other ?? '';
      return form.replace('{n}', number(count));
    },
    t: sayer(catalogue.messages),
  };
}

const sayer =
  (messages: Readonly<Record<string, string>>): I18n['t'] =>
  (key, values = {}) =>
    (messages[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ''));

/** The same, with the words of an area beside those of the catalogue. */
export function withWords(i18n: I18n, words: Readonly<Record<string, string>>): I18n {
  const own = sayer(words);
  return { ...i18n, t: (key, values) => (Object.hasOwn(words, key) ? own : i18n.t)(key, values) };
}

export const I18nContext = createContext<I18n>(i18nOf('en', ENGLISH));
export const useI18n = (): I18n => useContext(I18nContext);

/** For pages of an area, which are shown once its words are there (parts/areaPage.tsx). */
export const useAreaI18n = <AreaKey extends string>(): I18n<AreaKey> =>
  useContext(I18nContext) as I18n<AreaKey>;
