/** Texts of a form: each in every language of the form, plain, and short enough. */
import type { Violations } from '#core/kernel';
import type { FormLanguage } from './definition.ts';
import { TEXT_CHARS_MAX } from './limits.ts';

/** Where texts stand. */
export interface TextPlace {
  readonly languages: readonly FormLanguage[];
  readonly note: Violations;
  readonly pointer: string;
}

/** A text by language. */
export function checkTranslated(value: unknown, { languages, note, pointer }: TextPlace): void {
  const members = note.object(value, pointer, languages);
  if (members === undefined) return;
  for (const language of languages) checkText(members[language], `${pointer}/${language}`, note);
}

const FIELD_TEXTS = ['label', 'help', 'error'] as const;

/** Texts of a field by language: what one language has, all have. */
export function checkFieldTexts(value: unknown, { languages, note, pointer }: TextPlace): void {
  const members = note.object(value, pointer, languages);
  if (members === undefined) return;
  const texts = languages.map((language) => {
    const place = `${pointer}/${language}`;
    if (members[language] === undefined) {
      note.add(place, 'translation-missing', 'expected a text in every language of the form');
      return undefined;
    }
    return note.object(members[language], place, FIELD_TEXTS);
  });
  const named = FIELD_TEXTS.filter(
    (name) => name === 'label' || texts.some((one) => one?.[name] !== undefined),
  );
  for (const [at, one] of texts.entries()) {
    if (one === undefined) continue;
    for (const name of named) checkText(one[name], `${pointer}/${languages[at]}/${name}`, note);
  }
}

function checkText(value: unknown, pointer: string, note: Violations): void {
  if (value === undefined) {
    note.add(pointer, 'translation-missing', 'expected a text in every language of the form');
    return;
  }
  const isText = typeof value === 'string' && value.trim() !== '' && value.length <= TEXT_CHARS_MAX;
  if (!isText) {
    note.add(pointer, 'type', `expected a text of 1 to ${TEXT_CHARS_MAX} characters`);
  } else if (MARKUP.test(value)) {
    note.add(pointer, 'format', 'expected plain text, without tags or control characters');
  }
}

/** The page shows texts as they are; a tag in one is a mistake of its author. */
const MARKUP = /<\/?[a-zA-Z!]|[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/u;
