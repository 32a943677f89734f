/**
 * Scores entities of lists against a query: the best of all pairs of names, never a mean, so that
 * an alias can only raise an entity; then what the attributes add. One instance per thread.
 */
import assert from 'node:assert/strict';
import { hashIdentifier } from '../identifiers.ts';
import type { NormalizedQuery } from '../ports.ts';
import type { PreparedQuery } from '../preparedQuery.ts';
import type { Snapshot } from '../snapshotFormat.ts';
import { lowerBound } from '../sortedPairs.ts';
import {
  type AttributeEvidence,
  dateEvidence,
  EVIDENCE,
  genderEvidence,
  identifierEvidence,
  nameRequired,
  rangeEvidence,
  withEvidence,
} from './attributeEvidence.ts';
import { ClosestSpelling } from './closestSpelling.ts';
import { kindOf, ListNames } from './listNames.ts';
import type { Model } from './model.ts';
import { NamePairs, NOTHING_Z } from './namePairs.ts';
import type { NameToken } from './nameToken.ts';
import type { PreparedName } from './preparedName.ts';
import type { QueryNames } from './queryNames.ts';
import { type WordRow, WordRows } from './wordColumns.ts';
import type { NameKind } from './wordFacts.ts';

/** How an entity fared. */
export interface EntityScore {
  /** As thresholds see it, attributes included. */
  readonly z: number;
  /** z of the names alone, as thresholds see it. */
  readonly nameZ: number;
  /** The best pair: the form of the list, -1 without names, and the query's name. */
  readonly form: number;
  readonly name: number;
  /** The same as they were compared, which may be spelt towards each other. */
  readonly query: PreparedName | undefined;
  readonly entry: PreparedName | undefined;
  readonly evidence: AttributeEvidence;
  /** Bits of information in the words that both names have. */
  readonly bits: number;
}

/** A query as entities of one list are scored against it. */
interface SearchQuery {
  readonly names: QueryNames;
  readonly prepared: PreparedQuery;
  readonly normalized: NormalizedQuery;
  /** Entities of the list that have an identifier of the query. */
  readonly identified: ReadonlySet<number>;
}

/** An entity of the search; its names are in the order of its forms. */
interface ReadEntity {
  readonly entity: number;
  readonly kind: NameKind;
  readonly firstForm: number;
  readonly forms: number;
  /** Number of its first name among the rows of words. */
  readonly firstName: number;
  /** A name has a word that is spelt in several ways. */
  readonly isSpelt: boolean;
}

/** Names of the query, prepared, and the same as rows of words. */
interface QueryRows {
  readonly names: readonly PreparedName[];
  readonly rows: readonly WordRow[];
}

/** The scorer of one thread, with the prepared names of the lists that it has seen. */
export class EntityScorer {
  readonly pairs: NamePairs;
  readonly #lists = new WeakMap<Snapshot, ListNames>();
  #list: Snapshot | undefined;
  #names: ListNames | undefined;
  #query: SearchQuery | undefined;
  #read: readonly ReadEntity[] = [];
  readonly #queries = new Map<NameKind, QueryRows>();
  readonly #queryWords = new WordRows();
  readonly #entryWords = new WordRows();
  #bounds = new Float64Array(256);
  #spelling = new ClosestSpelling([]);

  constructor(model: Model) {
    this.pairs = new NamePairs(model);
  }

  /** The prepared names of a list. */
  namesOf(list: Snapshot): ListNames {
    const known = this.#lists.get(list);
    if (known !== undefined) return known;
    const made = new ListNames(list);
    this.#lists.set(list, made);
    return made;
  }

  /** Reads the entities of a list that `score` will be asked for, and compares their words. */
  open(list: Snapshot, entities: readonly number[], query: SearchQuery): void {
    const names = this.namesOf(list);
    for (const memo of Object.values(this.pairs.alignment.memos)) memo.clear();
    if (this.#query?.normalized !== query.normalized) {
      this.#spelling = new ClosestSpelling(query.normalized.names);
    }
    this.#query = query;
    this.#list = list;
    this.#names = names;
    this.#entryWords.clear();
    this.#read = entities.map((entity) => this.#readEntity(list, names, entity));
    this.#queryWords.clear();
    this.#queries.clear();
    for (const { kind } of this.#read) if (!this.#queries.has(kind)) this.#readQuery(kind, query);
  }

  #readEntity(list: Snapshot, names: ListNames, entity: number): ReadEntity {
    const kind = kindOf(list.entitySchema[entity] as number);
    const columns = this.pairs.alignment.memos[kind].entries;
    const firstForm = list.entityFirstForm[entity] as number;
    const forms = (list.entityFirstForm[entity + 1] as number) - firstForm;
    const firstName = this.#entryWords.count;
    let isSpelt = false;
    for (let form = firstForm; form < firstForm + forms; form++) {
      const words = names.words(form, kind);
      this.#entryWords.add(words, columns);
      isSpelt ||= areSpelt(words);
    }
    return { entity, firstForm, firstName, forms, isSpelt, kind };
  }

  #readQuery(kind: NameKind, query: SearchQuery): void {
    const memo = this.pairs.alignment.memos[kind];
    const names = query.names.of(kind);
    const first = this.#queryWords.count;
    for (const { tokens } of names) this.#queryWords.add(tokens, memo.queries);
    const rows = names.map((_, at) => this.#queryWords.row(first + at, memo.queries));
    this.#queries.set(kind, { names, rows });
    memo.fill();
  }

  /**
   * Scores one of these entities, by its place among them; undefined where its z, attributes
   * included, is surely under `least`. Without one, all pairs of names are compared.
   */
  score(at: number, least?: number): EntityScore | undefined {
    const read = this.#read[at];
    const list = this.#list;
    const query = this.#query;
    assert(read !== undefined && list !== undefined && query !== undefined, 'it was opened');
    const evidence = evidenceOf(list, read.entity, query);
    const queries = this.#queries.get(read.kind);
    assert(queries !== undefined, 'its kind was read');
    const required = least === undefined ? NO_PAIR : nameRequired(least, evidence);
    const mayBeSpelt = !this.#spelling.isEmpty || read.isSpelt;
    const speltFrom = Math.max(SPELT_FROM, required - SPELT_LIFT);
    const best: Best = { ...NOTHING };
    if (least === undefined) this.#takeEach(best, read, queries);
    else
      this.#takeLikely(best, read, queries, mayBeSpelt ? Math.min(required, speltFrom) : required);
    if (best.form < 0 && required > NOTHING_Z) return undefined;
    if (mayBeSpelt && best.shifted >= speltFrom) this.#takeSpelt(best, read, queries.names);
    return {
      bits: best.bits,
      entry: best.entry,
      evidence,
      form: best.form,
      name: best.name,
      nameZ: best.shifted,
      query: best.query,
      z: withEvidence(best, evidence),
    };
  }

  #form(number: number, kind: NameKind): PreparedName {
    assert(this.#names !== undefined, 'it was opened');
    return this.#names.form(number, kind);
  }

  /** Keeps the best pair of all names. */
  #takeEach(best: Best, { firstForm, forms, kind }: ReadEntity, queries: QueryRows): void {
    for (let number = firstForm; number < firstForm + forms; number++) {
      const entry = this.#form(number, kind);
      queries.names.forEach((query, name) => {
        this.#take(best, query, entry, { name, number });
      });
    }
  }

  /**
   * The same of the pairs whose z is not surely under `least`: likely ones first, since those that
   * cannot be better than the best by then are not aligned, nor their names prepared.
   */
  #takeLikely(best: Best, read: ReadEntity, queries: QueryRows, least: number): void {
    const { firstForm, forms, kind } = read;
    const names = queries.names.length;
    const bounds = this.#boundsOf(read, queries);
    for (;;) {
      let at = 0;
      for (let other = 1; other < forms * names; other++) {
        if ((bounds[other] as number) > (bounds[at] as number)) at = other;
      }
      const most = bounds[at] as number;
      if (most < Math.max(least, best.shifted) || most === NO_PAIR) return;
      bounds[at] = NO_PAIR;
      const name = at % names;
      const number = firstForm + (at - name) / names;
      const entry = this.#form(number, kind);
      this.#take(best, queries.names[name] as PreparedName, entry, { name, number });
    }
  }

  /** The most that z can be, by name of the entity and name of the query. */
  #boundsOf({ firstName, forms, kind }: ReadEntity, { rows }: QueryRows): Float64Array {
    const { entries } = this.pairs.alignment.memos[kind];
    const count = forms * rows.length;
    if (this.#bounds.length <= count) this.#bounds = new Float64Array(2 * count);
    this.#bounds[0] = NO_PAIR;
    for (let place = 0; place < forms; place++) {
      const entry = this.#entryWords.row(firstName + place, entries);
      for (let name = 0; name < rows.length; name++) {
        const most = this.pairs.most(kind, rows[name] as WordRow, entry);
        this.#bounds[place * rows.length + name] = most;
      }
    }
    return this.#bounds;
  }

  /** Keeps a pair of names where it is better than the best, or as good and before it. */
  #take(best: Best, query: PreparedName, entry: PreparedName, place: PairPlace): void {
    const pairs = this.pairs;
    pairs.score(query, entry);
    const { raw, shifted } = pairs;
    const isMore = shifted > best.shifted || (shifted === best.shifted && raw > best.raw);
    const isAsGood = shifted === best.shifted && raw === best.raw;
    if (best.form >= 0 && !isMore && !(isAsGood && isBefore(place, best))) return;
    best.bits = pairs.bits;
    best.entry = entry;
    best.query = query;
    best.form = place.number;
    best.isSame = pairs.features.isSame;
    best.name = place.name;
    best.raw = raw;
    best.shifted = shifted;
  }

  /** Compares names of other scripts, of the query and of the entry, spelt towards each other. */
  #takeSpelt(
    best: Best,
    { firstForm, forms, kind }: ReadEntity,
    [own]: readonly PreparedName[],
  ): void {
    if (own === undefined || best.form < 0) return;
    if (!this.#spelling.isEmpty) {
      const entry = this.#form(best.form, kind);
      const place = { name: best.name, number: best.form };
      for (const name of this.#spelling.towards(entry)) this.#take(best, name, entry, place);
      return;
    }
    for (let number = firstForm; number < firstForm + forms; number++) {
      const { tokens } = this.#form(number, kind);
      if (!areSpelt(tokens)) continue;
      const place = { isSpelt: true, name: 0, number } as const;
      for (const spelt of new ClosestSpelling([textOf(tokens)]).towards(own)) {
        this.#take(best, own, spelt, place);
      }
    }
  }
}

/** A pair of names: the entity's form and which of the query's names. */
interface PairPlace {
  readonly number: number;
  readonly name: number;
  /** They are spelt towards each other; as written they come before. */
  readonly isSpelt?: true;
}

function isBefore({ isSpelt, name, number }: PairPlace, best: Best): boolean {
  if (isSpelt === true) return false;
  return number < best.form || (number === best.form && name < best.name);
}

/** The best pair of names of an entity by now. */
interface Best {
  bits: number;
  entry: PreparedName | undefined;
  query: PreparedName | undefined;
  form: number;
  isSame: boolean;
  name: number;
  raw: number;
  shifted: number;
}

const NOTHING: Readonly<Best> = {
  bits: 0,
  entry: undefined,
  form: -1,
  isSame: false,
  name: 0,
  query: undefined,
  raw: NOTHING_Z,
  shifted: NOTHING_Z,
};
/** Bound of a pair that is not, or no longer, to be taken. */
const NO_PAIR = Number.NEGATIVE_INFINITY;
/** z from which names of other scripts are spelt towards each other: others are no candidates. */
const SPELT_FROM = -6;
/**
 * What that adds to z at most, nearly always: an index has sixteen spellings of an Arabic name, and
 * the best of them is near already.
 */
const SPELT_LIFT = 4;

function areSpelt(words: readonly NameToken[]): boolean {
  for (let at = 0; at < words.length; at++) if ((words[at] as NameToken).isSpelt) return true;
  return false;
}

function textOf(words: readonly NameToken[]): string {
  return words.map(({ text }) => text).join(' ');
}

/** The best evidence of any of the entity's dates, nationalities and identifiers. */
function evidenceOf(list: Snapshot, entity: number, query: SearchQuery): AttributeEvidence {
  const flags = list.entityFlags[entity] as number;
  return {
    date: dateOf(list, entity, query.prepared),
    gender: genderEvidence(query.normalized.gender, flags),
    identifier: identifierEvidence(query.normalized, flags, query.identified.has(entity)),
    nation: nationOf(list, entity, query.prepared),
  };
}

/** Entities of a list that have one of these identifiers. */
export function identifiedBy(list: Snapshot, identifiers: readonly string[]): ReadonlySet<number> {
  const found = new Set<number>();
  const { identifierCheck, identifierEntity, identifierKey } = list;
  for (const folded of identifiers) {
    const { check, key } = hashIdentifier(folded);
    for (let at = lowerBound(identifierKey, key); identifierKey[at] === key; at++) {
      if (identifierCheck[at] === check) found.add(identifierEntity[at] as number);
    }
  }
  return found;
}

function dateOf(list: Snapshot, entity: number, { dob, dobRange }: PreparedQuery): number {
  const start = list.entityFirstDate[entity] as number;
  const end = list.entityFirstDate[entity + 1] as number;
  if (start === end || (dob === undefined && dobRange === undefined)) return 0;
  let best = Number.NEGATIVE_INFINITY;
  for (let at = start; at < end; at++) {
    const span = { from: list.dateFrom[at] as number, to: list.dateTo[at] as number };
    if (dob !== undefined) best = Math.max(best, dateEvidence(dob, span));
    if (dobRange !== undefined) best = Math.max(best, rangeEvidence(dobRange, span));
  }
  return best;
}

function nationOf(list: Snapshot, entity: number, { nation }: PreparedQuery): number {
  const start = list.entityFirstNation[entity] as number;
  const end = list.entityFirstNation[entity + 1] as number;
  if (start === end || nation === 0) return 0;
  for (let at = start; at < end; at++) {
    if (list.nationCode[at] === nation) return EVIDENCE.nationSame;
  }
  return EVIDENCE.nationOther;
}
