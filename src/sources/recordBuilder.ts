/**
 * One element with all of its content, for formats whose records are a few kilobytes and whose
 * parts refer to each other. One record of a file is held at a time, and recordSize.ts bounds it.
 */
import type { XmlAttributes } from '#platform/xml/ports';
import { RecordSize } from './recordSize.ts';

export interface XmlRecord {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly text: string;
  readonly children: readonly XmlRecord[];
}

interface OpenRecord {
  name: string;
  attributes: Map<string, string>;
  text: string;
  children: OpenRecord[];
}

const NO_ATTRIBUTES: Map<string, string> = new Map();

export class RecordBuilder {
  readonly #open: OpenRecord[] = [];
  readonly #size = new RecordSize();

  open(name: string, attributes: XmlAttributes): void {
    if (this.#open.length === 0) this.#size.begin();
    const record = { name, attributes: copyOf(attributes), text: '', children: [] };
    this.#open.at(-1)?.children.push(record);
    this.#open.push(record);
  }

  /** The record, when this ends the element that began it. */
  close(text: string): XmlRecord | undefined {
    const record = this.#open.pop();
    if (record) {
      record.text = text;
      this.#size.add(record.name, text.length + charsOf(record.attributes));
    }
    return this.#open.length === 0 ? record : undefined;
  }
}

export function childrenOf(record: XmlRecord | undefined, name: string): readonly XmlRecord[] {
  return record?.children.filter((child) => child.name === name) ?? [];
}

export function childOf(record: XmlRecord | undefined, name: string): XmlRecord | undefined {
  return record?.children.find((child) => child.name === name);
}

/** Text of the first child of that name; '' where there is none. */
export function childText(record: XmlRecord | undefined, name: string): string {
  return childOf(record, name)?.text ?? '';
}

/** Characters of the values of attributes. */
export function charsOf(attributes: ReadonlyMap<string, string>): number {
  let chars = 0;
  for (const value of attributes.values()) chars += value.length;
  return chars;
}

function copyOf(attributes: XmlAttributes): Map<string, string> {
  if (attributes.size === 0) return NO_ATTRIBUTES;
  const copy = new Map<string, string>();
  for (const name of attributes.names()) copy.set(name, attributes.get(name) ?? '');
  return copy;
}
