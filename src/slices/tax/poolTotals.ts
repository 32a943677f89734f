/** Accounts of recalcitrant holders, which are reported in pools: how many, and their balance. */
import type { ReportedAccount } from './account.ts';
import type { ReportFinding } from './reportRules.ts';
import type { PoolTotal } from './reportXml.ts';

interface Total {
  count: number;
  cents: bigint;
  readonly currency: string;
}

const MODEL_1 = 'model_1';

/** Adds accounts up by pool, as they are met. */
export class PoolTotals {
  readonly findings: ReportFinding[] = [];
  readonly #igaModel: string;
  readonly #totals = new Map<string, Total>();

  constructor(igaModel: string) {
    this.#igaModel = igaModel;
  }

  /** Whether the account is of a pool; under Model 1 there is none. */
  add({ account_ref: accountRef, balance, fatca }: ReportedAccount): boolean {
    const type = fatca?.pool_type;
    if (type === undefined) return false;
    const total = this.#totals.get(type) ?? { cents: 0n, count: 0, currency: balance.currency };
    this.#totals.set(type, total);
    total.count += 1;
    total.cents += BigInt(balance.amount.replace('.', ''));
    const fault = {
      accountRef,
      code: 'fatca-pool',
      pointer: '/fatca/pool_type',
      severity: 'error',
    } as const;
    if (this.#igaModel === MODEL_1) {
      this.findings.push({ ...fault, detail: 'expected no pool under Model 1' });
    } else if (total.currency !== balance.currency) {
      this.findings.push({ ...fault, detail: `expected ${total.currency}, as the pool has` });
    }
    return true;
  }

  /** By type, in order. */
  get all(): readonly PoolTotal[] {
    return [...this.#totals]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([type, { cents, count, currency }]) => ({
        balance: `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`,
        count,
        currency,
        type,
      }));
  }
}
