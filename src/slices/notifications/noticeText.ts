/**
 * The form of what people read: of each kind of notice a title, what has happened and what to do;
 * and the names of the facts beside it. Figures and ids stand in the facts, never in a sentence: no
 * language has to count.
 */
import type { NoticeKind, Severity } from './codes.ts';

/** What a notice says. */
export interface NoticeText {
  readonly title: string;
  readonly says: string;
  readonly todo: string;
}

/** Facts that stand beside a notice, in this order. */
export const FACTS = [
  'severity',
  'endpoint',
  'seq',
  'count',
  'reason',
  'since',
  'until',
  'at',
  'ticket',
  'tenant',
  'notification',
] as const;
/** One of FACTS. */
export type Fact = (typeof FACTS)[number];

/** All texts of a language. */
export interface NoticeTexts {
  readonly direction: 'ltr' | 'rtl';
  /** Before the name of the reader. */
  readonly greeting: string;
  /** Where the reader has no name: operations. */
  readonly greetingAll: string;
  readonly footer: string;
  readonly facts: Readonly<Record<Fact, string>>;
  readonly severities: Readonly<Record<Severity, string>>;
  readonly kinds: Readonly<Record<NoticeKind, NoticeText>>;
}
