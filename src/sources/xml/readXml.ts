/**
 * XML from strangers: sax under guard. Every list connector that reads XML goes through here.
 *
 * Why guarded: sax has no limit of depth, its own namespace mode is quadratic, it resolves
 * `&constructor;` from the prototype chain and takes `&AMP;`. So: `xmlns` off and prefixes resolved
 * here, five entities and no others, no DOCTYPE, no processing instruction but the XML declaration,
 * UTF-8 only, and a limit on everything that a file could make grow. Bytes are fed in pieces of
 * FEED_BYTES, so that a limit is noticed at most one piece late.
 *
 * A file that breaks off never ends normally: either the root was closed and nothing but white
 * space and comments follows, or this throws DomainError `list-damaged` with line, column and path.
 */
import sax from 'sax';
import { DomainError } from '#domain/kernel';

import {
  XML_LIMITS,
  type XmlAttributes,
  type XmlHandler,
  type XmlLimits,
  type XmlOptions,
} from './ports.ts';

const FEED_BYTES = 64 * 1024;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};
const BLANK = /^[ \t\r\n]*$/;
/** Reads the whole document; `handler` may throw to stop it. */
export async function readXml(
  chunks: AsyncIterable<Uint8Array>,
  handler: XmlHandler,
  options: XmlOptions = {},
): Promise<void> {
  const guard = new GuardedParser(handler, options.limits ?? XML_LIMITS);
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length; start += FEED_BYTES) {
      guard.feed(chunk.subarray(start, start + FEED_BYTES));
      options.onBytes?.(guard.bytes);
    }
  }
  guard.end();
}

class GuardedParser {
  bytes = 0;
  readonly #handler: XmlHandler;
  readonly #limits: XmlLimits;
  readonly #parser: sax.SAXParser;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  /** Local names from the root down; the text that precedes a child must be blank. */
  readonly #path: string[] = [];
  readonly #namespaces = new Map<string, string>();
  readonly #localNames = new Map<string, string>();
  #namespace = '';
  #text = '';
  #hasChild = false;
  #attributes = 0;
  #elements = 0;
  #declarationSeen = false;

  constructor(handler: XmlHandler, limits: XmlLimits) {
    this.#handler = handler;
    this.#limits = limits;
    this.#parser = sax.parser(true, { xmlns: false });
    Reflect.set(this.#parser, 'ENTITIES', this.#entities());
    this.#listen();
  }

  feed(piece: Uint8Array): void {
    this.bytes += piece.length;
    if (this.bytes > this.#limits.bytesMax) this.#fail('larger than the limit of bytes');
    this.#guarded(() => {
      const text = this.#decode(piece);
      if (holdsForbidden(piece, text)) this.#fail('a character that XML does not allow');
      this.#parser.write(text);
    });
  }

  end(): void {
    this.#guarded(() => {
      this.#decode(undefined);
      this.#parser.close();
    });
    if (this.#elements === 0) this.#fail('no element in the file');
  }

  /** Anything that sax itself throws is damage too: some inputs run into its bugs. */
  #guarded(step: () => void): void {
    try {
      step();
    } catch (error) {
      if (error instanceof DomainError) throw error;
      this.#fail(firstLine(error), error);
    }
  }

  #decode(piece: Uint8Array | undefined): string {
    try {
      return piece ? this.#decoder.decode(piece, { stream: true }) : this.#decoder.decode();
    } catch (error) {
      return this.#fail('bytes that are not UTF-8', error);
    }
  }

  #listen(): void {
    const parser = this.#parser;
    parser.onerror = (error) => this.#fail(firstLine(error), error);
    parser.ondoctype = () => this.#fail('a DOCTYPE');
    parser.onsgmldeclaration = () => this.#fail('an SGML declaration');
    parser.onprocessinginstruction = (instruction) => this.#instruction(instruction);
    parser.onattribute = () => {
      this.#attributes++;
      if (this.#attributes > this.#limits.attributesMax) this.#fail('too many attributes');
    };
    parser.onopentag = (tag) => this.#open(tag.name, tag.attributes as Record<string, string>);
    parser.onclosetag = () => this.#close();
    parser.ontext = (text) => this.#append(text);
    parser.oncdata = (text) => this.#append(text);
  }

  #instruction(instruction: { name: string; body: string }): void {
    if (instruction.name !== 'xml' || this.#declarationSeen || this.#elements > 0) {
      this.#fail('a processing instruction');
    }
    this.#declarationSeen = true;
    const encoding = /\bencoding\s*=\s*["']([^"']*)["']/.exec(instruction.body)?.[1];
    if (encoding !== undefined && encoding.toLowerCase() !== 'utf-8') {
      this.#fail('a declared encoding other than UTF-8');
    }
  }

  #open(qualifiedName: string, attributes: Record<string, string>): void {
    this.#attributes = 0;
    this.#elements++;
    if (this.#elements > this.#limits.elementsMax) this.#fail('too many elements');
    if (this.#path.length >= this.#limits.depthMax) this.#fail('elements nested too deep');
    if (!BLANK.test(this.#text)) this.#fail('text between elements');
    this.#text = '';
    this.#hasChild = false;
    if (this.#path.length === 0) this.#openRoot(qualifiedName, attributes);
    const name = this.#localName(qualifiedName);
    this.#path.push(name);
    this.#handler.open(name, this.#path.length, attributesOf(attributes));
  }

  #openRoot(qualifiedName: string, attributes: Record<string, string>): void {
    // sax takes a second root element where another has been closed.
    if (this.#elements > 1) this.#fail('a second root element');
    for (const [name, value] of Object.entries(attributes)) {
      if (name === 'xmlns') this.#namespaces.set('', value);
      else if (name.startsWith('xmlns:')) this.#namespaces.set(name.slice(6), value);
    }
    const { prefix, local } = splitName(qualifiedName);
    this.#namespace = this.#namespaces.get(prefix) ?? '';
    this.#handler.root(
      local.slice(0, this.#limits.nameCharsMax),
      this.#namespace,
      attributesOf(attributes),
    );
  }

  #localName(qualifiedName: string): string {
    const known = this.#localNames.get(qualifiedName);
    if (known !== undefined) return known;
    if (qualifiedName.length > this.#limits.nameCharsMax) this.#fail('an element name too long');
    const { prefix, local } = splitName(qualifiedName);
    const namespace = this.#namespaces.get(prefix) ?? '';
    const name = namespace === this.#namespace ? local : `{${namespace}}${local}`;
    if (this.#localNames.size < 1_000) this.#localNames.set(qualifiedName, name);
    return name;
  }

  #close(): void {
    const depth = this.#path.length;
    const text = this.#text.trim();
    if (this.#hasChild && text !== '') this.#fail('text between elements');
    this.#handler.close(this.#path[depth - 1] ?? '', text, depth);
    this.#path.pop();
    this.#text = '';
    this.#hasChild = true;
  }

  #append(text: string): void {
    this.#text = this.#text === '' ? text : this.#text + text;
    if (this.#text.length > this.#limits.textCharsMax) this.#fail('a text too long');
  }

  #entities(): object {
    return new Proxy(Object.create(null), {
      get: (_target, name) => {
        if (typeof name !== 'string') return undefined;
        if (Object.hasOwn(ENTITIES, name)) return ENTITIES[name];
        if (Object.hasOwn(ENTITIES, name.toLowerCase()) || name.startsWith('#X')) {
          this.#fail('an entity in upper case');
        }
        return undefined;
      },
    });
  }

  #fail(what: string, cause?: unknown): never {
    throw new DomainError('list-damaged', { detail: `${this.#where()}: ${what}`, cause });
  }

  #where(): string {
    const path = this.#path.join('/').slice(-200) || 'before the root element';
    return `line ${this.#parser.line + 1}, column ${this.#parser.column}, ${path}`;
  }
}

function attributesOf(values: Record<string, string>): XmlAttributes {
  const names = Object.keys(values).filter((name) => !name.startsWith('xmlns'));
  return {
    size: names.length,
    get: (name) => (names.includes(name) ? values[name] : undefined),
    names: () => names,
  };
}

/**
 * XML 1.0, 2.2: control characters, U+FFFE and U+FFFF may not stand in a document at all. In UTF-8
 * a control character is one byte and part of no other, so bytes tell; a loop costs a tenth of a
 * regex.
 */
function holdsForbidden(piece: Uint8Array, text: string): boolean {
  for (let index = 0; index < piece.length; index++) {
    const byte = piece[index] ?? 0;
    if (byte < 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return true;
  }
  return text.includes('\ufffe') || text.includes('\uffff');
}

function splitName(qualifiedName: string): { prefix: string; local: string } {
  const colon = qualifiedName.indexOf(':');
  if (colon < 0) return { prefix: '', local: qualifiedName };
  return { prefix: qualifiedName.slice(0, colon), local: qualifiedName.slice(colon + 1) };
}

/** sax appends line, column and character to its messages; the character may be anybody's data. */
function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return (message.split('\n', 1)[0] ?? '').slice(0, 80);
}
