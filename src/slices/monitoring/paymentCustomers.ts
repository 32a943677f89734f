/**
 * Whose payments the alert of a listed party is about, all of them. Matches are only ever added, so
 * a process reads each once, and goes on behind those that it knows.
 */
import { DomainError, type TenantId } from '#core/kernel';
import { subjectKeyOfRef } from '#slices/screening';
import type { OpenLog } from './logMeans.ts';
import { opened } from './readLog.ts';
import { requireAsSigned } from './segmentEvidence.ts';
import { type TransactionMatch, transactionLogTable, transactionMatchTable } from './tables.ts';

/** Customers of the payments of one screening. */
export interface FoundCustomers {
  /** By `subjectKeyOfRef`. */
  readonly keys: ReadonlySet<string>;
  /** Whether all of them are what was logged; one that is not names nobody. */
  readonly isWhole: boolean;
}

interface Known {
  readonly keys: Set<string>;
  /** The last number that was read. */
  upTo: number;
}

const PAGE = 1_000;
/** Customers that a process remembers, of all screenings together. */
const KEYS_MAX = 1_000_000;

/** One for a process. */
export class PaymentCustomers {
  readonly #log: OpenLog;
  readonly #keysMax: number;
  readonly #known = new Map<string, Known>();
  #size = 0;

  constructor(log: OpenLog, keysMax = KEYS_MAX) {
    this.#log = log;
    this.#keysMax = keysMax;
  }

  async of(ask: {
    readonly tenantId: TenantId;
    readonly screeningId: string;
  }): Promise<FoundCustomers> {
    const { screeningId, tenantId } = ask;
    const name = `${tenantId}/${screeningId}`;
    const known = this.#known.get(name) ?? { keys: new Set<string>(), upTo: 0 };
    let isWhole = true;
    // Numbers are never negative, and the first is 1.
    for (let from = known.upTo + 1; ; ) {
      const { records } = await this.#log.tables.page(transactionMatchTable, {
        equal: { screeningId, tenantId },
        from,
        index: 'key',
        limit: PAGE,
      });
      const customers = await this.#customersOf(tenantId, records);
      for (const one of customers) if (one) known.keys.add(one);
      if (customers.includes(undefined)) isWhole = false;
      const last = records.at(-1);
      if (last !== undefined) from = last.tseq + 1;
      // What was altered is looked at again each time: it may be put right.
      if (isWhole) known.upTo = from - 1;
      if (records.length < PAGE) break;
    }
    this.#remember(name, known);
    return { isWhole, keys: known.keys };
  }

  #remember(name: string, known: Known): void {
    this.#size -= this.#known.get(name)?.keys.size ?? 0;
    this.#known.delete(name);
    this.#known.set(name, known);
    this.#size = [...this.#known.values()].reduce((sum, { keys }) => sum + keys.size, 0);
    for (const [oldest, { keys }] of this.#known) {
      if (this.#size <= this.#keysMax || oldest === name) break;
      this.#known.delete(oldest);
      this.#size -= keys.size;
    }
  }

  /** The customer of each match; '' where it has none; undefined where it was altered. */
  async #customersOf(
    tenantId: TenantId,
    matches: readonly TransactionMatch[],
  ): Promise<readonly (string | undefined)[]> {
    const keys = matches.map(({ tseq }) => ({ tenantId, tseq }));
    const rows =
      keys.length === 0 ? [] : await this.#log.tables.findMany(transactionLogTable, keys);
    const byNumber = new Map(rows.map((row) => [row.tseq, row]));
    const segments = new Map<number, boolean>();
    const found: (string | undefined)[] = [];
    for (const { screeningId, tseq, txId } of matches) {
      const row = byNumber.get(tseq);
      const isOfIt = row?.parties?.some((party) => party.screeningId === screeningId);
      if (row === undefined || row.txId !== txId || isOfIt !== true) {
        found.push(undefined);
        continue;
      }
      const [first] = row.segment;
      const isSigned = segments.get(first) ?? (await isRight(requireAsSigned(this.#log, row)));
      segments.set(first, isSigned);
      const [shown] = isSigned ? await unlessAltered(opened(this.#log, [row])) : [];
      const customer = shown?.transaction?.customer_id;
      const key = customer === undefined ? '' : subjectKeyOfRef(tenantId, customer);
      found.push(shown === undefined ? undefined : key);
    }
    return found;
  }
}

const isRight = async (work: Promise<void>): Promise<boolean> =>
  (await unlessAltered(work.then(() => [true])))[0] === true;

async function unlessAltered<Read>(work: Promise<readonly Read[]>): Promise<readonly Read[]> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof DomainError && ALTERED.has(error.code)) return [];
    throw error;
  }
}

const ALTERED: ReadonlySet<string> = new Set(['blob-damaged', 'evidence-altered']);
