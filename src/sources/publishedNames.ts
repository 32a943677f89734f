/**
 * Names as publishers write them into one field: several with semicolons between, or one in two
 * scripts, `حاجی گلاب گل (Haji Gulab Gul; Hajji Golab)`. Each becomes a name of its own.
 */
import { trimEnd } from './trimEnds.ts';

const LANGUAGE = new RegExp(
  '^(?:in )?(?:the )?(?:original script|arabic|tigrinya|urdu|pashto|dari|farsi|persian|' +
    'russian|cyrillic|korean|chinese|amharic)(?: script)?$',
  'i',
);
const SCRIPT_NOTE = /(?:original script|in Arabic(?: script)?|Arabic script)\s*:\s*([^;]+)/gi;
const LATIN = /\p{Script=Latin}/u;
const OTHER_SCRIPT = /[^\P{L}\p{Script=Latin}\p{Script=Common}]/u;

/** The field's names; the field itself where it holds one only. */
export function namesOf(text: string): string[] {
  const names = new Set<string>();
  for (const piece of splitOutside(text)) {
    const open = piece.indexOf('(');
    const outer = piece.slice(0, Math.max(0, open)).trim();
    const inner = piece.slice(open + 1, -1);
    const isInside = open >= 0 && piece.endsWith(')') && !outer.includes(')');
    if (!isInside || !isSecondName(outer, inner)) {
      names.add(piece);
      continue;
    }
    if (outer !== '') names.add(outer);
    if (!LANGUAGE.test(inner)) for (const name of splitOutside(inner)) names.add(withoutNote(name));
  }
  return [...names].filter((name) => name !== '' && name.toLowerCase() !== 'na');
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

/** In parentheses stands a name, not a note, where it is in another script or are several. */
function isSecondName(outer: string, inner: string): boolean {
  if (inner.includes(';') || LANGUAGE.test(inner)) return true;
  const isOuterLatin = LATIN.test(outer) && !OTHER_SCRIPT.test(outer);
  const isInnerLatin = LATIN.test(inner) && !OTHER_SCRIPT.test(inner);
  return isOuterLatin !== isInnerLatin && OTHER_SCRIPT.test(outer + inner);
}

const withoutNote = (name: string): string =>
  name.replace(/\(original script\)$|\s-\s+sub-unit name$/i, '').trim();
