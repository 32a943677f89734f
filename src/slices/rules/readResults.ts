/** What came of transactions, and of whom an alert is: read from what was committed. */
import { DomainError, type Tables, type TenantId } from '#core/kernel';
import type { AlertSubject, RuleAlertSubject } from '#slices/alerts';
import type { EvaluatedTransaction, RuleAlertOf, ShownTransaction } from '#slices/monitoring';
import { lastTrigger } from './ruleAlert.ts';
import { ruleAlertTable, rulePositionTable, ruleResultTable } from './tables.ts';

/** Results that are read for one answer. */
const RESULTS_MAX = 1_000;

/**
 * What came of these numbers; undefined where they are not all evaluated yet, or what came of some
 * is gone: silence of a row that is not there is no advice to let a payment pass.
 */
export async function evaluatedBetween(
  { tables }: { readonly tables: Pick<Tables, 'find' | 'page'> },
  of: { readonly tenantId: TenantId; readonly tseqFrom: number; readonly tseqTo: number },
): Promise<readonly EvaluatedTransaction[] | undefined> {
  const { tenantId, tseqFrom, tseqTo } = of;
  const position = await tables.find(rulePositionTable, { shard: 0, tenantId });
  if (position === undefined || position.tseq < tseqTo) return undefined;
  // The part that holds the first number begins at or before it.
  const { records } = await tables.page(ruleResultTable, {
    direction: 'descending',
    equal: { tenantId },
    index: 'key',
    limit: RESULTS_MAX,
    to: tseqTo + 1,
  });
  const hits = new Map<number, EvaluatedTransaction>();
  let known = tseqTo + 1;
  for (const { hits: found, tseqFrom: first, tseqTo: last } of records) {
    if (known <= tseqFrom || last + 1 < known) break;
    known = first;
    for (const [tseq, decision, alerts] of found) hits.set(tseq, { alerts, decision, tseq });
  }
  if (known > tseqFrom) return undefined;
  return Array.from({ length: tseqTo - tseqFrom + 1 }, (_, at) => {
    const tseq = tseqFrom + at;
    return hits.get(tseq) ?? { alerts: [], decision: 'pass', tseq };
  });
}

/** What the subject of an alert is read with. */
export interface SubjectPorts {
  readonly tables: Pick<Tables, 'find'>;
  readonly find: (of: {
    readonly tenantId: TenantId;
    readonly txId: string;
  }) => Promise<ShownTransaction>;
}

/** The subject of an alert of a rule, and its explanation. */
export const alertSubject =
  ({ find, tables }: SubjectPorts): RuleAlertSubject =>
  async ({ alertId, tenantId }, isWhole) => {
    const stored = await tables.find(ruleAlertTable, { alertId, tenantId });
    // A storm has no subject of its own: it stands for alerts of many.
    if (stored === undefined) return { hits: [], isErased: false };
    const { explanation, subject } = stored.alert;
    const rule = {
      explanation: {
        conditions: explanation.conditions,
        holds: stored.alert.holds,
        text: explanation.text,
      },
      isLate: false,
      subjectKind: subject.kind,
    };
    const last = lastTrigger(stored.alert);
    if (!isWhole || last === undefined) return { hits: [], isErased: false, rule };
    return withParties(await find({ tenantId, txId: last.txId }).catch(unknownAsGone), rule);
  };

/** A transaction that the log does not know any more. */
function unknownAsGone(error: unknown): undefined {
  if (error instanceof DomainError && error.code === 'transaction-unknown') return undefined;
  throw error;
}

function withParties(
  shown: ShownTransaction | undefined,
  rule: NonNullable<AlertSubject['rule']>,
): AlertSubject {
  const transaction = shown?.transaction;
  if (transaction === undefined) return { hits: [], isErased: true, rule };
  const own = transaction.direction === 'debit' ? transaction.debtor : transaction.creditor;
  const other = transaction.direction === 'debit' ? transaction.creditor : transaction.debtor;
  const name = rule.subjectKind === 'counterparty' ? other?.name : own?.name;
  return {
    externalId: transaction.account_id,
    hits: [],
    isErased: false,
    ...(name !== undefined && { names: [name] }),
    rule: {
      ...rule,
      accountId: transaction.account_id,
      ...(transaction.customer_id !== undefined && { customerId: transaction.customer_id }),
    },
  };
}

const NAMED_MAX = 100;
const CURRENCY = /^[A-Z]{3}$/;

/** Ids and figures of an alert, for customers' systems; undefined where no rule raised it. */
export const alertFacts =
  ({ find, tables }: SubjectPorts): RuleAlertOf =>
  async ({ alertId, tenantId }) => {
    const stored = await tables.find(ruleAlertTable, { alertId, tenantId });
    if (stored === undefined) return undefined;
    const { explanation, triggers } = stored.alert;
    const last = lastTrigger(stored.alert);
    const shown =
      last === undefined
        ? undefined
        : await find({ tenantId, txId: last.txId }).catch(unknownAsGone);
    const { aggregate } = explanation;
    return {
      account_id: shown?.transaction?.account_id ?? null,
      aggregate_value:
        aggregate !== undefined && CURRENCY.test(aggregate.unit)
          ? { amount: aggregate.value, currency: aggregate.unit }
          : null,
      rule_version: last?.version ?? 1,
      triggering_tx_ids: triggers.slice(0, NAMED_MAX).map(({ txId }) => txId),
      window: null,
    };
  };
