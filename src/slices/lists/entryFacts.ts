/**
 * What a person needs of a listed party to judge a hit, beside the names and scores of the event
 * (decisions 2.13). It is no part of the event: it is read from the version that the event names,
 * which never changes, so an answer that is rebuilt says the same.
 */
import type { ListEntity } from './entity.ts';
import { programmesOf } from './programmes.ts';

/** The first of them; the entity's own page has all. */
export const AKAS_SHOWN_MAX = 20;

/** Members of a hit's candidate, in the order of the answer. */
export interface EntryFacts {
  readonly dates_of_birth: readonly string[];
  readonly citizenships: readonly string[];
  readonly countries: readonly string[];
  readonly programmes: readonly string[];
  readonly akas: readonly string[];
  /** Kinds of its identifiers, without their numbers. */
  readonly identifiers: readonly string[];
}

/** All of them are null where the version's text is gone or damaged: not known is not none. */
export type ShownFacts = { readonly [Name in keyof EntryFacts]: EntryFacts[Name] | null };

export const FACTS_UNKNOWN: ShownFacts = {
  dates_of_birth: null,
  citizenships: null,
  countries: null,
  programmes: null,
  akas: null,
  identifiers: null,
};

/** A further number of a kind stands under `passport (2)`. */
const NUMBERED = / \(\d+\)$/;

export const factsOf = (entity: ListEntity): EntryFacts => ({
  dates_of_birth: entity.dates_of_birth,
  citizenships: entity.citizenships,
  countries: entity.countries,
  programmes: programmesOf(entity),
  akas: entity.akas.slice(0, AKAS_SHOWN_MAX),
  identifiers: kindsOf(entity.identifiers),
});

const kindsOf = (identifiers: ListEntity['identifiers']): readonly string[] => [
  ...new Set(Object.keys(identifiers).map((key) => key.replace(NUMBERED, ''))),
];
