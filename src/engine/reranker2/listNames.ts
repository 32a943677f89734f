/**
 * The names of one list as re-ranker 2 compares them, prepared from the forms of its index when
 * they are first asked for and kept for the next query. Per thread, and bounded: a list of a
 * million entities is not kept whole.
 *
 * Words are found by their numbers in the list's dictionary, so that a name is prepared without
 * making its text; only names whose words depend on each other (A B C, open joint stock company)
 * are read as text.
 */
import { SCHEMA_CODE } from '../attributeCodes.ts';
import type { Snapshot } from '../snapshotFormat.ts';
import { type NameToken, nameToken } from './nameToken.ts';
import {
  isReadAlone,
  type PreparedName,
  preparedEntity,
  preparedPerson,
  prepareWords,
  TOKENS_MAX,
  wordsOfPerson,
} from './preparedName.ts';
import { mayHaveComma, wordsBeforeComma } from './publishedComma.ts';
import type { NameKind } from './wordFacts.ts';

/** Words of each kind and forms that are kept of a list, each at most. */
const WORDS_KEPT = 65_536;
const FORMS_KEPT = 65_536;
const decoder = new TextDecoder();
/** How a word of the dictionary is read: not known yet, by itself, or with its neighbours. */
const READ = { unknown: 0, alone: 1, together: 2 } as const;

/** How names of entities of a schema are read. */
export function kindOf(schema: number): NameKind {
  if (schema === SCHEMA_CODE.Person) return 'person';
  return schema === SCHEMA_CODE.Company ? 'entity' : 'vessel';
}

/** A list's forms, prepared. */
export class ListNames {
  readonly #list: Snapshot;
  readonly #forms = new Map<number, PreparedName>();
  readonly #words: Readonly<Record<NameKind, KeptWords>>;
  readonly #read: Uint8Array;
  readonly #scratch: NameToken[] = [];

  constructor(list: Snapshot) {
    this.#list = list;
    const tokens = list.tokenKind.length;
    this.#read = new Uint8Array(tokens);
    this.#words = {
      entity: new KeptWords(tokens),
      person: new KeptWords(tokens),
      vessel: new KeptWords(tokens),
    };
  }

  /** A form of the list by its number, for an entity of this kind. */
  form(form: number, kind: NameKind): PreparedName {
    const known = this.#forms.get(form);
    if (known !== undefined) return known;
    const { formFirstToken } = this.#list;
    const first = formFirstToken[form] as number;
    const end = formFirstToken[form + 1] as number;
    const isPerson = kind === 'person';
    const isShort = isPerson || this.#isReadAlone(first, end);
    const prepared = isPerson
      ? this.#preparedPerson(form, first, end)
      : isShort
        ? preparedEntity(this.#tokens(first, end, kind), kind)
        : this.#preparedByText(first, end, kind);
    // Names of a list with more would have to go before they are met again.
    if (isShort && formFirstToken.length > FORMS_KEPT) return prepared;
    if (this.#forms.size >= FORMS_KEPT) this.#forms.clear();
    this.#forms.set(form, prepared);
    return prepared;
  }

  /**
   * The words of a form as they are compared, without preparing a person's name for it; to be read
   * before the next call.
   */
  words(form: number, kind: NameKind): readonly NameToken[] {
    if (kind !== 'person') return this.form(form, kind).tokens;
    const { formFirstToken } = this.#list;
    const first = formFirstToken[form] as number;
    const end = Math.min(formFirstToken[form + 1] as number, first + TOKENS_MAX);
    return wordsOfPerson(this.#readTokens(first, end, kind, this.#scratch));
  }

  #preparedPerson(form: number, first: number, end: number): PreparedName {
    const tokens = this.#tokens(first, Math.min(end, first + TOKENS_MAX), 'person');
    return preparedPerson(tokens, this.#comma(form, first, end));
  }

  #preparedByText(first: number, end: number, kind: NameKind): PreparedName {
    const words: string[] = [];
    for (let at = first; at < end; at++) words.push(this.#textAt(at));
    return prepareWords(words, kind, (word) => this.#words[kind].ofText(word, kind));
  }

  #tokens(first: number, end: number, kind: NameKind): NameToken[] {
    return this.#readTokens(first, end, kind, []);
  }

  #readTokens(first: number, end: number, kind: NameKind, into: NameToken[]): NameToken[] {
    const words = this.#words[kind];
    const { formToken } = this.#list;
    into.length = end - first;
    for (let at = first; at < end; at++) {
      const token = formToken[at] as number;
      into[at - first] = words.of(token) ?? words.keep(token, nameToken(this.#text(token), kind));
    }
    return into;
  }

  #isReadAlone(first: number, end: number): boolean {
    const { formToken } = this.#list;
    let alone = true;
    for (let at = first; at < end && alone; at++) {
      const token = formToken[at] as number;
      if (this.#read[token] === READ.unknown) {
        this.#read[token] = isReadAlone(this.#text(token)) ? READ.alone : READ.together;
      }
      alone = this.#read[token] === READ.alone;
    }
    return alone;
  }

  /** Words before the comma of the published name; most have none, and are not decoded. */
  #comma(form: number, first: number, end: number): number {
    const { formName, nameBytes, nameStart } = this.#list;
    const name = formName[form] as number;
    const bytes = nameBytes.subarray(nameStart[name], nameStart[name + 1]);
    if (!mayHaveComma(bytes)) return 0;
    const words: string[] = [];
    for (let at = first; at < end; at++) words.push(this.#textAt(at));
    return wordsBeforeComma(decoder.decode(bytes.slice()), words);
  }

  #textAt(at: number): string {
    return this.#text(this.#list.formToken[at] as number);
  }

  #text(token: number): string {
    const { tokenStart, tokenUnits } = this.#list;
    const end = tokenStart[token + 1] as number;
    let text = '';
    for (let at = tokenStart[token] as number; at < end; at++) {
      text += String.fromCharCode(tokenUnits[at] as number);
    }
    return text;
  }
}

/** Words of one kind that were made, by their numbers in the dictionary; all go at once. */
class KeptWords {
  /** Per word of the dictionary its place among those that are kept, plus one. */
  readonly #places: Int32Array;
  #kept: NameToken[] = [];
  readonly #byText = new Map<string, NameToken>();

  constructor(tokens: number) {
    this.#places = new Int32Array(tokens);
  }

  of(token: number): NameToken | undefined {
    return this.#kept[(this.#places[token] as number) - 1];
  }

  keep(token: number, word: NameToken): NameToken {
    if (this.#kept.length >= WORDS_KEPT) {
      this.#places.fill(0);
      this.#kept = [];
    }
    this.#kept.push(word);
    this.#places[token] = this.#kept.length;
    return word;
  }

  /** A word that the dictionary may not have as it is read. */
  ofText(text: string, kind: NameKind): NameToken {
    const known = this.#byText.get(text);
    if (known !== undefined) return known;
    if (this.#byText.size >= WORDS_KEPT) this.#byText.clear();
    const made = nameToken(text, kind);
    this.#byText.set(text, made);
    return made;
  }
}
