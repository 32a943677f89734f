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
import { namesWithNotes, placesWithoutNotes } from './publishedNote.ts';
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
  readonly #noted: ReadonlySet<number>;
  /** Places that are the name, by form of a name that may have a note. */
  readonly #own = new Map<number, readonly number[] | undefined>();
  readonly #scratch: NameToken[] = [];

  constructor(list: Snapshot) {
    this.#list = list;
    this.#noted = namesWithNotes(list);
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
    const end = formFirstToken[form + 1] as number;
    return wordsOfPerson(this.#personTokens(form, first, end, this.#scratch));
  }

  #preparedPerson(form: number, first: number, end: number): PreparedName {
    const tokens = this.#personTokens(form, first, end, []);
    return preparedPerson(tokens, this.#comma(form, first, end));
  }

  /** The words of a person's form, without those of a note. */
  #personTokens(form: number, first: number, end: number, into: NameToken[]): NameToken[] {
    const own = this.#ownPlaces(form, first, end);
    if (own === undefined) {
      return this.#readTokens(first, Math.min(end, first + TOKENS_MAX), 'person', into);
    }
    const all = this.#readTokens(first, end, 'person', into);
    return own.slice(0, TOKENS_MAX).map((place) => all[place] as NameToken);
  }

  /** Places of a form that are the name; undefined where all are, as of nearly all forms. */
  #ownPlaces(form: number, first: number, end: number): readonly number[] | undefined {
    if (this.#noted.size === 0) return undefined;
    const name = this.#list.formName[form] as number;
    if (!this.#noted.has(name)) return undefined;
    if (this.#own.has(form)) return this.#own.get(form);
    if (this.#own.size >= FORMS_KEPT) this.#own.clear();
    const own = placesWithoutNotes(this.#published(name), this.#texts(first, end));
    this.#own.set(form, own);
    return own;
  }

  #preparedByText(first: number, end: number, kind: NameKind): PreparedName {
    const words = this.#texts(first, end);
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
    const name = this.#list.formName[form] as number;
    if (!mayHaveComma(this.#bytes(name))) return 0;
    const words = this.#texts(first, end);
    const own = this.#ownPlaces(form, first, end)?.map((place) => words[place] as string);
    return wordsBeforeComma(this.#published(name), own ?? words);
  }

  #bytes(name: number): Uint8Array {
    const { nameBytes, nameStart } = this.#list;
    return nameBytes.subarray(nameStart[name], nameStart[name + 1]);
  }

  #published(name: number): string {
    return decoder.decode(this.#bytes(name).slice());
  }

  #texts(first: number, end: number): string[] {
    const words: string[] = [];
    for (let at = first; at < end; at++) words.push(this.#text(this.#list.formToken[at] as number));
    return words;
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
