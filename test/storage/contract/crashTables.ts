/**
 * Declared tables under processes that die: what one group writes to them, and a witness who writes
 * beside it and remembers every answer. Afterwards the answers and what is stored must be those of
 * the model with the group at one place among them, or nowhere.
 */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { AnyTable, Leased, Scalar, TableChange, Tables } from '#core/kernel';
import { TABLES } from '../../../src/app/tables.ts';
import { createModelTables, type ModelTables } from '../modelTables.ts';
import { at, TENANT_A } from './harness.ts';
import { sampleEnd, sampleKey, sampleNext, sampleRecord, type TableCase } from './sampleRecord.ts';
import {
  ACCOUNTS,
  DAY_MS,
  DELIVERIES,
  JOBS,
  LINES,
  NOTES,
  NOTICES,
  PIECES,
  POLICIES,
  RECEIPTS,
  SETTINGS,
  TICKETS,
} from './syntheticTables.ts';

const CASES = [
  ...[JOBS, POLICIES, PIECES, LINES, NOTES, ACCOUNTS, TICKETS, RECEIPTS, SETTINGS],
  ...[NOTICES, DELIVERIES],
];
export const CRASH_TABLES: readonly AnyTable[] = CASES.map(({ table }) => table);
/** All that the group changes: what the store is opened with. */
export const CRASH_STORE: readonly AnyTable[] = [...TABLES, ...CRASH_TABLES];

const SAMPLE = { salt: '1', tenant: TENANT_A };
const HOLDER = 'one that dies';
const record = (of: TableCase, n: number) => sampleRecord(of, n, SAMPLE);
const key = (of: TableCase, n: number) => sampleKey(of, n, SAMPLE);
const next = (of: TableCase, n: number, values: number) =>
  sampleNext(of, record(of, n), values, SAMPLE);

const form = { formId: 'a form' };
const activePolicy = { ...record(POLICIES, 0), ...form, name: 'one', status: 'active' };
const draftPolicy = { ...record(POLICIES, 1), ...form, name: 'two', status: 'draft' };

/** What is there before. */
export const BEFORE: readonly TableChange[] = [
  ...[0, 1, 2].map((n) => JOBS.table.insert(record(JOBS, n))),
  ...[0, 1].map((n) => PIECES.table.insert(record(PIECES, n))),
  ...[0, 1].map((n) => NOTES.table.insert(record(NOTES, n))),
  ...[activePolicy, draftPolicy].map((policy) => POLICIES.table.insert(policy)),
  ACCOUNTS.table.insert(record(ACCOUNTS, 0)),
  TICKETS.table.insert(record(TICKETS, 0)),
  SETTINGS.table.insert(record(SETTINGS, 0)),
  NOTICES.table.insert(record(NOTICES, 0)),
  ...[0, 1, 2].map((n) => DELIVERIES.table.insert(record(DELIVERIES, n))),
];
/** Of the deliveries before, the first one alone is past its time by then. */
const PURGE_NOW = DAY_MS + 1_000;

/** A lease that the group works under. */
export async function leaseBefore(tables: Tables): Promise<void> {
  await tables.claim(TICKETS.table, { holder: HOLDER, key: key(TICKETS, 0) });
}

/** Each kind of write: values released and taken, work put and ended, rows, removes, a fence. */
export const CHANGES: readonly TableChange[] = [
  TICKETS.table.expect(key(TICKETS, 0), { fence: 1, version: 1 }),
  JOBS.table.put(next(JOBS, 0, 5), 1),
  // The end names one of its work members; the others keep what the witness has saved.
  JOBS.table.put(sampleEnd(JOBS, { ...record(JOBS, 1), stage: 'done' }), 1, { work: ['stage'] }),
  JOBS.table.insert({ ...record(JOBS, 9), name: record(JOBS, 1).name }),
  POLICIES.table.put({ ...activePolicy, status: 'retired', version: 2 }, 1),
  POLICIES.table.put({ ...draftPolicy, status: 'active', version: 2 }, 1),
  PIECES.table.put(sampleEnd(PIECES, record(PIECES, 0))),
  ...[0, 1, 2].map((n) => LINES.table.append(record(LINES, n))),
  NOTES.table.remove(key(NOTES, 0), 1),
  NOTES.table.insert({ ...record(NOTES, 0), kind: 'again' }),
  NOTES.table.remove(key(NOTES, 1), 1),
  ACCOUNTS.table.put({ ...next(ACCOUNTS, 0, 3), hash: 'another' }, 1),
  ACCOUNTS.table.insert({ ...record(ACCOUNTS, 1), hash: record(ACCOUNTS, 0).hash }),
  RECEIPTS.table.insert(record(RECEIPTS, 0)),
  SETTINGS.table.put(next(SETTINGS, 0, 3), 1),
  SETTINGS.table.insert(record(SETTINGS, 1)),
  ...[2, 1].map((n) => NOTICES.table.insert(record(NOTICES, n))),
  NOTICES.table.put(next(NOTICES, 0, 3), 1),
  DELIVERIES.table.insert(record(DELIVERIES, 3)),
  DELIVERIES.table.put(next(DELIVERIES, 2, 8), 1),
];

const NOBODY: Leased<object>['lease'] = { beat: 1, fence: 1, holder: 'nobody', tries: 1 };

type Call =
  | ('saveWork' | 'claim' | 'takeOver' | 'lease' | 'renew' | 'giveBack')
  | ('touch' | 'insertMissing' | 'purge');
interface Entry {
  readonly call: Call;
  readonly of: TableCase;
  readonly ask: Readonly<Record<string, unknown>>;
  readonly answer: unknown;
}

/** Writes beside commits, one after the other. */
export class Witness {
  readonly #entries: Entry[] = [];
  readonly #leases = new Map<string, Leased<object>['lease']>();
  readonly #tables: Tables;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  async act(times = 1): Promise<void> {
    for (let acted = 0; acted < times; acted++) {
      const { ask, call, of } = this.#next();
      const answer = await answerOf(this.#tables, { ask, call, of });
      this.#entries.push({ answer, ask, call, of });
      const isTaken = call === 'claim' || call === 'takeOver';
      const [leased] = isTaken ? [answer] : call === 'lease' ? (answer as unknown[]) : [];
      if (leased !== undefined) this.#remember(of, leased as Leased<Record<string, Scalar>>);
    }
  }

  #remember(of: TableCase, { lease, record }: Leased<Record<string, Scalar>>): void {
    const members = of.spec.key.map((field) => [field, record[field]] as const);
    this.#leases.set(JSON.stringify(Object.fromEntries(members)), lease);
  }

  #next(): Omit<Entry, 'answer'> {
    const n = this.#entries.length;
    const holding = (asked: object) => ({
      claim: this.#leases.get(JSON.stringify(asked)) ?? NOBODY,
      key: asked,
    });
    const [job, ending, third] = [0, 1, 2].map((at) => key(JOBS, at));
    const piece = key(PIECES, 0);
    const work = { stage: `step ${n}` };
    // The first and the last are answered otherwise once the group is there.
    const asks: readonly Omit<Entry, 'answer'>[] = [
      { ask: { key: ending, work }, call: 'saveWork', of: JOBS },
      { ask: { holder: 'witness', key: job }, call: 'claim', of: JOBS },
      { ask: { key: job, work }, call: 'saveWork', of: JOBS },
      {
        ask: { holder: 'witness', key: job, seen: this.#leases.get(JSON.stringify(job)) ?? NOBODY },
        call: 'takeOver',
        of: JOBS,
      },
      { ask: { records: [1, 5].map((n) => record(NOTES, n)) }, call: 'insertMissing', of: NOTES },
      { ask: { holder: 'witness', key: piece }, call: 'claim', of: PIECES },
      { ask: { key: key(ACCOUNTS, 0), value: 1_000 + n }, call: 'touch', of: ACCOUNTS },
      { ask: { ...holding(job ?? {}), work }, call: 'renew', of: JOBS },
      { ask: { ...holding(piece), work: { progress: n } }, call: 'renew', of: PIECES },
      {
        ask: { holder: 'witness', lane: [TENANT_A], limit: 1, now: at(9e9) },
        call: 'lease',
        of: JOBS,
      },
      { ask: { ...holding(job ?? {}), isTried: n % 2 === 0 }, call: 'giveBack', of: JOBS },
      { ask: { key: third, work: { log: [`${n}`] } }, call: 'saveWork', of: JOBS },
      { ask: { now: PURGE_NOW }, call: 'purge', of: DELIVERIES },
      { ask: { ...holding(piece), isTried: true }, call: 'giveBack', of: PIECES },
    ];
    const ask = asks[n % asks.length];
    assert(ask !== undefined);
    return ask;
  }

  /** Where the group can have come among the answers; -1 is nowhere. */
  async explained(): Promise<readonly number[]> {
    const seen = await viewOf(this.#tables);
    const places: number[] = [];
    for (let place = -1; place <= this.#entries.length; place++) {
      if (await this.#fits(place, seen)) places.push(place);
    }
    return places;
  }

  async #fits(place: number, seen: unknown): Promise<boolean> {
    const model: ModelTables = createModelTables(CRASH_TABLES);
    assert.equal(model.apply(TENANT_A, BEFORE), undefined);
    await leaseBefore(model.tables);
    for (const [index, entry] of this.#entries.entries()) {
      if (index === place) assert.equal(model.apply(TENANT_A, CHANGES), undefined);
      if (!isDeepStrictEqual(await answerOf(model.tables, entry), entry.answer)) return false;
    }
    if (place === this.#entries.length) model.apply(TENANT_A, CHANGES);
    return isDeepStrictEqual(await viewOf(model.tables), seen);
  }
}

async function answerOf(
  tables: Tables,
  { ask, call, of }: Omit<Entry, 'answer'>,
): Promise<unknown> {
  if (call === 'insertMissing') return tables.insertMissing(of.table, ask.records as never);
  if (call === 'purge') return tables.purge(of.table, at(Number(ask.now)));
  if (call === 'touch') return tables.touch(of.table, ask.key as never, Number(ask.value));
  const method = tables[call] as (table: AnyTable, asked: unknown) => Promise<unknown>;
  return method.call(tables, of.table, ask);
}

const entriesOf = (one: object) => Object.entries(one).toSorted();

/** Everything that is stored, and in whose hands it is. */
async function viewOf(tables: Tables): Promise<unknown> {
  // How far a stamp grows is the store's own affair.
  const view: unknown[] = [(await tables.stamp('synthetic_receipts')) > 0];
  for (const { spec, table } of CASES) {
    const { records } = await tables.page(table, { index: 'key', limit: 100 });
    view.push(records.map(entriesOf));
    if (spec.isPlaced) {
      const placed = await tables.page(table, { equal: {}, index: 'placed', limit: 100 });
      view.push(placed.records.map(entriesOf));
    }
    if (spec.leased === undefined) continue;
    const held = await tables.held(table, { limit: 100 });
    view.push(held.map(({ lease }) => lease));
  }
  return view;
}
