/** Made-up transactions as rules see them, and engines over rules without a store. */
import { createHash } from 'node:crypto';
import type { TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { alertIdOf } from '#slices/alerts';
import type { PartyVerdict, Transaction } from '#slices/monitoring';
import { planRules } from '../../../src/slices/rules/compileRule.ts';
import { type Entry, type EntryContext, entryOf } from '../../../src/slices/rules/entry.ts';
import { alertBytes, type RuleAlert } from '../../../src/slices/rules/ruleAlert.ts';
import { causeOf } from '../../../src/slices/rules/ruleAlertCause.ts';
import { RuleEngine } from '../../../src/slices/rules/ruleEngine.ts';
import type { Rule } from '../../../src/slices/rules/ruleLanguage.ts';

export const TENANT = '0190aaaa-0000-7000-8000-00000000000a' as TenantId;
export const START = Date.UTC(2026, 0, 10, 9);
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** One dollar is .9 euro, a yen .006; of other currencies nobody knows a rate. */
const RATES: Readonly<Record<string, readonly [n: bigint, d: bigint, exponent: number]>> = {
  EUR: [1n, 1n, 2],
  JPY: [6n, 1_000n, 0],
  TND: [3n, 10n, 3],
  USD: [9n, 10n, 2],
};
const EXPONENTS: Readonly<Record<string, number>> = { EUR: 2, JPY: 0, TND: 3, USD: 2, XAF: 0 };

/** Minor units of the euro, half to even. */
function toEuro(amount: string, currency: string): bigint | undefined {
  const rate = RATES[currency];
  if (rate === undefined) return undefined;
  const [n, d, exponent] = rate;
  const scaled = BigInt(amount.replace('.', '')) * n * 100n;
  const by = d * 10n ** BigInt(exponent);
  const [whole, rest] = [scaled / by, (scaled % by) * 2n];
  return rest > by || (rest === by && whole % 2n === 1n) ? whole + 1n : whole;
}

export const CONTEXT: EntryContext = {
  exponentOf: (currency) => EXPONENTS[currency],
  factsOf: (customerId) =>
    customerId.startsWith('VIP') ? { openedAt: '2026-01-01', riskTier: 'very_high' } : undefined,
  toBase: ({ amount, currency }) => toEuro(amount, currency),
};

/** What a test says of a transaction; the rest is as of a cash credit of ten euro. */
export interface Given extends Partial<Transaction> {
  /** Milliseconds after START. */
  readonly after?: number;
  readonly verdicts?: readonly string[];
  readonly to?: string;
}

export function entry(tseq: number, given: Given = {}): Entry {
  const { after = tseq * HOUR_MS, to, verdicts = [], ...members } = given;
  const direction = members.direction ?? 'credit';
  const other = to === undefined ? {} : { account: { other: to }, name: `Party ${to}` };
  const transaction: Transaction = {
    account_id: 'A-1',
    amount: '10.00',
    channel: 'cash',
    currency: 'EUR',
    direction,
    occurred_at: new Date(START + after).toISOString(),
    precision: 'ms',
    tx_id: `T-${tseq}`,
    ...(to !== undefined && (direction === 'debit' ? { creditor: other } : { debtor: other })),
    ...members,
  };
  return entryOf(
    {
      parties: verdicts.map((decision) => ({ decision, role: 'debtor' }) as PartyVerdict),
      receivedAt: (START + after + 1_000) as EpochMs,
      tseq,
      txId: transaction.tx_id,
    },
    transaction,
    CONTEXT,
  );
}

/** The same transaction for another engine: windows are an engine's own. */
export const copyOf = ({ reversedFrom: _, ...one }: Entry): Entry => ({ ...one, series: {} });

export const keyOf = (kind: string, id: string): string =>
  createHash('sha256').update(`${kind}\0${id}`).digest('hex');

export function openEngine(rules: readonly Rule[], zone = 'UTC'): RuleEngine {
  return new RuleEngine({
    baseCurrency: 'EUR',
    keyOf,
    plan: planRules(
      rules.map((rule) => ({ mode: 'live', rule, version: 1 })),
      2,
    ),
    zone,
  });
}

export const idOf = (alert: RuleAlert): string => alertIdOf(TENANT, causeOf(alert));

/** Alerts that hold, by id, as bytes. */
export const bytesOf = (engine: RuleEngine): ReadonlyMap<string, string> =>
  new Map(
    [...engine.alerts.values()]
      .filter(({ holds }) => holds)
      .map((alert) => [idOf(alert), alertBytes(alert)] as const)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );

/** Numbers of the transactions that met a rule, by alert. */
export const triggersOf = (engine: RuleEngine): ReadonlyMap<string, readonly number[]> =>
  new Map(
    [...engine.alerts.values()]
      .filter(({ holds }) => holds)
      .map((alert) => [idOf(alert), alert.triggers.map(({ tseq }) => tseq)]),
  );

const WORDS = { ar: 'قاعدة', en: 'Rule', fr: 'Règle' };

/** A rule of one aggregate and one bound. */
export const ruleOf = (given: Partial<Rule> = {}): Rule => ({
  explain: WORDS,
  format: 'tm-rule-v1',
  let: { figure: { agg: 'count', window: { sliding: 'P1D' } } },
  name: WORDS,
  params: {},
  rule_id: 'TEST-1',
  score: '0.5',
  severity: 'Medium',
  subject: 'account',
  suppress: 'P1D',
  typologies: ['test'],
  when: { gte: ['let.figure', 1] },
  ...given,
});
