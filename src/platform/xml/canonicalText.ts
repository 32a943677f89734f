/**
 * Text and values of attributes in canonical form. What a parser does with line ends and references
 * comes first, then what the canonical form escapes.
 */
const LINE_ENDS = /\r\n?/g;
const WHITE = /\r\n|[\t\n\r]/g;
const REFERENCE = /&(#x[0-9A-Fa-f]{1,6}|#[0-9]{1,7}|[a-z]{2,4});/g;
const TEXT_TOUCHED = /[&\r>]/;
const VALUE_TOUCHED = /[&\t\n\r]/;
const TEXT_ESCAPED = /[&<>\r]/g;
const VALUE_ESCAPED = /[&<"\t\n\r]/g;

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  gt: '>',
  lt: '<',
  quot: '"',
};
const ESCAPES: Readonly<Record<string, string>> = {
  '\t': '&#x9;',
  '\n': '&#xA;',
  '\r': '&#xD;',
  '"': '&quot;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
};

const escaped = (character: string): string => ESCAPES[character] ?? character;

/** The characters that references stand for; one that nobody knows stays as it is written. */
function resolved(text: string): string {
  return text.replaceAll(REFERENCE, (written, name: string) => {
    if (!name.startsWith('#')) return NAMED[name] ?? written;
    const isHex = name.startsWith('#x');
    const code = Number.parseInt(name.slice(isHex ? 2 : 1), isHex ? 16 : 10);
    return code > 0x10ffff ? written : String.fromCodePoint(code);
  });
}

/** Character data between tags, as it stands in the file. */
export function canonicalText(raw: string): string {
  if (!TEXT_TOUCHED.test(raw)) return raw;
  return resolved(raw.replaceAll(LINE_ENDS, '\n')).replaceAll(TEXT_ESCAPED, escaped);
}

/** What stands between `<![CDATA[` and `]]>`: text like any other. */
export const canonicalSection = (raw: string): string =>
  raw.replaceAll(LINE_ENDS, '\n').replaceAll(TEXT_ESCAPED, escaped);

/** What an attribute says, from what stands between its quotes. */
export const attributeValue = (raw: string): string =>
  VALUE_TOUCHED.test(raw) ? resolved(raw.replaceAll(WHITE, ' ')) : raw;

/** The value of an attribute as the canonical form writes it, without its quotes. */
export const attributeText = (value: string): string => value.replaceAll(VALUE_ESCAPED, escaped);
