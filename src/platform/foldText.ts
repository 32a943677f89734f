/**
 * A name as people compare it at a glance: lower case, without accents and punctuation, one space
 * between words. It fills `primary_name_folded` of list format v1 and keys exact look-ups (country
 * names); it decides no score. The engine folds names for matching by rules of its own.
 *
 * The result is stable: folding twice changes nothing.
 */

/** Letters that contain their stroke or ligature, so NFKD does not remove it. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
};
const LETTER = /[ßæœøđðþłħı]/g;
const PLAIN = /^[a-z0-9]+(?: [a-z0-9]+)*$/;
const BEYOND_ASCII = /\P{ASCII}/u;

export function foldText(text: string): string {
  const lower = text.toLowerCase();
  if (PLAIN.test(lower)) return lower;
  // The code below would do the same, but most names are ASCII and normalising is the expensive
  // part.
  if (!BEYOND_ASCII.test(lower)) {
    return lower
      .replace(/['`]/g, '')
      .replace(/[^a-z0-9]+/g, ' ')
      .trim();
  }
  return lower
    .normalize('NFKD')
    .replace(/['’ʼ`]/g, '')
    .replace(/\p{Mn}+/gu, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(LETTER, (letter) => LETTERS[letter] ?? letter)
    .replace(/[^\p{L}\p{N}\p{Mc}]+/gu, ' ')
    .trim();
}
