/**
 * The forms of all entities while an index is built, as numbers of tokens; of one entity each form
 * is there once.
 *
 * Seen forms are found by open addressing. A place that holds a form of an earlier entity counts as
 * empty, since forms are numbered as they come: nothing is cleared between entities.
 */
import { words } from './growingArray.ts';

const PLACES_START = 1 << 10;

function hashOf(tokens: Uint32Array, start: number, end: number): number {
  let hash = 0x811c9dc5 | 0;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (tokens[at] as number), 0x9e3779b1);
  return hash ^ (hash >>> 15);
}

/** Forms of entities in turn. */
export class FormTable {
  /** Of each form; of one more, once finished. */
  readonly firstToken = words();
  readonly token = words();
  /** The first form of the entity whose forms are added. */
  #entityStart = 0;
  /** A form plus 1 by its hash. */
  #places = new Uint32Array(PLACES_START);

  get length(): number {
    return this.firstToken.length;
  }

  /** What is added from here on belongs to another entity. */
  startEntity(): void {
    this.#entityStart = this.length;
  }

  /** Appends the first `count` tokens as a form, unless the entity has it. Whether it was new. */
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

  /** Sets the end of the last form. */
  finish(): void {
    this.firstToken.push(this.token.length);
  }
}
