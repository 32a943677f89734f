/**
 * A version upon transactions that the caller gives, in memory and without a trace: what it says of
 * each, comparison by comparison.
 */
import type { Violation } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { exponentOf, type RatesTable, type Transaction } from '#slices/monitoring';
import { planRules } from './compileRule.ts';
import { entryOf } from './entry.ts';
import { type Explanation, explain } from './explainAlert.ts';
import { contextOf } from './readEntries.ts';
import { RuleEngine } from './ruleEngine.ts';
import type { Rule } from './ruleLanguage.ts';

/** Transactions, the rule, and what else it is run with. */
export interface DryRunAsk {
  readonly rule: Rule;
  readonly version: number;
  readonly transactions: readonly Transaction[];
  readonly baseCurrency: string;
  readonly zone: string;
  readonly rates: RatesTable | undefined;
}

/** What the rule says of one of them. */
export interface DryRunResult {
  readonly tx_id: string;
  readonly in_scope: boolean;
  readonly met: boolean | null;
  readonly not_evaluated: readonly string[];
  readonly explanation: Explanation | null;
}

/** In the order of events; the places of transactions are their numbers, from 1. */
export function dryRun(ask: DryRunAsk): readonly DryRunResult[] {
  const { baseCurrency, rates, rule, transactions, version, zone } = ask;
  const engine = new RuleEngine({
    baseCurrency,
    keyOf: (kind, id) => `${kind}:${id}`,
    plan: planRules([{ mode: 'live', rule, version }], exponentOf(baseCurrency) ?? 2),
    zone,
  });
  const context = contextOf(baseCurrency, { facts: new Map(), table: rates });
  const entries = transactions.map((transaction, at) =>
    entryOf(
      {
        parties: [],
        receivedAt: Date.parse(transaction.occurred_at) as EpochMs,
        tseq: at + 1,
        txId: transaction.tx_id,
      },
      transaction,
      context,
    ),
  );
  engine.take(entries);
  engine.catchUp(Number.MAX_SAFE_INTEGER);
  return engine.entries().map((entry) => {
    const [found] = engine.dryRun(entry);
    return {
      explanation: found === undefined ? null : explain(found.rule, found.of, baseCurrency),
      in_scope: found !== undefined,
      met: found?.verdict.truth ?? null,
      not_evaluated: found?.verdict.unknown ?? [],
      tx_id: entry.txId,
    };
  });
}

/** Violations of a body's transactions, with pointers into the body. */
export const bodyViolations = (
  refusals: readonly {
    readonly index: number;
    readonly pointer: string;
    readonly code: string;
    readonly detail: string;
  }[],
): readonly Violation[] =>
  refusals.map(({ code, detail, index, pointer }) => ({
    code,
    detail,
    pointer: `/transactions/${index}${pointer}`,
  }));
