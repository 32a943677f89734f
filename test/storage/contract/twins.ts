/**
 * A store and the model beside it: each write and each read goes to both, and both must answer the
 * same. So a test says what is to come out, and finds as well where the two differ.
 */
import assert from 'node:assert/strict';
import { expect } from 'vitest';
import {
  type AnyTable,
  type Page,
  type PageAsk,
  type PageCursor,
  PLATFORM_CHAIN,
  type TableChange,
  type Tables,
} from '#core/kernel';
import type { PlainRecord } from '../modelRows.ts';
import { createModelTables, type ModelTables } from '../modelTables.ts';
import type { LooseTable, SampleOf, TableCase } from './sampleRecord.ts';

/** A store as one process sees it. */
export interface TablesStore {
  readonly tables: Tables;
  /** A group of so many events and these changes. Rejects where a change breaks its table. */
  append(
    chainId: string,
    changes: readonly TableChange[],
    events?: number,
  ): Promise<'appended' | number>;
  /** Events of a chain. */
  eventCount(chainId: string): Promise<number>;
  close(): Promise<void>;
}

/** A store's data, empty at first. `open` may be called again: another process on the same data. */
export interface TablesHarness {
  open(): Promise<TablesStore>;
  dispose(): Promise<void>;
}
export type OpenTables = (tables: readonly AnyTable[]) => Promise<TablesHarness>;

/** Both are there, one is stale at this index, or the change breaks its table. */
export type Outcome = 'appended' | 'refused' | number;

export class Twins {
  readonly model: ModelTables;
  readonly store: TablesStore;
  /** Asks both; the answers must be the same. */
  readonly tables: Tables;
  readonly #cursors = new Map<string, PageCursor>();
  readonly #events = new Map<string, number>();
  #salt = 0;

  constructor(store: TablesStore, tables: readonly AnyTable[]) {
    this.model = createModelTables(tables);
    this.store = store;
    this.tables = new Proxy(store.tables, {
      get: (_, name) => this.#both(name as keyof Tables),
    });
  }

  /** A tenant that nobody has used. */
  sample(): SampleOf {
    this.#salt += 1;
    const tail = this.#salt.toString(16).padStart(12, '0');
    return { salt: `${this.#salt}`, tenant: `0190aaaa-0000-7000-8000-${tail}` };
  }

  /** One group to both. Where it is not taken, its events are not there either. */
  async commit(chainId: string, changes: readonly TableChange[], count = 1): Promise<Outcome> {
    const expected = this.#applyToModel(chainId, changes);
    const outcome = await this.store.append(chainId, changes, count).catch((error) => {
      if (expected !== 'refused') throw error;
      return 'refused' as const;
    });
    expect(outcome).toBe(expected);
    const events = (this.#events.get(chainId) ?? 0) + (outcome === 'appended' ? count : 0);
    expect(await this.store.eventCount(chainId)).toBe(events);
    this.#events.set(chainId, events);
    return outcome;
  }

  #applyToModel(chainId: string, changes: readonly TableChange[]): Outcome {
    try {
      return this.model.apply(chainId, changes) ?? 'appended';
    } catch (error) {
      if (error instanceof assert.AssertionError) return 'refused';
      throw error;
    }
  }

  async stamp(name: string): Promise<{ readonly model: number; readonly store: number }> {
    const [model, store] = await Promise.all([
      this.model.tables.stamp(name),
      this.store.tables.stamp(name),
    ]);
    return { model, store };
  }

  #both(name: keyof Tables): unknown {
    if (name === 'page') return (table: LooseTable, ask: PageAsk) => this.#page(table, ask);
    return async (...args: readonly unknown[]) => {
      const held = await answerOf(this.model.tables, name, args);
      const given = await answerOf(this.store.tables, name, args);
      if (given.kind === 'error' && held.kind !== 'error') throw given.error;
      expect(given.kind).toBe(held.kind);
      if (given.kind === 'error' || held.kind === 'error') return Promise.reject(given.error);
      // Numbers of a stamp are the store's own.
      if (name === 'stamp') return given.value;
      const show = name === 'findMany' ? inAnyOrder : (value: unknown) => value;
      expect(show(given.value)).toStrictEqual(show(held.value));
      return given.value;
    };
  }

  /** A cursor is the store's own: where it stands for in the model is remembered. */
  async #page(table: LooseTable, ask: PageAsk): Promise<Page<PlainRecord>> {
    const { after, ...rest } = ask;
    const { equal, in: among, index } = ask;
    const textOf = (cursor: PageCursor) =>
      JSON.stringify([table.name, index, equal, among, cursor]);
    const heldAfter = after && this.#cursors.get(textOf(after));
    const given = await this.store.tables.page(table, ask);
    const held = await this.model.tables.page(table, {
      ...rest,
      ...(after !== undefined && { after: heldAfter ?? after }),
    });
    expect(given.records).toStrictEqual(held.records);
    expect(given.next !== undefined).toBe(held.next !== undefined);
    if (given.next !== undefined && held.next !== undefined)
      this.#cursors.set(textOf(given.next), held.next);
    return given;
  }
}

type Answer =
  | { readonly kind: 'value'; readonly value: unknown; readonly error?: never }
  | { readonly kind: 'error'; readonly error: unknown };

async function answerOf(
  tables: Tables,
  name: keyof Tables,
  args: readonly unknown[],
): Promise<Answer> {
  const method = tables[name] as (...given: readonly unknown[]) => Promise<unknown>;
  try {
    return { kind: 'value', value: await method.apply(tables, [...args]) };
  } catch (error) {
    return { error, kind: 'error' };
  }
}

const inAnyOrder = (value: unknown): readonly string[] =>
  (value as readonly unknown[]).map((record) => JSON.stringify(sorted(record))).sort();

function sorted(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([name, member]) => [name, sorted(member)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The chain in whose commits these records are written. */
export const chainOf = ({ spec: { chain } }: TableCase, { tenant }: SampleOf): string =>
  chain === 'platform' ? PLATFORM_CHAIN : tenant;
