/**
 * The dictionary of distinct tokens while an index is built: text → number, and the properties that
 * a token has in any name: its roles, its Latin letters, its phonetic codes. Only tokens that a
 * form uses come into the snapshot.
 */
import { hasArabic } from './arabicVariants.ts';
import { isAscii, latinTokens } from './foldName.ts';
import { grown } from './growingArray.ts';
import { wordRoles } from './nameWords.ts';
import { TOKEN_KIND, tokenSound } from './phonetic.ts';
import type { PartTokens } from './snapshotPart.ts';

/** Bits of a token's roles, above those of WORD_ROLE. */
export const TOKEN_ROLE = { notAscii: 256, arabic: 512 } as const;
/** Kind of a token that no form has so far. */
const UNUSED = 255;

function rolesOf(text: string): number {
  return (
    wordRoles(text) |
    (isAscii(text) ? 0 : TOKEN_ROLE.notAscii) |
    (hasArabic(text) ? TOKEN_ROLE.arabic : 0)
  );
}

/**
 * Numbers tokens in order of arrival, from 0 on; `finish` maps them to the order of the snapshot.
 */
export class TokenTable {
  readonly #numbers = new Map<string, number>();
  readonly #texts: string[] = [];
  readonly #latin: (readonly number[] | undefined)[] = [];
  #roles = new Uint16Array(1024);
  #units = new Uint16Array(1024);
  #kinds = new Uint8Array(1024);
  #primary = new Uint32Array(1024);
  #alternate = new Uint32Array(1024);

  /**
   * WORD_ROLE and TOKEN_ROLE bits by number. A new token may replace the array, so it must be
   * fetched again after `intern`.
   */
  get roles(): Uint16Array {
    return this.#roles;
  }

  /** Length in UTF-16 units by number; to be fetched again as `roles`. */
  get units(): Uint16Array {
    return this.#units;
  }

  intern(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const number = this.#texts.length;
    if (number === this.#roles.length) this.#grow();
    this.#numbers.set(text, number);
    this.#texts.push(text);
    this.#roles[number] = rolesOf(text);
    this.#units[number] = text.length;
    this.#kinds[number] = UNUSED;
    return number;
  }

  #grow(): void {
    const count = this.#roles.length * 2;
    this.#roles = grown(this.#roles, new Uint16Array(count));
    this.#units = grown(this.#units, new Uint16Array(count));
    this.#kinds = grown(this.#kinds, new Uint8Array(count));
    this.#primary = grown(this.#primary, new Uint32Array(count));
    this.#alternate = grown(this.#alternate, new Uint32Array(count));
  }

  text(number: number): string {
    return this.#texts[number] ?? '';
  }

  /** Numbers of a token's romanised tokens. */
  latin(number: number): readonly number[] {
    const known = this.#latin[number];
    if (known !== undefined) return known;
    const tokens = latinTokens(this.text(number)).map((text) => this.intern(text));
    this.#latin[number] = tokens;
    return tokens;
  }

  /** Marks a token as used by a form; returns whether it has a phonetic code. */
  use(number: number): boolean {
    if (this.#kinds[number] === UNUSED) {
      const { kind, primary, alternate } = tokenSound(this.text(number));
      this.#kinds[number] = kind;
      this.#primary[number] = primary;
      this.#alternate[number] = alternate;
    }
    return this.#kinds[number] === TOKEN_KIND.coded;
  }

  /** The used tokens in order of their texts, and by number the place of each in that order. */
  finish(): { readonly places: Uint32Array; readonly tokens: PartTokens } {
    const used = this.#texts.filter((_, number) => this.#kinds[number] !== UNUSED).sort();
    const places = new Uint32Array(this.#texts.length);
    const tokens = {
      ...unitsOf(used),
      tokenKind: new Uint8Array(used.length),
      tokenPrimary: new Uint32Array(used.length),
      tokenAlternate: new Uint32Array(used.length),
    };
    used.forEach((text, place) => {
      const number = this.intern(text);
      places[number] = place;
      tokens.tokenKind[place] = this.#kinds[number] as number;
      tokens.tokenPrimary[place] = this.#primary[number] as number;
      tokens.tokenAlternate[place] = this.#alternate[number] as number;
    });
    return { places, tokens };
  }
}

function unitsOf(texts: readonly string[]): Pick<PartTokens, 'tokenStart' | 'tokenUnits'> {
  const tokenStart = new Uint32Array(texts.length + 1);
  let length = 0;
  texts.forEach((text, place) => {
    length += text.length;
    tokenStart[place + 1] = length;
  });
  const tokenUnits = new Uint16Array(length);
  let to = 0;
  for (const text of texts) {
    for (let at = 0; at < text.length; at++) tokenUnits[to++] = text.charCodeAt(at);
  }
  return { tokenStart, tokenUnits };
}
