/**
 * Names as publishers write them into one field: several with semicolons between, or one in two
 * scripts, `حاجی گلاب گل (Haji Gulab Gul; Hajji Golab)`. Each becomes a name of its own.
 *
 * Text in parentheses is a name only by its form: in another script than the name before it, or in
 * a list that contains one such. `(HTS)`, `(Kenya Branch; Nairobi office)` and other text in the
 * same script is part of the name.
 */
import { trimEnd } from './trimEnds.ts';

const LANGUAGE =
  '(?:in )?(?:the )?(?:original script|arabic|tigrinya|urdu|pashto|dari|farsi|persian|' +
  'russian|cyrillic|korean|chinese|amharic)(?: script)?';
const IS_LANGUAGE = new RegExp(`^${LANGUAGE}$`, 'i');
/** `original script: Абу Мухаммад`. */
const LABEL = new RegExp(`^${LANGUAGE} ?: ?`, 'i');
/** Behind a name: `هيئة تحرير الشام (original script)`. */
const NOTE = new RegExp(` ?\\(${LANGUAGE}\\)$| - sub-unit name$`, 'i');
const SCRIPT_NOTE = /(?:original script|in Arabic(?: script)?|Arabic script)\s*:\s*([^;]+)/gi;
const LATIN = /\p{Script=Latin}/u;
const OTHER_SCRIPT = /[^\P{L}\p{Script=Latin}\p{Script=Common}]/u;

/**
 * The field's names; the field itself where it holds one only.
 *
 * @param isTranslated into a language that has another script: the parentheses are in that
 *   language, too. `Al-Haramain Foundation (Κομόρες)` is the branch on the Comoros, in Greek.
 */
export function namesOf(text: string, isTranslated = false): string[] {
  const names = new Set<string>();
  for (const piece of splitOutside(text)) {
    const parts = isTranslated ? undefined : takenApart(piece);
    for (const name of parts ?? [piece]) names.add(name);
  }
  return [...names].filter((name) => name !== '' && name.toLowerCase() !== 'na');
}

/** The name, then those in the parentheses behind it; undefined where these hold none. */
function takenApart(piece: string): string[] | undefined {
  const { head, groups } = parted(trimEnd(piece, ','));
  if (head === '' || groups.length === 0) return undefined;
  const script = scriptOf(head);
  const found = groups.map((group) => (IS_LANGUAGE.test(group) ? [] : namesInside(group, script)));
  if (found.every((names) => names === undefined)) return undefined;
  const kept = groups.filter((_, index) => found[index] === undefined);
  const name = [head, ...kept.map((group) => `(${group})`)].join(' ');
  return [name, ...found.flatMap((names) => names ?? [])];
}

/** `A (B) (C (D))` as `A` and `B`, `C (D)`: the parentheses at the end, each with its pair. */
function parted(piece: string): { head: string; groups: string[] } {
  const groups: string[] = [];
  let head = piece;
  while (head.endsWith(')')) {
    const open = openingOf(head);
    if (open < 0) break;
    groups.unshift(head.slice(open + 1, -1).trim());
    head = head.slice(0, open).trimEnd();
  }
  return { groups, head };
}

/** Place where the final parenthesis opens; -1 where the text has none. */
function openingOf(text: string): number {
  let depth = 0;
  for (let index = text.length - 1; index >= 0; index--) {
    if (text[index] === ')') depth++;
    else if (text[index] === '(') depth--;
    if (depth === 0) return index;
  }
  return -1;
}

/**
 * Undefined for a part of the name, or a note.
 *
 * @param outer the script of the name before the parentheses
 */
function namesInside(group: string, outer: Script | undefined): string[] | undefined {
  const names = splitOutside(group).map((one) => one.replace(LABEL, '').replace(NOTE, '').trim());
  const isName = names.some((name) => ![undefined, outer].includes(scriptOf(name)));
  return outer !== undefined && isName ? names : undefined;
}

type Script = 'latin' | 'other';

/** Undefined for a text in both, or of signs and digits. */
function scriptOf(text: string): Script | undefined {
  const isLatin = LATIN.test(text);
  if (isLatin === OTHER_SCRIPT.test(text)) return undefined;
  return isLatin ? 'latin' : 'other';
}

/** Names that stand in the note beside one: `original script: Абу Банат`. */
export function namesInNote(note: string): string[] {
  return [...note.matchAll(SCRIPT_NOTE)].map(([, name = '']) => trimEnd(name.trimStart(), '.)'));
}

/** Semicolons within parentheses belong to these. */
function splitOutside(text: string): string[] {
  const pieces: string[] = [];
  let depth = 0;
  let piece = '';
  for (const char of text) {
    if (char === '(') depth++;
    else if (char === ')') depth = Math.max(0, depth - 1);
    if (char !== ';' || depth > 0) piece += char;
    else {
      pieces.push(piece);
      piece = '';
    }
  }
  return [...pieces, piece].map((one) => one.trim()).filter((one) => one !== '');
}
