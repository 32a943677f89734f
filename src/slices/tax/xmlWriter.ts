/**
 * Writes elements as canonical XML (C14N 1.0): attributes in order, no tags that close themselves,
 * and the same characters escaped. A signature can be made over the bytes as they are. Namespaces
 * stand on the root alone.
 */

/** A part of a document, written. */
export type Xml = string;

/** What an element holds: text, written parts, or nothing that is to be said. */
type Content = string | number | undefined;
type Attributes = Readonly<Record<string, string | undefined>>;

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '&quot;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
};

/**
 * What the IRS takes for an attack is written otherwise: two hyphens as one, and a space between a
 * slash and a star.
 */
export const tamed = (text: string): string =>
  text.replaceAll(/-{2,}/g, '-').replaceAll('/*', '/ *').replaceAll('&#', '& #');

/** Whether it is written otherwise than it was stated. */
export const isTamed = (text: string): boolean => tamed(text) !== text;

/** The character that no report may hold, or undefined: controls, and halves of characters. */
export const hasForbidden = (text: string): boolean =>
  /[^\P{Cc}\t\n]/u.test(text) || !text.isWellFormed();

const escaped = (text: string): string => text.replaceAll(/[&<>]/g, (sign) => ESCAPES[sign] ?? '');

/** An element with a text; none where there is no text. */
export const leaf = (name: string, content: Content, attributes: Attributes = {}): Xml =>
  content === undefined
    ? ''
    : `<${name}${written(attributes)}>${escaped(tamed(String(content)))}</${name}>`;

/** An element with elements. */
export const node = (name: string, parts: readonly Xml[], attributes: Attributes = {}): Xml =>
  `${open(name, attributes)}${parts.join('')}${close(name)}`;

/** Its start tag alone. */
export const open = (name: string, attributes: Attributes = {}): Xml =>
  `<${name}${written(attributes)}>`;

/** Its end tag alone. */
export const close = (name: string): Xml => `</${name}>`;

/** A root: namespaces by their prefixes, then attributes. */
export const openRoot = (
  name: string,
  namespaces: Readonly<Record<string, string>>,
  attributes: Attributes,
): Xml => {
  const prefixes = Object.keys(namespaces).sort();
  const declared = prefixes.map((prefix) => ` xmlns:${prefix}="${namespaces[prefix]}"`);
  return `<${name}${declared.join('')}${written(attributes)}>`;
};

const written = (attributes: Attributes): string =>
  Object.keys(attributes)
    .sort()
    .map((name) => {
      const value = attributes[name];
      if (value === undefined) return '';
      return ` ${name}="${tamed(value).replaceAll(/[&<"]/g, (sign) => ESCAPES[sign] ?? '')}"`;
    })
    .join('');
