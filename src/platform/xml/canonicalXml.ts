/**
 * The canonical form of an element and all that stands in it, as a stream: what a signature's
 * digest is taken of. A document that is signed may be larger than the memory, so there is no tree.
 */
import assert from 'node:assert/strict';
import {
  type Canonicalization,
  type CanonicalScope,
  canonicalTag,
  type Namespaces,
  NotCanonical,
  scopeOf,
} from './canonicalTags.ts';
import { canonicalSection, canonicalText } from './canonicalText.ts';
import type { TokenSink } from './xmlTokens.ts';

/** Characters that are gathered before they are given on. */
const GATHERED_CHARS = 64 * 1024;
const NO_NAMESPACES: Namespaces = new Map();

/** Takes the tags and texts of one element; `emit` gets its canonical form in pieces. */
export class CanonicalXml implements TokenSink {
  readonly #by: Canonicalization;
  readonly #emit: (text: string) => void;
  /** Scopes of the elements that are open; the first is what stands around. */
  readonly #scopes: CanonicalScope[];
  #gathered = '';

  /** `around`: namespaces that are in scope where the element stands. */
  constructor(by: Canonicalization, around: Namespaces, emit: (text: string) => void) {
    this.#by = by;
    this.#emit = emit;
    this.#scopes = [scopeOf(around, NO_NAMESPACES)];
  }

  /** Elements that are open. */
  get depth(): number {
    return this.#scopes.length - 1;
  }

  tag(raw: string): void {
    if (raw.startsWith('</')) {
      if (this.depth === 0) throw new NotCanonical('an end without its start');
      this.#scopes.pop();
      this.#give(`</${raw.slice(2, -1).trimEnd()}>`);
      return;
    }
    const scope = this.#scopes.at(-1);
    assert(scope !== undefined, 'the scope around is never left');
    const found = canonicalTag(raw, scope, this.#by);
    if (found.isEmpty) this.#give(`${found.start}</${found.name}>`);
    else {
      this.#scopes.push(found.scope);
      this.#give(found.start);
    }
  }

  text(raw: string): void {
    if (this.depth > 0) this.#give(canonicalText(raw));
  }

  section(raw: string): void {
    if (this.depth > 0) this.#give(canonicalSection(raw));
  }

  /** Gives on what was gathered. */
  end(): void {
    if (this.#gathered !== '') this.#emit(this.#gathered);
    this.#gathered = '';
  }

  #give(text: string): void {
    this.#gathered += text;
    if (this.#gathered.length >= GATHERED_CHARS) this.end();
  }
}
