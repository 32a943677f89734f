/**
 * Parts of a list → the tables of the whole list. Batches are joined in the order of the list,
 * whichever part has them. Neighbouring batches of one part are one run, of which each column is
 * copied at once.
 *
 * Columns are freed as soon as they are copied, as a large list leaves no room for two copies.
 */
import assert from 'node:assert/strict';
import { releaseArray } from './growingArray.ts';
import { joinTokens } from './joinTokens.ts';
import type { PartColumns, PartTokens, SnapshotPart } from './snapshotPart.ts';

/** The kinds of items that columns index. */
type Unit =
  | 'entity'
  | 'form'
  | 'token'
  | 'date'
  | 'nation'
  | 'identifier'
  | 'name'
  | `${'id' | 'card' | 'name'}Byte`;
type Places = Readonly<Record<Unit, number>>;
const UNITS: readonly Unit[] = [
  'entity',
  'form',
  'token',
  'date',
  'nation',
  'identifier',
  'name',
  'idByte',
  'cardByte',
  'nameByte',
];
const NOWHERE = Object.fromEntries(UNITS.map((unit) => [unit, 0])) as Places;

/** Entities that are neighbours both in a part and in the list. */
interface Run {
  readonly part: number;
  /** Places in the part. */
  readonly from: Places;
  readonly to: Places;
  /** Places in the list. */
  readonly at: Places;
}

type Texts = Record<`${'id' | 'card' | 'name'}Bytes`, readonly Uint8Array[]>;

/** The tables that parts are joined to; texts stay the arrays in which they came. */
export type JoinedTables = PartColumns & PartTokens & Texts;

/** Places in a part where the items of an entity begin. */
function placesOf({ columns }: SnapshotPart, entity: number): Places {
  const form = columns.entityFirstForm[entity] as number;
  const name = columns.formName[form] ?? columns.nameStart.length - 1;
  return {
    entity,
    form,
    token: columns.formFirstToken[form] as number,
    date: columns.entityFirstDate[entity] as number,
    nation: columns.entityFirstNation[entity] as number,
    identifier: columns.entityFirstIdentifier[entity] as number,
    name,
    idByte: columns.idStart[entity] as number,
    cardByte: columns.cardStart[entity] as number,
    nameByte: columns.nameStart[name] as number,
  };
}

function addPlaces(at: Places, from: Places, to: Places): Places {
  return Object.fromEntries(
    UNITS.map((unit) => [unit, at[unit] + to[unit] - from[unit]]),
  ) as unknown as Places;
}

/** The runs and the texts of the parts, both in the order of the list. */
function layOut(parts: readonly SnapshotPart[]) {
  const next = parts.map(() => ({ batch: 0, entity: 0 }));
  const count = parts.reduce((sum, { batches }) => sum + batches.length, 0);
  const texts = { idBytes: [], cardBytes: [], nameBytes: [] } as Record<keyof Texts, Uint8Array[]>;
  const spans: { part: number; from: number; to: number }[] = [];
  for (let number = 0; number < count; number++) {
    const part = next.findIndex(({ batch }, of) => parts[of]?.batches[batch]?.number === number);
    const own = next[part];
    const batch = parts[part]?.batches[own?.batch ?? 0];
    assert(own && batch, `batch ${number} is in a part`);
    const last = spans.at(-1);
    const to = own.entity + batch.entities;
    if (last?.part === part) last.to = to;
    else spans.push({ part, from: own.entity, to });
    own.batch += 1;
    own.entity = to;
    texts.idBytes.push(batch.ids);
    texts.cardBytes.push(batch.cards);
    texts.nameBytes.push(batch.names);
  }
  let at = NOWHERE;
  const runs = spans.map(({ part, ...span }): Run => {
    const from = placesOf(parts[part] as SnapshotPart, span.from);
    const to = placesOf(parts[part] as SnapshotPart, span.to);
    const run = { part, from, to, at };
    at = addPlaces(at, from, to);
    return run;
  });
  return { runs, texts, total: at };
}

type ColumnName = keyof PartColumns;
type ColumnOf = (part: number) => Uint32Array;

/** Copies columns of the parts into columns of the list. */
class Joiner {
  readonly #parts: readonly SnapshotPart[];
  readonly #runs: readonly Run[];
  readonly #total: Places;

  constructor(parts: readonly SnapshotPart[], runs: readonly Run[], total: Places) {
    this.#parts = parts;
    this.#runs = runs;
    this.#total = total;
  }

  /** A column with one value per item; `make` creates the joined array. */
  values<K extends ColumnName>(name: K, unit: Unit, make: (length: number) => PartColumns[K]) {
    const joined = make(this.#total[unit]);
    for (const { part, from, to, at } of this.#runs) {
      const column = this.#column(name, part);
      joined.set(column.subarray(from[unit], to[unit]), at[unit]);
    }
    this.#releaseColumn(name);
    return joined;
  }

  /** A column of starts: per `unit` the place of its first `target`, and one more for the end. */
  starts(name: ColumnName, unit: Unit, target: Unit): Uint32Array {
    const joined = this.#shifted(name, unit, target, this.#total[unit] + 1);
    joined[this.#total[unit]] = this.#total[target];
    return joined;
  }

  /** A column of places without an end element. */
  places(name: ColumnName, unit: Unit, target: Unit): Uint32Array {
    return this.#shifted(name, unit, target, this.#total[unit]);
  }

  #shifted(name: ColumnName, unit: Unit, target: Unit, length: number): Uint32Array {
    const joined = new Uint32Array(length);
    for (const { part, from, to, at } of this.#runs) {
      const column = this.#column(name, part);
      const shift = at[target] - from[target];
      let place = at[unit];
      const end = to[unit];
      for (let own = from[unit]; own < end; own++) {
        joined[place++] = (column[own] as number) + shift;
      }
    }
    this.#releaseColumn(name);
    return joined;
  }

  /** The tokens of forms, renumbered. */
  tokens(numbersOf: ColumnOf): Uint32Array {
    const joined = new Uint32Array(this.#total.token);
    for (const { part, from, to, at } of this.#runs) {
      const column = this.#column('formToken', part);
      const numbers = numbersOf(part);
      let place = at.token;
      const end = to.token;
      for (let own = from.token; own < end; own++) {
        joined[place++] = numbers[column[own] as number] as number;
      }
    }
    this.#releaseColumn('formToken');
    return joined;
  }

  #column<K extends ColumnName>(name: K, part: number): PartColumns[K] {
    return (this.#parts[part] as SnapshotPart).columns[name];
  }

  #releaseColumn(name: ColumnName): void {
    for (const { columns } of this.#parts) releaseArray(columns[name]);
  }
}

const bytes = (length: number) => new Uint8Array(length);
const shorts = (length: number) => new Uint16Array(length);
const integers = (length: number) => new Int32Array(length);
const integersUp = (length: number) => new Uint32Array(length);

/**
 * Joins at least one part; throws where there is none. The parts' columns are freed on the way, so
 * the caller must not read them afterwards.
 */
export function joinParts(parts: readonly SnapshotPart[]): JoinedTables {
  const { runs, texts, total } = layOut(parts);
  const { tokens, places } = joinTokens(parts.map((part) => part.tokens));
  const numbers = parts.map(({ tokenPlaces }, part) =>
    tokenPlaces.map((place) => places[part]?.[place] as number),
  );
  const joiner = new Joiner(parts, runs, total);
  const hasFacts = parts.some(({ columns }) => columns.formFacts.some((facts) => facts !== 0));
  return {
    ...tokens,
    ...texts,
    entitySchema: joiner.values('entitySchema', 'entity', bytes),
    entityCategories: joiner.values('entityCategories', 'entity', bytes),
    entityFlags: joiner.values('entityFlags', 'entity', bytes),
    dateFrom: joiner.values('dateFrom', 'date', integers),
    dateTo: joiner.values('dateTo', 'date', integers),
    nationCode: joiner.values('nationCode', 'nation', shorts),
    identifierKey: joiner.values('identifierKey', 'identifier', integersUp),
    identifierCheck: joiner.values('identifierCheck', 'identifier', integersUp),
    formFlags: joiner.values('formFlags', 'form', bytes),
    formFacts: hasFacts ? joiner.values('formFacts', 'token', shorts) : shorts(0),
    formToken: joiner.tokens((part) => numbers[part] as Uint32Array),
    idStart: joiner.starts('idStart', 'entity', 'idByte'),
    cardStart: joiner.starts('cardStart', 'entity', 'cardByte'),
    nameStart: joiner.starts('nameStart', 'name', 'nameByte'),
    entityFirstDate: joiner.starts('entityFirstDate', 'entity', 'date'),
    entityFirstNation: joiner.starts('entityFirstNation', 'entity', 'nation'),
    entityFirstIdentifier: joiner.starts('entityFirstIdentifier', 'entity', 'identifier'),
    entityFirstForm: joiner.starts('entityFirstForm', 'entity', 'form'),
    formFirstToken: joiner.starts('formFirstToken', 'form', 'token'),
    formName: joiner.places('formName', 'form', 'name'),
  };
}
