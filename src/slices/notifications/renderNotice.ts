/**
 * A notice as people read it: title, sentences and facts in their language, as text and as HTML.
 * Arabic runs from right to left; ids and times in it are set apart, so that they keep their order.
 * A name is the one thing that a person wrote: it is cut to one line, and escaped in HTML.
 */
import { type EpochMs, toTimestamp } from '#platform/clock';
import type { Locale } from '#platform/locales';
import { FACTS, type Fact, type NoticeTexts } from './noticeText.ts';
import type { Notice } from './tables.ts';
import { textsIn } from './texts.ts';

/** What a notice says, in one language. */
export interface ReadableNotice {
  readonly title: string;
  readonly says: string;
  readonly todo: string;
  readonly facts: readonly { readonly label: string; readonly value: string }[];
}

/** Both forms of a mail. */
export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export function readableNotice(notice: Notice, locale: Locale): ReadableNotice {
  const texts = textsIn(locale);
  const facts = FACTS.flatMap((fact) => {
    const value = factOf(notice, fact, texts);
    return value === undefined ? [] : [{ label: texts.facts[fact], value }];
  });
  return { ...texts.kinds[notice.kind], facts };
}

function factOf(notice: Notice, fact: Fact, { severities }: NoticeTexts): string | undefined {
  const { params, subjectId, subjectKind } = notice;
  switch (fact) {
    case 'at':
      return toTimestamp(notice.createdAt);
    case 'endpoint':
      return subjectKind === 'webhook_endpoint' ? subjectId : undefined;
    case 'notification':
      return notice.noticeId;
    case 'severity':
      return severities[notice.severity];
    case 'since':
      return params.since === undefined ? undefined : toTimestamp(params.since as EpochMs);
    case 'tenant':
      return notice.tenantId;
    case 'count':
    case 'reason':
    case 'seq':
    case 'ticket':
    case 'until':
      return params[fact] === undefined ? undefined : String(params[fact]);
  }
}

/** `name` is absent for operations. */
export function renderMail(
  notice: Notice,
  { locale, name }: { readonly locale: Locale; readonly name: string | undefined },
): RenderedMail {
  const texts = textsIn(locale);
  const readable = readableNotice(notice, locale);
  const reader = name === undefined ? undefined : oneLine(name);
  return {
    html: htmlOf(readable, { locale, reader, texts }),
    subject: readable.title,
    text: textOf(readable, { reader, texts }),
  };
}

const NAME_CHARACTERS_MAX = 80;
/** Controls, line ends and marks that turn text around. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

function oneLine(name: string): string {
  return [...name.replaceAll(UNSEEN, ' ')].slice(0, NAME_CHARACTERS_MAX).join('').trim();
}

/** Set apart from the text around it, in whatever direction that runs. */
const isolated = (value: string): string => `\u2068${value}\u2069`;

interface Greeted {
  readonly reader: string | undefined;
  readonly texts: NoticeTexts;
}

function textOf({ facts, says, title, todo }: ReadableNotice, { reader, texts }: Greeted): string {
  const { footer, greeting, greetingAll } = texts;
  return [
    reader === undefined ? greetingAll : `${greeting} ${isolated(reader)}`,
    '',
    title,
    '',
    says,
    todo,
    '',
    ...facts.map(({ label, value }) => `${label}: ${isolated(value)}`),
    '',
    '-- ',
    footer,
    '',
  ].join('\n');
}

function htmlOf(
  { facts, says, title, todo }: ReadableNotice,
  { locale, reader, texts }: Greeted & { readonly locale: Locale },
): string {
  const { direction, footer, greeting, greetingAll } = texts;
  const hello =
    reader === undefined
      ? escaped(greetingAll)
      : `${escaped(greeting)} <bdi>${escaped(reader)}</bdi>`;
  const cell = `style="padding:2px 8px;text-align:${direction === 'rtl' ? 'right' : 'left'}"`;
  const rows = facts.map(
    ({ label, value }) =>
      `<tr><th ${cell} scope="row">${escaped(label)}</th>` +
      `<td ${cell}><bdi>${escaped(value)}</bdi></td></tr>`,
  );
  return [
    '<!doctype html>',
    `<html lang="${locale}" dir="${direction}">`,
    `<head><meta charset="utf-8"><title>${escaped(title)}</title></head>`,
    `<body dir="${direction}" style="font-family:sans-serif;max-width:40em">`,
    `<p>${hello}</p>`,
    `<h1 style="font-size:1.2em">${escaped(title)}</h1>`,
    `<p>${escaped(says)}</p>`,
    `<p>${escaped(todo)}</p>`,
    `<table dir="${direction}">`,
    ...rows,
    '</table>',
    `<p><small>${escaped(footer)}</small></p>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '"': '&quot;',
  '&': '&amp;',
  "'": '&#39;',
  '<': '&lt;',
  '>': '&gt;',
};
const escaped = (text: string): string =>
  text.replaceAll(/["&'<>]/g, (character) => ENTITIES[character] ?? '');
