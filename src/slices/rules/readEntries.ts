/** Transactions of the log as rules see them, with the rates and facts that their segments pin. */
import type { TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import {
  type CustomerFacts,
  exponentOf,
  type FactsReader,
  factsAt,
  type RatesReader,
  type RatesTable,
  type StreamedTransaction,
  toBase,
} from '#slices/monitoring';
import { type Entry, type EntryContext, entryOf } from './entry.ts';
import { ratedBy } from './lateRates.ts';

/** Where rates and facts are read. */
export interface EntryPorts {
  readonly facts: FactsReader;
  readonly rates: RatesReader;
}

/** Versions of rates that are kept open. */
const TABLES_MAX = 8;

/** Makes entries of one tenant's transactions. */
export class EntryReader {
  readonly #ports: EntryPorts;
  readonly #tenantId: TenantId;
  readonly #base: string;
  readonly #tables = new Map<number, RatesTable | undefined>();

  constructor(ports: EntryPorts, of: { readonly tenantId: TenantId; readonly base: string }) {
    this.#ports = ports;
    this.#tenantId = of.tenantId;
    this.#base = of.base;
  }

  /**
   * Those of one segment; erased ones are left out. What had no rate is converted by later versions
   * up to this one.
   */
  async read(segment: readonly StreamedTransaction[], ratesUpTo = 0): Promise<readonly Entry[]> {
    const entries = await this.#read(segment);
    const filled = new Map((await this.fill(entries, 0, ratesUpTo)).map((one) => [one.tseq, one]));
    return filled.size === 0 ? entries : entries.map((one) => filled.get(one.tseq) ?? one);
  }

  /** Those that versions after `from` and up to this one know more of, as they then are. */
  async fill(entries: Iterable<Entry>, from: number, upTo: number): Promise<readonly Entry[]> {
    const filled = new Map<number, Entry>();
    const open = new Map<number, Entry>();
    for (const one of entries) if (one.unrated !== undefined) open.set(one.tseq, one);
    const pins = [...open.values()].map(({ unrated }) => unrated?.ratesVersion ?? 0);
    const first =
      Math.max(
        from,
        pins.reduce((one, other) => Math.min(one, other), upTo),
      ) + 1;
    for (let version = first; version <= upTo && open.size > 0; version += 1) {
      const { toBase: convert } = contextOf(this.#base, {
        facts: NO_FACTS,
        table: await this.#rates(version),
      });
      for (const one of [...open.values()]) {
        const rated = ratedBy(one, { toBase: convert, version });
        if (rated === undefined) continue;
        filled.set(one.tseq, rated);
        if (rated.unrated === undefined) open.delete(one.tseq);
        else open.set(one.tseq, rated);
      }
    }
    return [...filled.values()];
  }

  async #read(segment: readonly StreamedTransaction[]): Promise<readonly Entry[]> {
    const [first] = segment;
    if (first === undefined) return [];
    const factsSeq = first.pins?.factsSeq ?? 0;
    const table = await this.#rates(first.pins?.ratesVersion ?? 0);
    const customerIds = [
      ...new Set(segment.flatMap(({ transaction }) => transaction?.customer_id ?? [])),
    ];
    const facts =
      factsSeq === 0 || customerIds.length === 0
        ? new Map<string, readonly CustomerFacts[]>()
        : await this.#ports.facts.of({ customerIds, factsSeq, tenantId: this.#tenantId });
    const context = contextOf(this.#base, { facts, table });
    return segment.flatMap((one) =>
      one.transaction === undefined ? [] : [entryOf(one, one.transaction, context)],
    );
  }

  async #rates(version: number): Promise<RatesTable | undefined> {
    if (this.#tables.has(version)) return this.#tables.get(version);
    const table = await this.#ports.rates.of({ tenantId: this.#tenantId, version });
    this.#tables.set(version, table);
    const [oldest] = this.#tables.keys();
    if (this.#tables.size > TABLES_MAX && oldest !== undefined) this.#tables.delete(oldest);
    return table;
  }
}

const NO_FACTS: ReadonlyMap<string, readonly CustomerFacts[]> = new Map();

/** What entries are made with. */
export const contextOf = (
  base: string,
  {
    facts,
    table,
  }: {
    readonly facts: ReadonlyMap<string, readonly CustomerFacts[]>;
    readonly table: RatesTable | undefined;
  },
): EntryContext => ({
  exponentOf,
  ratesVersion: table?.version ?? 0,
  factsOf: (customerId, at) => {
    const known = facts.get(customerId);
    return known && factsAt(known, at as EpochMs);
  },
  toBase: ({ amount, currency }, date) => {
    return toBase(table, { amount, currency }, { base, date })?.minor;
  },
});
