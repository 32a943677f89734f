/** Languages that people are written to in. */
export const LOCALES = ['fr', 'ar', 'en'] as const;
/** One of LOCALES. */
export type Locale = (typeof LOCALES)[number];
