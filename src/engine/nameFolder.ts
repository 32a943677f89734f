/**
 * Names as published → the forms under which they are found, as numbers of tokens. The result is
 * that of listForms in foldName.ts, but word by word, and without a string where words are known. A
 * name that folding cuts, or that bytes cannot hold, takes the slow path through foldName itself.
 *
 * test/engine/snapshotForms.test.ts compares the result with foldName.
 */
import { foldName, LIST_SPELLINGS, listForms } from './foldName.ts';
import { NAME_CODE_POINTS_MAX } from './limits.ts';
import { NameEnds } from './nameEnds.ts';
import { MAPPED_ROLES, mapNameWords, type NameReading, WORD_ROLE } from './nameWords.ts';
import { SpelledForms } from './spelledForms.ts';
import { TOKEN_ROLE, type TokenTable } from './tokenTable.ts';
import { WordTable } from './wordTable.ts';

/** Receives the forms of a name: the first `count` of `tokens`, to be copied before it returns. */
export interface FormSink {
  addForm(tokens: Uint32Array, count: number): void;
}

/** More tokens than a name of NAME_CODE_POINTS_MAX folds to; with more it takes the slow path. */
const TOKENS_MAX = 2_048;
/** Tokens that the mapping of a name's end may add. */
const TOKENS_ROOM = 64;
const SPACE = 0x20;

/**
 * Folds the names of one index while it is built, and hands each form to the sink, the published
 * one first. Set `reading` before the names of each entity.
 */
export class NameFolder {
  readonly #tokens: TokenTable;
  readonly #words: WordTable;
  readonly #ends: NameEnds;
  readonly #spelled: SpelledForms;
  readonly #sink: FormSink;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #native = new Uint32Array(TOKENS_MAX + TOKENS_ROOM);
  readonly #latin = new Uint32Array(TOKENS_MAX + TOKENS_ROOM);
  /** Roles of the tokens that were split last, all together. */
  #anyRole = 0;
  /** How the next names are read. */
  reading: NameReading = 'entity';

  constructor(tokens: TokenTable, sink: FormSink) {
    this.#tokens = tokens;
    this.#words = new WordTable(tokens);
    this.#ends = new NameEnds(tokens);
    this.#spelled = new SpelledForms(tokens);
    this.#sink = sink;
  }

  /** The name `text[start..end)` in UTF-8. */
  fold(text: Uint8Array, start: number, end: number): void {
    const count = end - start > NAME_CODE_POINTS_MAX ? -1 : this.#split(text, start, end);
    const isFolded = count >= 0 && this.#addForms(count);
    if (!isFolded) this.foldText(this.#decoder.decode(text.subarray(start, end)));
  }

  /** Folds a name that is given as text, by the slow path. */
  foldText(name: string): void {
    for (const form of listForms(foldName(name, this.reading))) this.#addText(form);
  }

  /** Splits the name into tokens and returns how many; -1 where folding may cut it. */
  #split(text: Uint8Array, start: number, end: number): number {
    const table = this.#words;
    const native = this.#native;
    let count = 0;
    let codePoints = 0;
    let anyRole = 0;
    for (let at = start; at <= end; at++) {
      codePoints += 1;
      const from = at;
      while (at < end && text[at] !== SPACE) at += 1;
      if (at === from) continue;
      table.find(text, from, at);
      codePoints += table.codePoints;
      anyRole |= table.roles;
      if (count + table.count > TOKENS_MAX) return -1;
      for (let place = 0; place < table.count; place++) native[count++] = table.token(place);
    }
    this.#anyRole = anyRole;
    return codePoints > NAME_CODE_POINTS_MAX ? -1 : count;
  }

  /** Hands the forms to the sink; false, and none handed, where folding cuts one of them. */
  #addForms(count: number): boolean {
    const tokens = this.#native;
    const role = this.#anyRole;
    if ((role & TOKEN_ROLE.notAscii) === 0) {
      const mapped = this.#map(tokens, count, role);
      if (this.#unitsOf(tokens, mapped) > NAME_CODE_POINTS_MAX) return false;
      this.#addForm(tokens, mapped);
      return true;
    }
    const sounding = this.#romanise(count);
    if (sounding < 0) return false;
    const latin = this.#map(this.#latin, sounding, -1);
    const native = this.#map(tokens, count, role);
    if (this.#unitsOf(tokens, native) > NAME_CODE_POINTS_MAX) return false;
    if (this.#unitsOf(this.#latin, latin) > NAME_CODE_POINTS_MAX) return false;
    this.#addForm(tokens, native);
    this.#addForm(this.#latin, latin);
    if ((role & TOKEN_ROLE.arabic) !== 0) this.#addSpellings(tokens, native);
    return true;
  }

  #addForm(tokens: Uint32Array, count: number): void {
    if (count > 0) this.#sink.addForm(tokens, count);
  }

  #addText(form: string): void {
    if (form === '') return;
    const tokens = Uint32Array.from(form.split(' '), (text) => this.#tokens.intern(text));
    this.#sink.addForm(tokens, tokens.length);
  }

  #addSpellings(tokens: Uint32Array, count: number): void {
    const roles = this.#tokens.roles;
    const isArabic = (token: number) => ((roles[token] as number) & TOKEN_ROLE.arabic) !== 0;
    if (!tokens.subarray(0, count).some(isArabic)) return;
    for (const form of this.#spelled.spell(tokens.subarray(0, count), LIST_SPELLINGS)) {
      this.#sink.addForm(form, form.length);
    }
  }

  #textsOf(tokens: Uint32Array, count: number): string[] {
    return Array.from(tokens.subarray(0, count), (token) => this.#tokens.text(token));
  }

  /** UTF-16 units of the form; 0 for none. */
  #unitsOf(tokens: Uint32Array, count: number): number {
    const units = this.#tokens.units;
    let sum = Math.max(0, count - 1);
    for (let at = 0; at < count; at++) sum += units[tokens[at] as number] as number;
    return sum;
  }

  /**
   * Writes the name's tokens in Latin letters and returns how many; -1 where they are too many.
   */
  #romanise(count: number): number {
    let length = 0;
    for (let at = 0; at < count; at++) {
      for (const token of this.#tokens.latin(this.#native[at] as number)) {
        if (length === TOKENS_MAX) return -1;
        this.#latin[length++] = token;
      }
    }
    return length;
  }

  /** Does mapNameWords in place and returns how many tokens there are then. */
  #map(tokens: Uint32Array, count: number, anyRole: number): number {
    if ((anyRole & MAPPED_ROLES) === 0 || count < 2) return count;
    const roles = this.#tokens.roles;
    const kept = this.#dropHonorifics(tokens, count);
    const isTitled = ((roles[tokens[0] as number] as number) & WORD_ROLE.title) !== 0;
    if (isTitled) return this.#mapTexts(tokens, kept);
    return this.#ends.map(tokens, kept, this.reading) ?? this.#mapTexts(tokens, kept);
  }

  #dropHonorifics(tokens: Uint32Array, count: number): number {
    const roles = this.#tokens.roles;
    let kept = 0;
    for (let at = 0; at < count; at++) {
      const token = tokens[at] as number;
      if (((roles[token] as number) & WORD_ROLE.honorific) === 0) tokens[kept++] = token;
    }
    return kept === 0 ? count : kept;
  }

  #mapTexts(tokens: Uint32Array, count: number): number {
    const mapped = mapNameWords(this.#textsOf(tokens, count), this.reading);
    mapped.forEach((text, at) => {
      tokens[at] = this.#tokens.intern(text);
    });
    return mapped.length;
  }
}
