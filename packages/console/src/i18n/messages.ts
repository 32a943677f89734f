/** What a catalogue holds: every message of the English one, and every plural form of its language. */
import type { en, enPlurals } from './en.ts';

export type MessageKey = keyof typeof en;
export type PluralKey = keyof typeof enPlurals;

export interface Catalogue<Forms extends string = string> {
  readonly messages: Readonly<Record<MessageKey, string>>;
  readonly plurals: Readonly<Record<PluralKey, Readonly<Record<Forms, string>>>>;
}
