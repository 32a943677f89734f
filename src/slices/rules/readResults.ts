/** What came of transactions, and of whom an alert is: read from what was committed. */
import { type Looked, lookSettled, type SettlingAudit, type SignedRecords } from '#core/audit';
import { chainOf, DomainError, type Tables, type TenantId } from '#core/kernel';
import { type EpochMs, toTimestamp } from '#platform/clock';
import type { AlertSubject, RuleAlertSubject } from '#slices/alerts';
import type { EvaluatedTransaction, RuleAlertOf, ShownTransaction } from '#slices/monitoring';
import type { Explanation } from './explainAlert.ts';
import { lastTrigger } from './ruleAlert.ts';
import { signedAlert } from './signedPosition.ts';
import { type ResultPorts, resultRefusal } from './signedResults.ts';
import { rulePositionTable, ruleResultTable } from './tables.ts';

/** Results that are read for one answer. */
const RESULTS_MAX = 1_000;

interface Range {
  readonly tenantId: TenantId;
  readonly tseqFrom: number;
  readonly tseqTo: number;
}

/** What results are read with. */
export interface ResultReadPorts extends ResultPorts {
  readonly audit: ResultPorts['audit'] & SettlingAudit;
  readonly tables: Pick<Tables, 'find' | 'page'>;
}

/**
 * What came of these numbers, compared with the chain; undefined where they are not all evaluated
 * yet, or so long ago that nobody keeps it. Throws `evidence-altered`.
 */
export async function evaluatedBetween(
  ports: ResultReadPorts,
  of: Range,
): Promise<readonly EvaluatedTransaction[] | undefined> {
  const { tenantId, tseqTo } = of;
  const position = await ports.tables.find(rulePositionTable, { shard: 0, tenantId });
  if (position === undefined || position.tseq < tseqTo) return undefined;
  const { found, refusal } = await lookSettled(ports.audit, () => lookAt(ports, of));
  if (refusal === undefined) return found;
  throw new DomainError('evidence-altered', { detail: `results of rules: ${refusal}` });
}

async function lookAt(
  ports: ResultReadPorts,
  { tenantId, tseqFrom, tseqTo }: Range,
): Promise<Looked<readonly EvaluatedTransaction[] | undefined>> {
  const chainId = chainOf(tenantId);
  // The part that holds the first number begins at or before it.
  const { records } = await ports.tables.page(ruleResultTable, {
    direction: 'descending',
    equal: { tenantId },
    index: 'key',
    limit: RESULTS_MAX,
    to: tseqTo + 1,
  });
  const hits = new Map<number, EvaluatedTransaction>();
  // The parts follow each other: a row that is gone would let its transactions pass.
  let next = tseqTo;
  for (const result of records) {
    if (next < tseqFrom) break;
    const { hits: found, tseqFrom: first, tseqTo: last } = result;
    const place = `transactions ${first} to ${last}`;
    if (last < next) {
      return { chainId, found: undefined, refusal: `transaction ${next}: it is gone` };
    }
    const refusal = await resultRefusal(ports, result);
    if (refusal !== undefined) {
      return { chainId, found: undefined, refusal: `${place}: ${refusal}` };
    }
    for (const [tseq, decision, alerts] of found) hits.set(tseq, { alerts, decision, tseq });
    next = first - 1;
  }
  // Nothing is said of what is older than results are kept.
  if (next >= tseqFrom) return { chainId, found: undefined, refusal: undefined };
  const all = Array.from({ length: tseqTo - tseqFrom + 1 }, (_, at): EvaluatedTransaction => {
    const tseq = tseqFrom + at;
    return hits.get(tseq) ?? { alerts: [], decision: 'pass', tseq };
  });
  return { chainId, found: all, refusal: undefined };
}

/** What the subject of an alert is read with. */
export interface SubjectPorts {
  /** Compares alerts with their last entries (signedPosition.ts). */
  readonly signedPositions: SignedRecords;
  readonly tables: Pick<Tables, 'find'>;
  readonly find: (of: {
    readonly tenantId: TenantId;
    readonly txId: string;
  }) => Promise<ShownTransaction>;
}

/** The subject of an alert of a rule, and its explanation. Throws `evidence-altered`. */
export const alertSubject =
  ({ find, ...ports }: SubjectPorts): RuleAlertSubject =>
  async ({ alertId, tenantId }, isWhole) => {
    const stored = await signedAlert(ports, { alertId, tenantId });
    // A storm has no subject of its own: it stands for alerts of many.
    if (stored === undefined) return { hits: [], isErased: false };
    const { explanation, subject } = stored.alert;
    const rule = {
      explanation: {
        conditions: explanation.conditions,
        holds: stored.alert.holds,
        text: explanation.text,
      },
      isLate: stored.isLate === true,
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

/** Left open, right closed. */
const presentWindow = ({ from, to }: NonNullable<Explanation['window']>) => ({
  from: toTimestamp(from as EpochMs),
  to: toTimestamp(to as EpochMs),
});

const NAMED_MAX = 100;
const CURRENCY = /^[A-Z]{3}$/;

/** Ids and figures of an alert, for customers' systems; undefined where no rule raised it. */
export const alertFacts =
  ({ find, ...ports }: SubjectPorts): RuleAlertOf =>
  async ({ alertId, tenantId }) => {
    const stored = await signedAlert(ports, { alertId, tenantId });
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
      window: explanation.window === undefined ? null : presentWindow(explanation.window),
    };
  };
