/**
 * Text as a cell of a CSV that people open in a spreadsheet.
 *
 * A cell that begins like a formula would be executed there, with anything that a stranger wrote
 * into a name (ASVS 1.2.10). It gets an apostrophe in front, which spreadsheets take for "this is
 * text". The same holds for full-width signs, which some programs fold to the plain ones, and for
 * white space, which they skip.
 */
const FORMULA = /^[\s\0]*[=+\-@\uff1d\uff0b\uff0d\uff20\u2212]|^[\t\r\n\0]/;
const NEEDS_QUOTES = /[",\r\n]/;

/** Text that no spreadsheet takes for a formula. */
export const harmlessText = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

/**
 * The cell, escaped and quoted where RFC 4180 requires it. For text: numbers are written as they
 * are.
 */
export function csvCell(text: string): string {
  const harmless = harmlessText(text);
  return NEEDS_QUOTES.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
