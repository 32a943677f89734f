/**
 * The names of one list as re-ranker 2 compares them, prepared from the forms of its index when
 * they are first asked for and kept for the next query. Per thread, and bounded: a list of a
 * million entities is not kept whole.
 */
import { SCHEMA_CODE } from '../attributeCodes.ts';
import type { Snapshot } from '../snapshotFormat.ts';
import { type NameToken, nameToken } from './nameToken.ts';
import { type PreparedName, prepareName } from './preparedName.ts';
import type { NameKind } from './wordFacts.ts';

/** Words and forms that are kept of a list, each at most. */
const WORDS_KEPT = 65_536;
const FORMS_KEPT = 65_536;

/** How names of entities of a schema are read. */
export function kindOf(schema: number): NameKind {
  if (schema === SCHEMA_CODE.Person) return 'person';
  return schema === SCHEMA_CODE.Company ? 'entity' : 'vessel';
}

/** A list's forms, prepared. */
export class ListNames {
  readonly #list: Snapshot;
  readonly #forms = new Map<number, PreparedName>();
  readonly #words = {
    entity: new Map<string, NameToken>(),
    person: new Map<string, NameToken>(),
    vessel: new Map<string, NameToken>(),
  };

  constructor(list: Snapshot) {
    this.#list = list;
  }

  /** A form of the list by its number, for an entity of this kind. */
  form(form: number, kind: NameKind): PreparedName {
    const known = this.#forms.get(form);
    if (known !== undefined) return known;
    if (this.#forms.size >= FORMS_KEPT) this.#forms.clear();
    const prepared = prepareName(this.words(form), kind, (word) => this.#word(word, kind));
    this.#forms.set(form, prepared);
    return prepared;
  }

  /** The words of a form, as they were folded. */
  words(form: number): string[] {
    const { formFirstToken, formToken } = this.#list;
    const words: string[] = [];
    const end = formFirstToken[form + 1] as number;
    for (let at = formFirstToken[form] as number; at < end; at++) {
      words.push(this.#text(formToken[at] as number));
    }
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

  #word(word: string, kind: NameKind): NameToken {
    const words = this.#words[kind];
    const known = words.get(word);
    if (known !== undefined) return known;
    if (words.size >= WORDS_KEPT) words.clear();
    const made = nameToken(word, kind);
    words.set(word, made);
    return made;
  }
}
