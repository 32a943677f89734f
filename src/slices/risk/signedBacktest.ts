/**
 * A backtest as its entries have it: nobody who writes the store says what was asked for, or which
 * report is shown.
 */
import { isDeepStrictEqual } from 'node:util';
import { type EntryPorts, findEntryAbout } from '#core/audit';
import { chainOf, DomainError } from '#core/kernel';
import { toTimestamp } from '#platform/clock';
import type { WorkNamed } from './signedProgress.ts';
import type { RiskBacktest } from './tables.ts';
import type { RiskTally } from './tally.ts';

/** How far a backtest is. */
export interface Progress {
  /** Everything from this place of the chain on is counted. */
  readonly fromSeq: number;
  readonly tally: RiskTally;
}

/** What is asked for, as members of the entry that says so. */
export const populationMembers = ({
  contentHash,
  from,
  segments,
  throughSeq,
  to,
}: Pick<RiskBacktest, 'contentHash' | 'from' | 'segments' | 'throughSeq' | 'to'>) => ({
  content_hash: contentHash,
  from: toTimestamp(from),
  ...(segments !== undefined && { segments: [...segments] }),
  through_seq: throughSeq,
  to: toTimestamp(to),
});

/** Throws `state-altered` for what nobody asked for so. */
export async function requireAsRequested(ports: EntryPorts, record: RiskBacktest): Promise<void> {
  const { requestedAt } = record;
  const entry = await entryOf(ports, record, 'risk.backtest.requested', requestedAt);
  requireMembers(entry, { ...populationMembers(record) });
}

/** Throws `state-altered` where it did not end so; one that is worked on shows no digest. */
export async function requireAsEnded(ports: EntryPorts, record: RiskBacktest): Promise<void> {
  const { endedAt, failure, pdfs, reportedSha256, reportSha256, status } = record;
  if (status === 'queued' && reportSha256 === undefined && pdfs === undefined) return;
  const entry = await entryOf(ports, record, 'risk.backtest.ended', endedAt ?? record.requestedAt);
  const isReady = status === 'ready' && failure === undefined;
  const { content_hash } = populationMembers(record);
  requireMembers(entry, {
    content_hash,
    failure: isReady ? undefined : failure,
    pdf_sha256: isReady ? { ...pdfs } : undefined,
    report_sha256: isReady ? reportSha256 : undefined,
    reported_sha256: isReady ? reportedSha256 : undefined,
  });
}

function entryOf(
  ports: EntryPorts,
  { btrId, tenantId }: Pick<RiskBacktest, 'btrId' | 'tenantId'>,
  action: 'risk.backtest.ended' | 'risk.backtest.requested',
  near: RiskBacktest['requestedAt'],
) {
  const isIt = ({ btr_id }: { readonly btr_id?: unknown }): boolean => btr_id === btrId;
  return findEntryAbout(ports, { actions: [action], chainId: chainOf(tenantId), isIt, near });
}

function requireMembers(
  entry: Readonly<Record<string, unknown>> | undefined,
  members: Readonly<Record<string, unknown>>,
): void {
  const isSame = ([name, value]: [string, unknown]) => isDeepStrictEqual(entry?.[name], value);
  if (entry !== undefined && Object.entries(members).every(isSame)) return;
  throw new DomainError('state-altered', { detail: 'the backtest is not as it was signed' });
}

/** What its progress is signed with. */
export const backtestWork = (record: RiskBacktest): WorkNamed => ({
  kind: 'risk-backtest',
  of: { btr_id: record.btrId, ...populationMembers(record) },
});
