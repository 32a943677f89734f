/** What people read, in three languages. */
import type { Locale } from '#platform/locales';
import type { NoticeTexts } from './noticeText.ts';
import { arabic } from './textsArabic.ts';
import { english } from './textsEnglish.ts';
import { french } from './textsFrench.ts';

const TEXTS: Readonly<Record<Locale, NoticeTexts>> = { ar: arabic, en: english, fr: french };

/** The texts of a language. */
export const textsIn = (locale: Locale): NoticeTexts => TEXTS[locale];
