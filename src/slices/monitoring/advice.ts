/**
 * What the caller is advised to do with each payment: hold it, look at it, or let it pass, by what
 * was found of its parties and what rules say. We advise; the caller holds the payment.
 */

import type { Tables, TenantId } from '#core/kernel';
import { alertIdOf } from '#slices/alerts';
import {
  ADVICE,
  type Advice,
  type EvaluatedTransaction,
  type EvaluateTransactions,
  type PartyVerdict,
} from './ports.ts';
import { requireAsSigned, type SegmentPorts } from './segmentEvidence.ts';
import { type LoggedTransaction, transactionLogTable, transactionStateTable } from './tables.ts';
import { TEXT_ROLES } from './transaction.ts';

/** A transaction of the log, as far as advice needs it. */
export type TakenRow = Pick<LoggedTransaction, 'parties' | 'tseq' | 'txId'>;

/** What an advice was made of. */
export const DECIDED_BY = ['screening', 'rules'] as const;
/** One of DECIDED_BY. */
export type DecidedBy = (typeof DECIDED_BY)[number];

/** What is said of the transactions of one body. */
export interface Advised {
  /** Those that are decided, in the order of the body. */
  readonly results: readonly AdvisedTransaction[];
  /** Whether all are. */
  readonly isWhole: boolean;
}

/** What is said of one transaction. */
export interface AdvisedTransaction {
  readonly txId: string;
  readonly tseq: number;
  readonly decision: Advice;
  /** Without rules where screening alone says the most severe: they can add alerts, no more. */
  readonly decidedBy: readonly DecidedBy[];
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

/**
 * What screening makes the most severe is final, and no rule is waited for. Of the others rules are
 * asked, and those of which they do not say in time are left out; all are, where to compare them
 * with the chain takes too much. Throws `evidence-altered`.
 */
export async function adviseOn(ports: AdvicePorts, ask: AdviceAsk): Promise<Advised> {
  const rows = await rowsOf(ports, ask);
  if (rows === undefined) return { isWhole: false, results: [] };
  // Where all is final, only what rules have said already is told, too.
  const waitMs = rows.every(isFinal) ? 0 : ask.waitMs;
  const said = await saidBy(ports, { ...ask, waitMs }, rows);
  const isAlerted = await ports.isAlerted(ask.tenantId);
  const results = rows.flatMap((row): AdvisedTransaction[] => {
    const { parties = [], tseq, txId } = row;
    if (!said.has(tseq) && !isFinal(row)) return [];
    const rules = said.get(tseq);
    const alerts = parties.flatMap(({ decision, screeningId }) =>
      screeningId !== undefined && isAlerted(decision)
        ? [alertIdOf(ask.tenantId, { kind: 'screening', screeningId })]
        : [],
    );
    return [
      {
        alerts: [...new Set([...alerts, ...(rules?.alerts ?? [])])],
        decidedBy: rules === undefined ? ['screening'] : DECIDED_BY,
        decision: mostSevere([screeningAdvice(parties), rules?.decision ?? 'pass']),
        parties: parties.filter(({ decision }) => decision !== 'CLEAR'),
        tseq,
        txId,
      },
    ];
  });
  return { isWhole: results.length === rows.length, results };
}

const isFinal = ({ parties = [] }: TakenRow): boolean => screeningAdvice(parties) === ADVICE.at(-1);

/**
 * By number, for those of which rules have said all: undefined where there are no rules. Empty
 * where there are more runs than one body may ask for.
 */
async function saidBy(
  { evaluate }: AdvicePorts,
  { signal, tenantId, waitMs }: AdviceAsk,
  rows: readonly TakenRow[],
): Promise<ReadonlyMap<number, EvaluatedTransaction | undefined>> {
  const runs = runsOf(rows.map(({ tseq }) => tseq));
  if (runs.length > RUNS_MAX) return new Map();
  const said = await Promise.all(
    runs.map(async ([tseqFrom, tseqTo]) => {
      const found = await evaluate({ signal, tenantId, tseqFrom, tseqTo, waitMs });
      if (found === undefined) return [];
      const byNumber = new Map(found.map((one) => [one.tseq, one]));
      const asked = rows.filter(({ tseq }) => tseq >= tseqFrom && tseq <= tseqTo);
      return asked.map(({ tseq }) => [tseq, byNumber.get(tseq)] as const);
    }),
  );
  return new Map(said.flat());
}

const TEXTS: ReadonlySet<string> = new Set(TEXT_ROLES);

/** A listed party is held; whoever may be one, or is related or exposed, is looked at. */
export function screeningAdvice(parties: readonly PartyVerdict[]): Advice {
  return mostSevere(
    parties.map(({ decision, role }): Advice => {
      // Who is named in a text need not be a party of the payment.
      const isParty = !TEXTS.has(role);
      if (decision === 'MATCH_DIRECT_SANCTIONS' && isParty) return 'block';
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
