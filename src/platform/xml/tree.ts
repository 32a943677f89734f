/**
 * The open elements: what closes what, whose text is whose, which namespace a prefix means, and the
 * limits on all of that. The scanner feeds it, and it calls the connector.
 */
import { HAS_FOLDED, HAS_HIGH, HAS_REFERENCE, SPACES } from './bytes.ts';
import { XmlFault } from './fault.ts';
import type { XmlName } from './nameTable.ts';
import type { XmlHandler, XmlLimits } from './ports.ts';
import type { TagAttributes } from './tagAttributes.ts';
import type { Texts } from './texts.ts';

/** Namespaces in scope at one place; publishers declare two. */
const NAMESPACES_MAX = 64;
const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace';

/** Numbered through all documents, since names keep what they mean in a scope beyond their own. */
let scopes = 0;

interface Scope {
  readonly id: number;
  readonly namespaces: ReadonlyMap<string, string>;
}

interface Slice {
  readonly buffer: Buffer;
  readonly start: number;
  readonly end: number;
}

export class XmlTree {
  depth = 0;
  elements = 0;
  readonly #handler: XmlHandler;
  readonly #limits: XmlLimits;
  readonly #texts: Texts;
  readonly #open: XmlName[] = [];
  /** The names as the connector knows them, beside `#open`. */
  readonly #reported: string[] = [];
  #scope: Scope = { id: scopes++, namespaces: new Map([['xml', XML_NAMESPACE]]) };
  /** The scope to return to at the end of the element, at each depth that declares namespaces. */
  readonly #outerScopes = new Map<number, Scope>();
  #namespace = '';
  /** Text of the innermost element, unless it ends with its tag. */
  #text = '';
  #hasChild = false;

  constructor(handler: XmlHandler, limits: XmlLimits, texts: Texts) {
    this.#handler = handler;
    this.#limits = limits;
    this.#texts = texts;
  }

  /** Whether the innermost element has text before the last markup. */
  get hasText(): boolean {
    return this.#text !== '';
  }

  /** The name that must close next. */
  innermost(): XmlName | undefined {
    return this.#open[this.depth - 1];
  }

  /** Local names from the root down, for the reader of an error. */
  path(): string {
    const locals = this.#open.slice(0, this.depth).map((name) => name.local);
    return locals.join('/').slice(-200);
  }

  /** A piece of the innermost element's text that its closing tag does not follow at once. */
  append(buffer: Buffer, start: number, end: number, flags: number): void {
    if (start === end) return;
    this.#text += this.#texts.text(buffer, start, end, flags);
    if (this.#text.length > this.#limits.textCharsMax) throw new XmlFault('a text too long');
  }

  openElement(name: XmlName, attributes: TagAttributes): void {
    this.elements++;
    if (this.elements > this.#limits.elementsMax) throw new XmlFault('too many elements');
    if (this.depth >= this.#limits.depthMax) throw new XmlFault('elements nested too deep');
    if (this.depth === 0 && this.elements > 1) throw new XmlFault('a second root element');
    if (this.#text !== '') {
      if (!isBlank(this.#text)) throw new XmlFault('text between elements');
      this.#text = '';
    }
    const depth = this.depth + 1;
    if (attributes.declarations.length > 0) this.#declare(depth, attributes);
    if (attributes.hasPrefixes) attributes.checkPrefixes((prefix) => this.#find(prefix));
    this.depth = depth;
    this.#open[depth - 1] = name;
    this.#hasChild = false;
    if (depth === 1) this.#openRoot(name, attributes);
    const reported = name.scope === this.#scope.id ? name.reported : this.#resolve(name);
    this.#reported[depth - 1] = reported;
    this.#handler.open(reported, depth, attributes);
  }

  /**
   * An element that holds plain ASCII text, neither blank nor with white space around it, and has
   * no attributes; the text before it is blank. False where it goes the long way, which is the one
   * that finds faults.
   */
  leaf(name: XmlName, attributes: TagAttributes, { buffer, start, end }: Slice): boolean {
    const depth = this.depth + 1;
    const { depthMax, elementsMax, textCharsMax } = this.#limits;
    if (depth === 1 || depth > depthMax || this.elements >= elementsMax) return false;
    if (end - start > textCharsMax) return false;
    this.elements++;
    const reported = name.scope === this.#scope.id ? name.reported : this.#resolve(name);
    this.#handler.open(reported, depth, attributes);
    this.#handler.close(reported, this.#texts.text(buffer, start, end, 0), depth);
    this.#hasChild = true;
    return true;
  }

  /**
   * `start` to `end` is the text since the last markup; unless `hasText`, without its
   * leading white space.
   */
  closeElement(buffer: Buffer, start: number, end: number, flags: number): void {
    const { depth } = this;
    const text = this.#takeText(buffer, start, end, flags);
    if (text !== '' && this.#hasChild) throw new XmlFault('text between elements');
    this.#handler.close(this.#reported[depth - 1] ?? '', text, depth);
    this.#hasChild = true;
    const outer = this.#outerScopes.size > 0 ? this.#outerScopes.get(depth) : undefined;
    if (outer !== undefined) {
      this.#scope = outer;
      this.#outerScopes.delete(depth);
    }
    this.depth = depth - 1;
  }

  #takeText(buffer: Buffer, start: number, end: number, flags: number): string {
    if (this.#text !== '') {
      this.append(buffer, start, end, flags | HAS_FOLDED);
      const text = this.#text.trim();
      this.#text = '';
      return text;
    }
    if (start === end) return '';
    let last = end;
    while (SPACES[buffer[last - 1] ?? 0] === 1) last--;
    const text = this.#texts.text(buffer, start, last, flags);
    if (text.length > this.#limits.textCharsMax) throw new XmlFault('a text too long');
    // Other white space than XML's: a no-break space, or one that was written as a reference.
    return (flags & (HAS_HIGH | HAS_REFERENCE)) === 0 ? text : text.trim();
  }

  #openRoot(name: XmlName, attributes: TagAttributes): void {
    this.#namespace = this.#find(name.prefix);
    this.#handler.root(name.local, this.#namespace, attributes);
  }

  #declare(depth: number, { declarations }: TagAttributes): void {
    this.#outerScopes.set(depth, this.#scope);
    const namespaces = new Map([...this.#scope.namespaces, ...declarations]);
    if (namespaces.size > NAMESPACES_MAX) throw new XmlFault('too many namespaces');
    if (namespaces.get('xml') !== XML_NAMESPACE) {
      throw new XmlFault('a namespace that may not be declared');
    }
    this.#scope = { id: scopes++, namespaces };
  }

  #find(prefix: string): string {
    const namespace = this.#scope.namespaces.get(prefix);
    if (namespace === undefined && prefix !== '') throw new XmlFault('a prefix not declared');
    return namespace ?? '';
  }

  #resolve(name: XmlName): string {
    const namespace = this.#find(name.prefix);
    name.scope = this.#scope.id;
    name.reported = namespace === this.#namespace ? name.local : `{${namespace}}${name.local}`;
    return name.reported;
  }
}

const BLANK = /^[ \t\r\n]*$/;
const isBlank = (text: string): boolean => BLANK.test(text);
