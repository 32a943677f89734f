/**
 * The forms of all entities while an index is built, as numbers of tokens. An entity has each form
 * once.
 *
 * Seen forms are found by open addressing. A place that holds a form of an earlier entity counts as
 * empty, since forms are numbered as they come; nothing is cleared between entities.
 */
import { words } from './growingArray.ts';

const PLACES_START = 1 << 10;

function hashOf(tokens: Uint32Array, start: number, end: number): number {
  let hash = 0x811c9dc5 | 0;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (tokens[at] as number), 0x9e3779b1);
  return hash ^ (hash >>> 15);
}

/**
 * Append-only forms, entity by entity: call startEntity, then add for each form, and finish once at
 * the end.
 */
export class FormTable {
  /** Place in `token` of each form's first token; after `finish` also the end of the last form. */
  readonly firstToken = words();
  readonly token = words();
  /** First form of the current entity. */
  #entityStart = 0;
  /** Form number plus 1, by the hash of the form; 0: empty. */
  #places = new Uint32Array(PLACES_START);

  get length(): number {
    return this.firstToken.length;
  }

  /** Forms added after this call belong to another entity. */
  startEntity(): void {
    this.#entityStart = this.length;
  }

  /**
   * Appends the first `count` tokens as a form unless the entity has it; returns whether it was
   * new.
   */
  add(tokens: Uint32Array, count: number): boolean {
    if ((this.length - this.#entityStart) * 2 >= this.#places.length) this.#grow();
    const mask = this.#places.length - 1;
    let place = hashOf(tokens, 0, count) & mask;
    for (;;) {
      const form = (this.#places[place] as number) - 1;
      if (form < this.#entityStart) break;
      if (this.#is(form, tokens, count)) return false;
      place = (place + 1) & mask;
    }
    this.firstToken.push(this.token.length);
    const room = this.token.room(count);
    const start = this.token.length;
    for (let at = 0; at < count; at++) room[start + at] = tokens[at] as number;
    this.token.advance(count);
    this.#places[place] = this.length;
    return true;
  }

  #is(form: number, tokens: Uint32Array, count: number): boolean {
    const start = this.firstToken.at(form);
    const end = form + 1 < this.length ? this.firstToken.at(form + 1) : this.token.length;
    if (end - start !== count) return false;
    const own = this.token.room(0);
    for (let at = 0; at < count; at++) if (own[start + at] !== tokens[at]) return false;
    return true;
  }

  #grow(): void {
    const places = new Uint32Array(this.#places.length * 2);
    const mask = places.length - 1;
    const tokens = this.token.view();
    for (let form = this.#entityStart; form < this.length; form++) {
      const end = form + 1 < this.length ? this.firstToken.at(form + 1) : tokens.length;
      let place = hashOf(tokens, this.firstToken.at(form), end) & mask;
      while (places[place] !== 0) place = (place + 1) & mask;
      places[place] = form + 1;
    }
    this.#places = places;
  }

  /** Sets the end of the last form; to be called once, after all forms. */
  finish(): void {
    this.firstToken.push(this.token.length);
  }
}
