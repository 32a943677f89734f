/**
 * XML whose records are small: every element at one depth is passed on as a tree. A mapper takes
 * the parts that it knows and learns at the end which ones it did not know, so an element that a
 * publisher adds is kept and counted instead of being lost.
 *
 * Publishers indent, so white space inside a text means nothing and comes as one space.
 */
import { DomainError } from '#core/kernel';
import type { XmlAttributes, XmlHandler, XmlOptions } from '#platform/xml/ports';
import { readListXml } from './readListXml.ts';
import { charsOf } from './recordBuilder.ts';
import { RecordSize } from './recordSize.ts';

interface Element {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: Element[];
  text: string;
}

export interface RecordsHandler {
  /** Throws `list-foreign` where the document is not the one expected. */
  root(name: string, namespace: string, attributes: XmlAttributes): void;
  /** The element that holds the record: the root for depth 2, `INDIVIDUALS` for depth 3. */
  record(record: XmlRecord, parent: string): void;
}

export interface RecordsOptions extends XmlOptions {
  readonly depth: number;
  /** Elements within records that say nothing about their subject: they are not even kept. */
  readonly skipped?: ReadonlySet<string>;
}

/** Passes on every element at `depth`; resolves only if the document was whole. */
export async function readXmlRecords(
  chunks: AsyncIterable<Uint8Array>,
  handler: RecordsHandler,
  options: RecordsOptions,
): Promise<void> {
  await readListXml(chunks, new RecordBuilder(handler, options), options);
}

class RecordBuilder implements XmlHandler {
  readonly #handler: RecordsHandler;
  readonly #depth: number;
  readonly #skipped: ReadonlySet<string>;
  /** Names down to the record's parent, then the record's open elements. */
  readonly #parents: string[] = [];
  #open: Element[] = [];
  readonly #size = new RecordSize();

  constructor(handler: RecordsHandler, { depth, skipped = new Set() }: RecordsOptions) {
    this.#handler = handler;
    this.#depth = depth;
    this.#skipped = skipped;
  }

  root(name: string, namespace: string, attributes: XmlAttributes): void {
    this.#handler.root(name, namespace, attributes);
  }

  open(name: string, depth: number, attributes: XmlAttributes): void {
    if (depth < this.#depth) {
      this.#parents[depth - 1] = name;
      return;
    }
    if (depth === this.#depth) {
      this.#open = [];
      this.#size.begin();
    }
    const isSkipped = this.#skipped.has(name);
    const values = isSkipped ? NO_ATTRIBUTES : copied(attributes);
    const element = { name, attributes: values, children: [], text: '' };
    if (!isSkipped) this.#open.at(-1)?.children.push(element);
    this.#open.push(element);
  }

  close(_name: string, text: string, depth: number): void {
    if (depth < this.#depth) {
      if (text !== '') throw new DomainError('list-damaged', { detail: 'text between records' });
      return;
    }
    const element = this.#open.pop();
    if (!element) return;
    element.text = tidy(text);
    this.#size.add(element.name, element.text.length + charsOf(element.attributes));
    if (depth > this.#depth) return;
    this.#handler.record(new XmlRecord(element), this.#parents[depth - 2] ?? '');
  }
}

const UNTIDY = /^\s|\s$|\s\s|[\t\r\n\u00a0]/;

const tidy = (text: string): string =>
  UNTIDY.test(text) ? text.replace(/\s+/g, ' ').trim() : text;

const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();

/** Attributes with a prefix (`xsi:nil`) say nothing about the subject. */
function copied(attributes: XmlAttributes): ReadonlyMap<string, string> {
  if (attributes.size === 0) return NO_ATTRIBUTES;
  const copy = new Map<string, string>();
  for (const name of attributes.names()) {
    const value = tidy(attributes.get(name) ?? '');
    if (value !== '' && !name.includes(':')) copy.set(name, value);
  }
  return copy;
}

/** One element of a record. Parts that are read count as taken, and `left` lists the others. */
export class XmlRecord {
  readonly name: string;
  readonly #element: Element;
  readonly #taken = new Set<Element>();
  readonly #inside = new Map<Element, XmlRecord>();
  readonly #attributesTaken = new Set<string>();

  constructor(element: Element) {
    this.name = element.name;
    this.#element = element;
  }

  /** Text of this element itself; undefined where it has none. */
  get value(): string | undefined {
    return this.#element.text || undefined;
  }

  /** Text of the first child of the name that has one. A second one stays untaken. */
  text(name: string): string | undefined {
    const children = this.#element.children.filter((one) => one.name === name);
    const child = children.find((one) => one.text !== '') ?? children[0];
    if (child) this.#taken.add(child);
    return child?.text || undefined;
  }

  /** Texts of all children of the name, without the empty ones. */
  texts(name: string): string[] {
    const children = this.#element.children.filter((one) => one.name === name);
    for (const child of children) this.#taken.add(child);
    return children.map((one) => one.text).filter((text) => text !== '');
  }

  /** Texts of the children that `names` knows, by the name that it gives: the first of each. */
  renamed(names: Readonly<Record<string, string>>): Record<string, string> {
    const texts: Record<string, string> = {};
    for (const child of this.#element.children) {
      const name = Object.hasOwn(names, child.name) ? names[child.name] : undefined;
      if (name === undefined || texts[name] !== undefined) continue;
      if (child.text === '' && child.children.length > 0) continue;
      this.#taken.add(child);
      if (child.text !== '') texts[name] = child.text;
    }
    return texts;
  }

  /** Children of the name, each with its own account of the parts taken. */
  all(name: string): XmlRecord[] {
    return this.#element.children
      .filter((one) => one.name === name)
      .map((one) => {
        const record = this.#inside.get(one) ?? new XmlRecord(one);
        this.#inside.set(one, record);
        return record;
      });
  }

  /** `<Names><Name/><Name/></Names>`: the inner ones. */
  inner(outer: string, name: string): XmlRecord[] {
    return this.all(outer).flatMap((one) => one.all(name));
  }

  attribute(name: string): string | undefined {
    this.#attributesTaken.add(name);
    return this.#element.attributes.get(name);
  }

  /** Marks parts that say nothing about the subject. */
  ignore(...names: readonly string[]): void {
    for (const name of names) this.#attributesTaken.add(name);
    for (const child of this.#element.children) {
      if (names.includes(child.name)) this.#taken.add(child);
    }
  }

  ignoreAll(): void {
    for (const name of this.#element.attributes.keys()) this.#attributesTaken.add(name);
    for (const child of this.#element.children) this.#taken.add(child);
  }

  /** `path: text` and `path@attribute: text` of every part that was not taken. */
  left(path = ''): string[] {
    const lines: string[] = [];
    for (const [name, value] of this.#element.attributes) {
      if (!this.#attributesTaken.has(name)) lines.push(`${path}@${name}: ${value}`);
    }
    for (const child of this.#element.children) {
      if (this.#taken.has(child)) continue;
      const record = this.#inside.get(child) ?? new XmlRecord(child);
      const at = path === '' ? child.name : `${path}/${child.name}`;
      // If a child of an element was taken, its own text was read, too.
      if (!this.#inside.has(child) && child.text !== '') lines.push(`${at}: ${child.text}`);
      lines.push(...record.left(at));
    }
    return lines;
  }
}
