/**
 * What was found of the parties of a segment, as its rows say it, and the evidence that goes into
 * its commit: whoever was compared for the first time stands on the transaction at which he was,
 * and whoever has hits on a screening of his own.
 */
import type { EventDraft } from '#core/audit';
import type { BusEvent, TableChange, TenantId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import { sha256Hex } from '#platform/crypto';
import type { Random } from '#platform/random';
import {
  completedEvent,
  registerChanges,
  registerRows,
  type ScreenedQuery,
  screeningDraft,
} from '#slices/screening';
import type { PartyVerdict } from './ports.ts';
import { isTold, type PartyOutcome, type ScreenedParty } from './screenParties.ts';
import { type LoggedTransaction, transactionMatchTable } from './tables.ts';
import type { Transaction } from './transaction.ts';

/** Comparisons that are durable: the transaction at which each was made. */
export type FirstSights = ReadonlyMap<PartyOutcome, number>;

/** Verdicts of rows, and what has to be written with them. */
export interface SegmentParties {
  /** In the order of the transactions. */
  readonly verdicts: readonly (readonly PartyVerdict[])[];
  /** Comparisons that were made at a transaction of this segment. */
  readonly firsts: FirstSights;
  /** Those of them that have hits, each once. */
  readonly told: readonly ScreenedQuery[];
}

/** @param first number of the first transaction */
export function segmentParties(
  parties: readonly (readonly ScreenedParty[])[],
  { first, known }: { readonly first: number; readonly known: FirstSights },
): SegmentParties {
  const firsts = new Map<PartyOutcome, number>();
  const told: ScreenedQuery[] = [];
  const verdicts = parties.map((all, offset) => {
    const tseq = first + offset;
    return all.map(({ outcome, ...place }): PartyVerdict => {
      if (outcome.known !== undefined) return { ...place, ...outcome.known };
      const { screened } = outcome;
      if (screened === undefined) return { ...place, decision: 'UNSCREENED' };
      const { decision, screeningId } = screened.record.verdict;
      const since = known.get(outcome) ?? firsts.get(outcome) ?? tseq;
      if (since === tseq && !firsts.has(outcome)) {
        firsts.set(outcome, since);
        if (isTold(screened)) told.push(screened);
      }
      return {
        ...place,
        decision,
        since,
        ...(since === tseq && { candidates: candidatesDigest(screened) }),
        ...(isTold(screened) && { screeningId }),
      };
    });
  });
  return { firsts, told, verdicts };
}

/** SHA-256 hex of the JCS of all candidates, as the event of a screening would hold them. */
export function candidatesDigest({ record: { members } }: ScreenedQuery): string {
  const { candidates } = members;
  const isText = typeof candidates === 'object' && candidates !== null && 'text' in candidates;
  return sha256Hex(isText ? String(candidates.text) : '[]');
}

/** Rows of the register that one commit has room for, beside the segment's own. */
const REGISTER_ROWS_MAX = 400;

/** For the commit of the segment. */
export function toldInCommit(
  ports: { readonly clock: Pick<Clock, 'now'>; readonly random: Random },
  of: {
    readonly tenantId: TenantId;
    readonly requestedBy: string;
    readonly told: readonly ScreenedQuery[];
  },
): {
  readonly bus: readonly BusEvent[];
  readonly changes: readonly TableChange[];
  readonly events: readonly EventDraft[];
} {
  const { requestedBy, tenantId, told } = of;
  const drafts = told.map((one) => ({ draft: screeningDraft(ports, one), ...one.record }));
  const rows = drafts.flatMap(({ draft: { occurredAt }, members, verdict }) => {
    const channel = members.channel === 'transaction_text' ? 'transaction_text' : 'transaction';
    return registerChanges(registerRows(verdict, { channel, occurredAt, requestedBy, tenantId }));
  });
  return {
    bus: drafts.map(({ verdict }) => completedEvent(tenantId, verdict)),
    // The register has the first hits of a payment that has hundreds; its events have all.
    changes: rows.slice(0, REGISTER_ROWS_MAX),
    events: drafts.map(({ draft }) => draft),
  };
}

/** Which transactions a screening's alert is about. */
export const matchChanges = (rows: readonly LoggedTransaction[]): readonly TableChange[] =>
  rows.flatMap(({ parties = [], tenantId, tseq, txId }) =>
    [...new Set(parties.flatMap(({ screeningId }) => screeningId ?? []))].map((screeningId) =>
      transactionMatchTable.insert({ screeningId, tenantId, tseq, txId }),
    ),
  );

/** Own rows of a commit beside those of its transactions. */
const CHANGES_MAX = 940;
/** Screenings with events of their own, some kilobytes each. */
const TOLD_MAX = 100;

/**
 * How many of these fit into one commit: at least one. Nearly all have neither hits nor matches.
 */
export function fitting(
  items: readonly {
    readonly parties: readonly ScreenedParty[];
    readonly transaction: Pick<Transaction, 'reverses'>;
  }[],
  known: FirstSights,
): number {
  const seen = new Set<PartyOutcome>();
  let changes = 0;
  let registered = 0;
  let told = 0;
  for (const [at, { parties, transaction }] of items.entries()) {
    let own = transaction.reverses === undefined ? 2 : 3;
    for (const { outcome } of parties) {
      const { screened } = outcome;
      if (outcome.known?.screeningId !== undefined) own += 1;
      if (screened === undefined || !isTold(screened)) continue;
      own += 1;
      if (seen.has(outcome) || known.has(outcome)) continue;
      seen.add(outcome);
      told += 1;
      registered += 1 + hitRows(screened);
      own += 1 + hitRows(screened);
    }
    changes += own;
    const isFull = changes > CHANGES_MAX || registered > REGISTER_ROWS_MAX || told > TOLD_MAX;
    if (at > 0 && isFull) return at;
  }
  return items.length;
}

const hitRows = ({ record: { verdict } }: ScreenedQuery): number =>
  verdict.hits.reduce((sum, { merged = [] }) => sum + 1 + merged.length, 0);
