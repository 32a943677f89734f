/**
 * What the authority has said of a submission: told by its channel, or written down by an officer.
 * One commit ends the dispatch, changes the report and, of an acknowledgement, tells of it: so it
 * is told once, however many say it at once.
 */
import { overwrite } from '#core/audit';
import { chainOf, DomainError } from '#core/kernel';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { keyOfReport, seal } from './contentStore.ts';
import type { StrWritePorts } from './ports.ts';
import { nextReport, putNext, strEntry } from './strRecord.ts';
import {
  type StrDispatch,
  type StrOutcome,
  type StrReport,
  type StrSubmission,
  strDispatchTable,
} from './tables.ts';

/** Why the authority has refused a report, in its words. */
export interface RefusalReason {
  readonly code: string;
  readonly detail: string;
  /** Where, as the authority names it. */
  readonly pointer?: string;
}

/** What the authority has said. */
export interface AuthorityAnswer {
  readonly kind: StrOutcome['kind'];
  /** The authority's own reference of the report. */
  readonly fiuReference?: string;
  readonly at?: EpochMs;
  readonly reasons?: readonly RefusalReason[];
  /** As it came, in base64: a receipt's file. */
  readonly receipt?: { readonly fileName: string; readonly base64: string };
}

/** Who tells it, of the submission that is under way. */
export interface EndAsk {
  readonly actor: StrOutcome['by'];
  readonly ip?: string | undefined;
  readonly idempotency?: (report: StrReport) => import('#core/audit').IdempotencyRecord;
}

/** The submission that waits for an answer. Throws `state-conflict` where none does. */
export function openSubmission(report: StrReport): StrSubmission {
  const last = report.submissions.at(-1);
  if (report.status === 'submitted' && last !== undefined && last.outcome === undefined)
    return last;
  const detail = `expected a report that is submitted, got ${report.status}`;
  throw new DomainError('state-conflict', { detail });
}

/** `read` finds the report anew, as it was signed, each time another writer was first. */
export function endSubmission(
  ports: StrWritePorts,
  read: () => Promise<StrReport>,
  ask: EndAsk & { readonly answer: AuthorityAnswer },
): Promise<StrReport> {
  return overwrite(async () => {
    const report = await read();
    const submission = openSubmission(report);
    const { actor, answer, idempotency, ip } = ask;
    const now = ports.clock.now();
    const key = await keyOfReport(ports, report);
    const told = Buffer.from(JSON.stringify(answer));
    const outcome: StrOutcome = {
      at: answer.at ?? now,
      blob: await seal(ports, told, { key, kind: 'outcome' }),
      by: actor,
      kind: answer.kind,
    };
    const isAcknowledged = answer.kind === 'acknowledged';
    const next = nextReport(report, {
      status: isAcknowledged ? 'acknowledged' : 'returned',
      submissions: [...report.submissions.slice(0, -1), { ...submission, outcome }],
      updatedAt: now,
      validation: isAcknowledged ? report.validation : undefined,
    });
    const dispatch = await dispatchOf(ports, report, submission);
    const { dueAt: _, ...lasting } = dispatch;
    const ended: StrDispatch = { ...lasting, state: 'ended', version: dispatch.version + 1 };
    await ports.commit(chainOf(report.tenantId), {
      bus: isAcknowledged ? [acknowledgedEvent(next, now)] : [],
      changes: [putNext(report, next), strDispatchTable.put(ended, dispatch.version)],
      events: [
        strEntry(ports, {
          action: isAcknowledged ? 'str.acknowledged' : 'str.refused',
          actor: actor as 'system',
          ip,
          members: { channel: submission.channel, number: submission.number },
          report: next,
          severity: 'NOTICE',
        }),
      ],
      ...(idempotency !== undefined && { idempotency: () => idempotency(next) }),
    });
    return next;
  });
}

async function dispatchOf(
  { tables }: Pick<StrWritePorts, 'tables'>,
  { strId, tenantId }: StrReport,
  { number }: StrSubmission,
): Promise<StrDispatch> {
  const found = await tables.find(strDispatchTable, { number, strId, tenantId });
  if (found !== undefined) return found;
  throw new DomainError('state-altered', {
    detail: 'a report was submitted, and its dispatch is gone',
  });
}

const acknowledgedEvent = ({ strId, tenantId }: StrReport, at: EpochMs) => ({
  partition: tenantId,
  payload: { at: toTimestamp(at), status: 'acknowledged', str_id: strId },
  topic: 'aml.str.acknowledged' as const,
});
