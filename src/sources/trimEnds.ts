/**
 * White space and marks taken off the ends of a publisher's text. No regex: one that searches for a
 * run before `$` begins anew at each of its characters, and a text of 64 KiB of blanks would take
 * seconds (test/houseRules/regexes.ts).
 */

/** Without white space and without any of `marks` at both ends. */
export function trimEnds(text: string, marks: string): string {
  let start = 0;
  while (start < text.length && isOuter(text[start] ?? '', marks)) start++;
  return trimEnd(text.slice(start), marks);
}

/** Without white space and without any of `marks` at the end. */
export function trimEnd(text: string, marks: string): string {
  let end = text.length;
  while (end > 0 && isOuter(text[end - 1] ?? '', marks)) end--;
  return text.slice(0, end);
}

/** The texts between separators, trimmed; empty ones are left out. */
export function splitTrimmed(text: string, separator: string | RegExp): string[] {
  return text
    .split(separator)
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '');
}

const isOuter = (char: string, marks: string): boolean =>
  marks.includes(char) || char.trim() === '';
