/**
 * What the caller is advised to do with each payment: hold it, look at it, or let it pass, by what
 * was found of its parties and what rules say. We advise; the caller holds the payment.
 */

import type { Tables, TenantId } from '#core/kernel';
import { alertIdOf } from '#slices/alerts';
import { ADVICE, type Advice, type EvaluateTransactions, type PartyVerdict } from './ports.ts';
import { requireAsSigned, type SegmentPorts } from './segmentEvidence.ts';
import { type LoggedTransaction, transactionLogTable, transactionStateTable } from './tables.ts';

/** A transaction of the log, as far as advice needs it. */
export type TakenRow = Pick<LoggedTransaction, 'parties' | 'tseq' | 'txId'>;

/** What is said of one transaction. */
export interface AdvisedTransaction {
  readonly txId: string;
  readonly tseq: number;
  readonly decision: Advice;
  readonly alerts: readonly string[];
  /** Parties that are not CLEAR. */
  readonly parties: readonly PartyVerdict[];
}

/** What advice is made of. */
export interface AdvicePorts extends SegmentPorts {
  readonly tables: Pick<Tables, 'findMany' | 'page'>;
  readonly evaluate: EvaluateTransactions;
  /** Whether an alert is raised for a party of this verdict. */
  readonly isAlerted: (tenantId: TenantId) => Promise<(decision: string) => boolean>;
}

/** Whom it is about, and how long there is. */
export interface AdviceAsk {
  readonly tenantId: TenantId;
  /** Ids of the body in their order; those that are not in the log are left out. */
  readonly txIds: readonly string[];
  /** Rows that this body has written: nobody else had a hand in them. */
  readonly own: readonly TakenRow[];
  readonly waitMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Runs of numbers that rules are asked about for one body; one of known payments may have many. */
const RUNS_MAX = 20;
/** Segments that are compared with the chain for one body: each is read whole. */
const SEGMENTS_MAX = 20;

/** Undefined where that is not known in time, or takes too much. Throws `evidence-altered`. */
export async function adviseOn(
  ports: AdvicePorts,
  ask: AdviceAsk,
): Promise<readonly AdvisedTransaction[] | undefined> {
  const rows = await rowsOf(ports, ask);
  if (rows === undefined) return undefined;
  const runs = runsOf(rows.map(({ tseq }) => tseq));
  if (runs.length > RUNS_MAX) return undefined;
  const { signal, tenantId, waitMs } = ask;
  const said = await Promise.all(
    runs.map(([tseqFrom, tseqTo]) =>
      ports.evaluate({ signal, tenantId, tseqFrom, tseqTo, waitMs }),
    ),
  );
  if (said.includes(undefined)) return undefined;
  const byRules = new Map(said.flatMap((one) => one ?? []).map((one) => [one.tseq, one]));
  const isAlerted = await ports.isAlerted(tenantId);
  return rows.map(({ parties = [], tseq, txId }) => {
    const rules = byRules.get(tseq);
    const alerts = parties.flatMap(({ decision, screeningId }) =>
      screeningId !== undefined && isAlerted(decision)
        ? [alertIdOf(tenantId, { kind: 'screening', screeningId })]
        : [],
    );
    return {
      alerts: [...new Set([...alerts, ...(rules?.alerts ?? [])])],
      decision: mostSevere([screeningAdvice(parties), rules?.decision ?? 'pass']),
      parties: parties.filter(({ decision }) => decision !== 'CLEAR'),
      tseq,
      txId,
    };
  });
}

/** A listed party is held; whoever may be one, or is related or exposed, is looked at. */
export function screeningAdvice(parties: readonly PartyVerdict[]): Advice {
  return mostSevere(
    parties.map(({ decision }): Advice => {
      if (decision === 'MATCH_DIRECT_SANCTIONS') return 'block';
      return decision === 'CLEAR' || decision === 'UNSCREENED' ? 'pass' : 'review';
    }),
  );
}

const mostSevere = (advice: readonly Advice[]): Advice =>
  advice.reduce<Advice>(
    (one, other) => (ADVICE.indexOf(other) > ADVICE.indexOf(one) ? other : one),
    'pass',
  );

async function rowsOf(
  ports: AdvicePorts,
  { own, tenantId, txIds }: AdviceAsk,
): Promise<readonly TakenRow[] | undefined> {
  const known = new Map(own.map((row) => [row.txId, row]));
  const others = [...new Set(txIds)].filter((txId) => !known.has(txId));
  const stored = await storedRows(ports, tenantId, others);
  if (stored === undefined) return undefined;
  for (const row of stored) known.set(row.txId, row);
  return [...new Set(txIds)].flatMap((txId) => known.get(txId) ?? []);
}

/** Rows that were taken before, compared with the chain segment by segment; undefined: too many. */
async function storedRows(
  ports: AdvicePorts,
  tenantId: TenantId,
  txIds: readonly string[],
): Promise<readonly LoggedTransaction[] | undefined> {
  if (txIds.length === 0) return [];
  const keys = txIds.map((txId) => ({ tenantId, txId }));
  const states = await ports.tables.findMany(transactionStateTable, keys);
  if (states.length === 0) return [];
  const rows = await ports.tables.findMany(
    transactionLogTable,
    states.map(({ tseq }) => ({ tenantId, tseq })),
  );
  const segments = new Map(rows.map((row) => [row.segment[0], row]));
  if (segments.size > SEGMENTS_MAX) return undefined;
  for (const row of segments.values()) await requireAsSigned(ports, row);
  return rows;
}

/** Numbers that follow each other, as first and last. */
function runsOf(tseqs: readonly number[]): readonly (readonly [number, number])[] {
  const runs: [number, number][] = [];
  for (const tseq of tseqs.toSorted((one, other) => one - other)) {
    const last = runs.at(-1);
    if (last !== undefined && tseq === last[1] + 1) last[1] = tseq;
    else runs.push([tseq, tseq]);
  }
  return runs;
}
