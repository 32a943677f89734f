/**
 * A mail to a customer in their language, as text and as HTML. It has a salutation without a name,
 * the sentences of the workflow, and a link at most: nothing of the case.
 */
import { LOCALES, type Locale } from '#platform/locales';
import type { MailTemplate } from './workflowContent.ts';

/** Both forms of a mail. */
export interface MailInWords {
  readonly locale: Locale;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const GREETINGS: Readonly<Record<Locale, string>> = {
  ar: 'تحية طيبة،',
  en: 'Dear customer,',
  fr: 'Madame, Monsieur,',
};
const PLACE = '{link}';

/** `fr-TN` is written to in French; other languages in English. */
export const languageOf = (locale: string): Locale =>
  LOCALES.find((one) => locale.startsWith(`${one}-`)) ?? 'en';

/** Whether the template has a place for a link. */
export const hasLink = (template: MailTemplate): boolean =>
  LOCALES.some((locale) => template[locale].text.includes(PLACE));

/** Without a link its place is left out. */
export function mailInWords(
  template: MailTemplate,
  of: { readonly locale: string; readonly link: string | undefined },
): MailInWords {
  const locale = languageOf(of.locale);
  const { subject, text } = template[locale];
  const greeting = GREETINGS[locale];
  const parts = text.split(PLACE);
  const plain =
    of.link === undefined
      ? parts.map((part, at) => (at < parts.length - 1 ? withoutLead(part) : part)).join('')
      : parts.join(of.link);
  const to = escaped(of.link ?? '');
  const anchor = `<a href="${to}">${to}</a>`;
  const said = of.link === undefined ? escaped(plain) : parts.map(escaped).join(anchor);
  const direction = locale === 'ar' ? 'rtl' : 'ltr';
  return {
    html: [
      '<!doctype html>',
      `<html lang="${locale}" dir="${direction}">`,
      `<head><meta charset="utf-8"><title>${escaped(subject)}</title></head>`,
      `<body dir="${direction}" style="font-family:sans-serif;max-width:40em">`,
      `<p>${escaped(greeting)}</p>`,
      `<p>${said.replaceAll('\n', '<br>')}</p>`,
      '</body>',
      '</html>',
      '',
    ].join('\n'),
    locale,
    subject,
    text: `${greeting}\n\n${plain}\n`,
  };
}

const SIGNS: Readonly<Record<string, string>> = {
  '"': '&quot;',
  '&': '&amp;',
  "'": '&#39;',
  '<': '&lt;',
  '>': '&gt;',
};

const escaped = (text: string): string => text.replace(/["&'<>]/g, (sign) => SIGNS[sign] ?? '');

/** Without the colon and the blanks that stand before a link. */
function withoutLead(part: string): string {
  let end = part.length;
  while (end > 0 && isLead(part.charAt(end - 1))) end--;
  return part.slice(0, end);
}

const isLead = (sign: string): boolean => sign === ':' || sign.trim() === '';
