/**
 * The dictionary of distinct tokens while an index is built: text → number, and what a token sounds
 * like.
 */
import { shorts } from './growingArray.ts';
import { hashText, TOKEN_KIND, type TokenSound, tokenSound } from './phonetic.ts';

interface TokenSections {
  readonly tokenHash: Uint32Array;
  readonly tokenStart: Uint32Array;
  readonly tokenUnits: Uint16Array;
  readonly tokenKind: Uint8Array;
  readonly tokenPrimary: Uint32Array;
  readonly tokenAlternate: Uint32Array;
}

/** Numbers are given in order of arrival; `finish` maps them to the order of the snapshot. */
export class TokenTable {
  readonly #numbers = new Map<string, number>();
  readonly #texts: string[] = [];
  readonly #sounds: TokenSound[] = [];

  intern(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const number = this.#texts.length;
    this.#numbers.set(text, number);
    this.#texts.push(text);
    this.#sounds.push(tokenSound(text));
    return number;
  }

  isCoded(number: number): boolean {
    return this.#sounds[number]?.kind === TOKEN_KIND.coded;
  }

  /** `order[number]` is the token's place in the sections, which go by hash, then text. */
  finish(): { readonly order: Uint32Array; readonly sections: TokenSections } {
    const hashes = Uint32Array.from(this.#texts, hashText);
    const sorted = this.#texts.map((text, number) => ({ text, number, hash: hashes[number] ?? 0 }));
    sorted.sort((a, b) => a.hash - b.hash || (a.text < b.text ? -1 : 1));
    const order = new Uint32Array(sorted.length);
    const tokenStart = new Uint32Array(sorted.length + 1);
    const units = shorts();
    sorted.forEach(({ text, number }, place) => {
      order[number] = place;
      for (let at = 0; at < text.length; at++) units.push(text.charCodeAt(at));
      tokenStart[place + 1] = units.length;
    });
    const sounds = sorted.map(({ number }) => this.#sounds[number]);
    return {
      order,
      sections: {
        tokenHash: Uint32Array.from(sorted, ({ hash }) => hash),
        tokenStart,
        tokenUnits: units.view(),
        tokenKind: Uint8Array.from(sounds, (sound) => sound?.kind ?? TOKEN_KIND.literal),
        tokenPrimary: Uint32Array.from(sounds, (sound) => sound?.primary ?? 0),
        tokenAlternate: Uint32Array.from(sounds, (sound) => sound?.alternate ?? 0),
      },
    };
  }
}
