/**
 * What the comma of a name as published tells of its folded form: `PATRUSHEV, Nikolai` has its
 * family name in front, and is the same name with it behind. Folding drops the comma.
 */
import { foldName } from '../foldName.ts';
import { withoutNotes } from './publishedNote.ts';
import { commaParts } from './readQuery.ts';

const COMMA = 0x2c;
const ASCII_END = 0x80;

/** Whether a name in UTF-8 may have a comma; false for nearly all names. */
export function mayHaveComma(bytes: Uint8Array): boolean {
  return bytes.some((byte) => byte === COMMA || byte >= ASCII_END);
}

/**
 * How many words of a person's folded form, its notes left out, stand before the comma of its
 * published name; 0 where it has none, and where folding left no trace of the two parts.
 */
export function wordsBeforeComma(name: string, form: readonly string[]): number {
  const parts = commaParts(withoutNotes(name));
  if (parts === undefined) return 0;
  const { latin, native } = foldName(parts.before, 'person');
  for (const folded of new Set([native, latin])) {
    const before = folded.split(' ');
    const isFront = before.length < form.length && before.every((word, at) => word === form[at]);
    if (folded !== '' && isFront) return before.length;
  }
  return 0;
}
