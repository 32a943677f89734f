/**
 * The attributes of the tag that was read last, as places in the scanner's buffer: a value becomes
 * a string when it is asked for. One object for the whole document, so it costs nothing to make.
 */
import { HAS_REFERENCE } from './bytes.ts';
import { XmlFault } from './fault.ts';
import type { XmlName } from './nameTable.ts';
import type { XmlAttributes } from './ports.ts';
import type { Texts } from './texts.ts';

export class TagAttributes implements XmlAttributes {
  size = 0;
  /** Pairs of prefix and namespace. */
  readonly declarations: [prefix: string, namespace: string][] = [];
  hasPrefixes = false;
  readonly #max: number;
  readonly #texts: Texts;
  readonly #names: XmlName[] = [];
  readonly #values: (string | undefined)[] = [];
  /** Start, end and flags of each value. */
  readonly #places: Int32Array;
  #buffer: Buffer = Buffer.alloc(0);

  constructor(texts: Texts, max: number) {
    this.#texts = texts;
    this.#max = max;
    this.#places = new Int32Array(3 * max);
  }

  clear(): void {
    this.size = 0;
    this.hasPrefixes = false;
    if (this.declarations.length > 0) this.declarations.length = 0;
  }

  add(buffer: Buffer, name: XmlName, start: number, end: number, flags: number): void {
    const { size } = this;
    if (size + this.declarations.length === this.#max) throw new XmlFault('too many attributes');
    if (name.declares !== undefined) {
      this.#declare(name.declares, this.#texts.value(buffer, start, end, flags));
      return;
    }
    for (let index = 0; index < size; index++) {
      if (this.#names[index]?.qualified === name.qualified) {
        throw new XmlFault('an attribute that came before');
      }
    }
    if (name.prefix !== '') this.hasPrefixes = true;
    this.#buffer = buffer;
    this.#names[size] = name;
    this.#places[3 * size] = start;
    this.#places[3 * size + 1] = end;
    this.#places[3 * size + 2] = flags;
    // References are checked even if the value is not read.
    const isChecked = (flags & HAS_REFERENCE) !== 0;
    this.#values[size] = isChecked ? this.#texts.value(buffer, start, end, flags) : undefined;
    this.size = size + 1;
  }

  get(name: string): string | undefined {
    for (let index = 0; index < this.size; index++) {
      if (this.#names[index]?.qualified === name) return this.#value(index);
    }
    return undefined;
  }

  names(): readonly string[] {
    return this.#names.slice(0, this.size).map((name) => name.qualified);
  }

  /** Prefixes must be declared, and two prefixes of one namespace may not hide a repetition. */
  checkPrefixes(namespaceOf: (prefix: string) => string): void {
    const seen = new Set<string>();
    for (const { prefix, local } of this.#names.slice(0, this.size)) {
      if (prefix === '') continue;
      const expanded = `${namespaceOf(prefix)} ${local}`;
      if (seen.has(expanded)) throw new XmlFault('an attribute that came before');
      seen.add(expanded);
    }
  }

  #value(index: number): string {
    const known = this.#values[index];
    if (known !== undefined) return known;
    const [start = 0, end = 0, flags = 0] = [
      this.#places[3 * index],
      this.#places[3 * index + 1],
      this.#places[3 * index + 2],
    ];
    const value = this.#texts.value(this.#buffer, start, end, flags);
    this.#values[index] = value;
    return value;
  }

  #declare(prefix: string, namespace: string): void {
    if (this.declarations.some(([known]) => known === prefix)) {
      throw new XmlFault('a namespace declared twice in one tag');
    }
    const isReserved = prefix === 'xmlns' || (prefix !== '' && namespace === '');
    if (isReserved) throw new XmlFault('a namespace that may not be declared');
    this.declarations.push([prefix, namespace]);
  }
}
