/**
 * A start tag in canonical form (Canonical XML 1.0 and Exclusive XML Canonicalization 1.0, both
 * without comments): which namespaces it declares, and its attributes in order. Assumes a document
 * that `readXml` takes: no DOCTYPE, so attributes have neither defaults nor types.
 */
import { attributeText, attributeValue } from './canonicalText.ts';

/** Inclusive: every namespace in scope. Exclusive: those that an element itself uses. */
export type Canonicalization = 'exclusive' | 'inclusive';

/** Namespaces by their prefixes; '' is the default one. */
export type Namespaces = ReadonlyMap<string, string>;

/** What elements at one place have around them. */
export interface CanonicalScope {
  readonly inScope: Namespaces;
  /** Those that stand in the output already. */
  readonly written: Namespaces;
  /** Start tags that were met here, as written: a document has few different ones. */
  readonly tags: Map<string, CanonicalTag>;
}

/** A start tag, ready to be put out. */
export interface CanonicalTag {
  readonly start: string;
  readonly name: string;
  readonly isEmpty: boolean;
  /** What its attributes say, by their names as written. */
  readonly attributes: ReadonlyMap<string, string>;
  /** What the element's content has around it. */
  readonly scope: CanonicalScope;
}

interface Attribute {
  readonly prefix: string;
  readonly local: string;
  readonly qualified: string;
  readonly value: string;
}

const NAME = /<([^\s/>]+)/y;
const ATTRIBUTE = /\s*([^\s=/>"']+)\s*=\s*(?:"([^"]*)"|'([^']*)')/y;
/** Different tags of one place beyond these are made anew at every use. */
const TAGS_MAX = 1_000;

export const scopeOf = (inScope: Namespaces, written: Namespaces): CanonicalScope => ({
  inScope,
  tags: new Map(),
  written,
});

/** A malformed tag, or a prefix that nothing declares. */
export class NotCanonical extends Error {
  override readonly name = 'NotCanonical';
}

/** `raw` is `<…>` or `<…/>`. */
export function canonicalTag(
  raw: string,
  around: CanonicalScope,
  by: Canonicalization,
): CanonicalTag {
  const known = around.tags.get(raw);
  if (known !== undefined) return known;
  const made = makeTag(raw, around, by);
  if (around.tags.size < TAGS_MAX) around.tags.set(raw, made);
  return made;
}

function makeTag(raw: string, around: CanonicalScope, by: Canonicalization): CanonicalTag {
  const { attributes, declared, name } = readTag(raw);
  const inScope = declared.size === 0 ? around.inScope : new Map([...around.inScope, ...declared]);
  const used = usedPrefixes(name, attributes);
  for (const prefix of used) {
    const isKnown = prefix === '' || inScope.has(prefix);
    if (!isKnown) throw new NotCanonical('a prefix that nothing declares');
  }
  const added = new Map<string, string>();
  for (const prefix of by === 'inclusive' ? inScope.keys() : used) {
    const uri = inScope.get(prefix) ?? '';
    if ((around.written.get(prefix) ?? '') !== uri) added.set(prefix, uri);
  }
  const isSame = declared.size === 0 && added.size === 0;
  return {
    attributes: new Map(attributes.map(({ qualified, value }) => [qualified, value])),
    isEmpty: raw.endsWith('/>'),
    name,
    scope: isSame ? around : scopeOf(inScope, new Map([...around.written, ...added])),
    start: `<${name}${writeDeclarations(added)}${writeAttributes(attributes, inScope)}>`,
  };
}

function readTag(raw: string) {
  NAME.lastIndex = 0;
  const name = NAME.exec(raw)?.[1];
  if (name === undefined) throw new NotCanonical('a malformed tag');
  const attributes: Attribute[] = [];
  const declared = new Map<string, string>();
  ATTRIBUTE.lastIndex = NAME.lastIndex;
  let end = ATTRIBUTE.lastIndex;
  for (let found = ATTRIBUTE.exec(raw); found !== null; found = ATTRIBUTE.exec(raw)) {
    end = ATTRIBUTE.lastIndex;
    const [, qualified = '', double, single] = found;
    const value = attributeValue(double ?? single ?? '');
    const { local, prefix } = partsOf(qualified);
    if (qualified === 'xmlns') declared.set('', value);
    else if (prefix === 'xmlns') declared.set(local, value);
    else attributes.push({ local, prefix, qualified, value });
  }
  declared.delete('xml');
  const rest = raw.slice(end).trim();
  if (rest !== '>' && rest !== '/>') throw new NotCanonical('a malformed tag');
  return { attributes, declared, name };
}

function partsOf(qualified: string): { readonly prefix: string; readonly local: string } {
  const colon = qualified.indexOf(':');
  if (colon < 0) return { local: qualified, prefix: '' };
  return { local: qualified.slice(colon + 1), prefix: qualified.slice(0, colon) };
}

/** The default namespace counts for elements alone; `xml` is declared by nobody. */
function usedPrefixes(name: string, attributes: readonly Attribute[]): Set<string> {
  const used = new Set([partsOf(name).prefix]);
  for (const { prefix } of attributes) if (prefix !== '') used.add(prefix);
  used.delete('xml');
  return used;
}

const before = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function writeDeclarations(added: Namespaces): string {
  return [...added]
    .sort(([a], [b]) => before(a, b))
    .map(([prefix, uri]) => ` xmlns${prefix && ':'}${prefix}="${attributeText(uri)}"`)
    .join('');
}

/** By namespace, then by local name; those without a namespace first. */
function writeAttributes(attributes: readonly Attribute[], inScope: Namespaces): string {
  if (attributes.length === 0) return '';
  const XML = 'http://www.w3.org/XML/1998/namespace';
  const uriOf = ({ prefix }: Attribute): string => {
    if (prefix === '') return '';
    return prefix === 'xml' ? XML : (inScope.get(prefix) ?? '');
  };
  return [...attributes]
    .sort((a, b) => before(uriOf(a), uriOf(b)) || before(a.local, b.local))
    .map(({ qualified, value }) => ` ${qualified}="${attributeText(value)}"`)
    .join('');
}
