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
import type { PreparedName } from './preparedName.ts';
import type { QueryNames } from './queryNames.ts';
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

/** An entity of the search: its names, prepared, in the order of its forms. */
interface ReadEntity {
  readonly entity: number;
  readonly kind: NameKind;
  readonly firstForm: number;
  readonly forms: readonly PreparedName[];
}

/** The scorer of one thread, with the prepared names of the lists that it has seen. */
export class EntityScorer {
  readonly pairs: NamePairs;
  readonly #lists = new WeakMap<Snapshot, ListNames>();
  #list: Snapshot | undefined;
  #query: SearchQuery | undefined;
  #read: readonly ReadEntity[] = [];
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
    const memos = this.pairs.alignment.memos;
    for (const memo of Object.values(memos)) memo.clear();
    if (this.#query?.normalized !== query.normalized) {
      this.#spelling = new ClosestSpelling(query.normalized.names);
    }
    this.#query = query;
    this.#list = list;
    this.#read = entities.map((entity) => {
      const kind = kindOf(list.entitySchema[entity] as number);
      const forms: PreparedName[] = [];
      const firstForm = list.entityFirstForm[entity] as number;
      const end = list.entityFirstForm[entity + 1] as number;
      for (let form = firstForm; form < end; form++) {
        const prepared = names.form(form, kind);
        memos[kind].addEntry(prepared.tokens);
        forms.push(prepared);
      }
      return { entity, firstForm, forms, kind };
    });
    for (const kind of new Set(this.#read.map((one) => one.kind))) {
      for (const name of query.names.of(kind)) memos[kind].addQuery(name.tokens);
      memos[kind].fill();
    }
  }

  /**
   * Scores one of these entities, by its place among them; undefined where its z, attributes
   * included, is surely under `least`.
   */
  score(at: number, least: number): EntityScore | undefined {
    const read = this.#read[at];
    const list = this.#list;
    const query = this.#query;
    assert(read !== undefined && list !== undefined && query !== undefined, 'it was opened');
    const evidence = evidenceOf(list, read.entity, query);
    const queries = query.names.of(read.kind);
    const required = nameRequired(least, evidence);
    const mayBeSpelt = !this.#spelling.isEmpty || read.forms.some(isSpeltName);
    const best: Best = { ...NOTHING };
    this.#takeAll(best, read, queries, mayBeSpelt ? Math.min(required, SPELT_FROM) : required);
    if (best.form < 0 && required > NOTHING_Z) return undefined;
    if (mayBeSpelt && best.shifted >= SPELT_FROM) this.#takeSpelt(best, read, queries);
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

  /** Keeps the best pair of all names, of those whose z is not surely under `least`. */
  #takeAll(
    best: Best,
    { firstForm, forms }: ReadEntity,
    queries: readonly PreparedName[],
    least: number,
  ): void {
    const isBounded = least > NOTHING_Z;
    for (let place = 0; place < forms.length; place++) {
      for (let name = 0; name < queries.length; name++) {
        const bound = isBounded ? Math.max(least, best.shifted) : least;
        const form = { least: bound, name, number: firstForm + place };
        this.#take(best, queries[name] as PreparedName, forms[place] as PreparedName, form);
      }
    }
  }

  /** Keeps a pair of names where it is better than the best. */
  #take(
    best: Best,
    query: PreparedName,
    entry: PreparedName,
    form: { readonly number: number; readonly name: number; readonly least?: number },
  ): void {
    const pairs = this.pairs;
    if (!pairs.score(query, entry, form.least)) return;
    const { raw, shifted } = pairs;
    const isBetter = shifted > best.shifted || (shifted === best.shifted && raw > best.raw);
    if (best.form >= 0 && !isBetter) return;
    best.bits = pairs.features.bits;
    best.entry = entry;
    best.query = query;
    best.form = form.number;
    best.isSame = pairs.features.isSame;
    best.name = form.name;
    best.raw = raw;
    best.shifted = shifted;
  }

  /** Compares names of other scripts, of the query and of the entry, spelt towards each other. */
  #takeSpelt(best: Best, { firstForm, forms }: ReadEntity, queries: readonly PreparedName[]): void {
    const [own] = queries;
    const entry = forms[best.form - firstForm];
    if (own === undefined || entry === undefined) return;
    if (!this.#spelling.isEmpty) {
      const form = { name: best.name, number: best.form };
      for (const name of this.#spelling.towards(entry)) this.#take(best, name, entry, form);
      return;
    }
    for (let place = 0; place < forms.length; place++) {
      const entryName = forms[place] as PreparedName;
      if (!isSpeltName(entryName)) continue;
      const text = textOf(entryName);
      const form = { name: 0, number: firstForm + place };
      for (const spelt of new ClosestSpelling([text]).towards(own)) {
        this.#take(best, own, spelt, form);
      }
    }
  }
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
/** z from which names of other scripts are spelt towards each other: others are no candidates. */
const SPELT_FROM = -6;

/** Whether a name has a word that is spelt in several ways. */
function isSpeltName({ tokens }: PreparedName): boolean {
  return tokens.some(({ isSpelt }) => isSpelt);
}

function textOf({ tokens }: PreparedName): string {
  return tokens.map(({ text }) => text).join(' ');
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
