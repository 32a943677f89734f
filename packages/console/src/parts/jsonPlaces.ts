/** Where a value stands in a text of JSON, by its pointer (RFC 6901). */
export interface Place {
  readonly from: number;
  readonly to: number;
}

const BLANK = /\s/;
const WORD = /[^\s,\]}]/;

/** Places of all values; a text that is no JSON has those up to its fault. */
export function jsonPlaces(text: string): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  try {
    new Reader(text, places).value('');
  } catch (error) {
    // A name with an escape that there is not is the parser's own error.
    if (!(error instanceof RangeError || error instanceof SyntaxError)) throw error;
  }
  return places;
}

class Reader {
  readonly #text: string;
  readonly #places: Map<string, Place>;
  #at = 0;

  constructor(text: string, places: Map<string, Place>) {
    this.#text = text;
    this.#places = places;
  }

  value(pointer: string): void {
    this.#blanks();
    const from = this.#at;
    const first = this.#text[from];
    if (first === '{') this.#object(pointer);
    else if (first === '[') this.#array(pointer);
    else if (first === '"') this.#string();
    else this.#word();
    this.#places.set(pointer, { from, to: this.#at });
  }

  #object(pointer: string): void {
    this.#take('{');
    while (!this.#is('}')) {
      const name = JSON.parse(this.#string()) as string;
      this.#take(':');
      this.value(`${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
      if (!this.#is(',')) break;
      this.#take(',');
    }
    this.#take('}');
  }

  #array(pointer: string): void {
    this.#take('[');
    for (let index = 0; !this.#is(']'); index += 1) {
      this.value(`${pointer}/${index}`);
      if (!this.#is(',')) break;
      this.#take(',');
    }
    this.#take(']');
  }

  /** With its quotes. */
  #string(): string {
    this.#blanks();
    const from = this.#at;
    this.#take('"');
    while (this.#text[this.#at] !== '"') {
      if (this.#at >= this.#text.length) throw new RangeError('the text ends in a string');
      this.#at += this.#text[this.#at] === '\\' ? 2 : 1;
    }
    this.#at += 1;
    return this.#text.slice(from, this.#at);
  }

  #word(): void {
    const from = this.#at;
    while (WORD.test(this.#text[this.#at] ?? ',')) this.#at += 1;
    if (this.#at === from) throw new RangeError('a value is missing');
  }

  #blanks(): void {
    while (BLANK.test(this.#text[this.#at] ?? 'x')) this.#at += 1;
  }

  #is(unit: string): boolean {
    this.#blanks();
    return this.#text[this.#at] === unit;
  }

  #take(unit: string): void {
    if (!this.#is(unit)) throw new RangeError(`expected ${unit}`);
    this.#at += 1;
  }
}
