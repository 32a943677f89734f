/**
 * What a policy may weigh: a closed, versioned catalogue (config/risk/facts.json). There is no fact
 * on revenue or profit (EBA GL 3.6 b). Scores of screenings are whole ten-thousandths.
 */
import type { FieldKind, KnownFields } from '#core/conditions';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import catalogue from '../../../config/risk/facts.json' with { type: 'json' };
import countries from '../../../config/tables/countries.json' with { type: 'json' };

/** What a fact holds: of the plural ones a list, where each value stands once. */
export type FactKind =
  | 'boolean'
  | 'countries'
  | 'country'
  | 'integer'
  | 'text'
  | 'texts'
  | 'word'
  | 'words';

/** Where a fact comes from: the case, its screening, or whoever asks for the evaluation. */
export type FactSource = 'case' | 'given' | 'screening';

/** A fact of the catalogue. */
export interface Fact {
  readonly kind: FactKind;
  readonly source: FactSource;
  /** All that it can be. */
  readonly words?: readonly string[];
  /** Clients of the other type do not have it, and lack nothing. */
  readonly of?: ClientType;
}

/** The type of a client, as the fact says it. */
export type ClientType = 'business' | 'individual';

/** A value of a fact. */
export type FactValue = boolean | number | string | readonly string[];
/** What is known of a client; what is not there is missing. */
export type Facts = Readonly<Partial<Record<string, FactValue>>>;

/** Every fact by its name. */
export const FACTS = catalogue.facts as Readonly<Record<string, Fact>>;
/** The catalogue as policies name it and as it is kept: its canonical text. */
export const FACTS_TEXT = canonicalJson(catalogue);
/** SHA-256 hex of it. */
export const FACTS_DIGEST = sha256Hex(FACTS_TEXT);

/** Countries that a fact may name. */
export const COUNTRIES: readonly string[] = Object.keys(countries);

/** The fact of this name; undefined where there is none. */
export const factOf = (name: string): Fact | undefined =>
  Object.hasOwn(FACTS, name) ? FACTS[name] : undefined;

/** All that a fact can be; undefined: any text. */
export const wordsOf = ({ kind, words }: Fact): readonly string[] | undefined =>
  kind === 'country' || kind === 'countries' ? COUNTRIES : words;

/** Whether a fact is a list. */
export const isList = ({ kind }: Pick<Fact, 'kind'>): boolean =>
  kind === 'countries' || kind === 'texts' || kind === 'words';

/** Whether a client of these facts can have it; unknown types can. */
export function isApplicable(name: string, facts: Facts): boolean {
  const of = factOf(name)?.of;
  const type = facts['client.type'];
  return of === undefined || type === undefined || of === type;
}

const KIND_OF: Readonly<Record<FactKind, FieldKind>> = {
  boolean: 'boolean',
  countries: 'words',
  country: 'text',
  integer: 'number',
  text: 'text',
  texts: 'words',
  word: 'text',
  words: 'words',
};

/** Facts as conditions may ask for them. */
export const KNOWN_FACTS: KnownFields = new Map(
  Object.entries(FACTS).map(([name, fact]) => {
    const words = wordsOf(fact);
    return [name, { kind: KIND_OF[fact.kind], ...(words && { words }) }] as const;
  }),
);
