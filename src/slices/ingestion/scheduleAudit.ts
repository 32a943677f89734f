/**
 * The signed changes of a source's schedule (interface.md 2.11, sanctions_schedule_audit). The rows
 * of a source are a hash chain of their own, which a stranger can follow from the rows alone:
 *
 *   chain_hash = SHA-256 hex ("schedule-audit-v1\0" ‖ former chain_hash ‖ JCS(row without it))
 *
 * with 64 zeros before the first row. The row is the object that the API shows. Each row also
 * stands in the platform's evidence, whose chain is signed: this one shows a gap within a source.
 */
import { lookSettled } from '#core/audit';
import { PLATFORM_CHAIN, type SourceId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { toTimestamp } from '#platform/clock';
import { sha256Hex } from '#platform/crypto';
import type { RunStore, ScheduleAudit } from './ports.ts';
import type { SignedSources } from './signedSources.ts';

const HASH_ZERO = '0'.repeat(64);
const PAGE_CHANGES = 200;

/** A row as it is hashed, and as the API shows it beside its `chain_hash`. */
export function scheduleAuditRow(row: Omit<ScheduleAudit, 'chainHash'>) {
  return {
    approval_reason: row.approvalReason,
    approval_user_id: row.approvalUserId,
    audit_id: row.auditId,
    changed_at: toTimestamp(row.changedAt),
    changed_by: row.changedBy,
    field: row.field,
    new_value: row.newValue,
    old_value: row.oldValue,
    seq: row.seq,
    source_id: row.sourceId,
  };
}

/** `before` is the source's latest row; undefined before its first. */
export function chainScheduleAudit(
  row: Omit<ScheduleAudit, 'chainHash' | 'seq'>,
  before: Pick<ScheduleAudit, 'chainHash' | 'seq'> | undefined,
): ScheduleAudit {
  const next = { ...row, seq: (before?.seq ?? 0) + 1 };
  return { ...next, chainHash: hashOf(next, before?.chainHash) };
}

/** The seq of the first row that does not follow from the one before; rows from the first on. */
export function brokenScheduleAudit(rows: readonly ScheduleAudit[]): number | undefined {
  const broken = rows.find((row, index) => {
    const before = rows[index - 1];
    return row.seq !== index + 1 || row.chainHash !== hashOf(row, before?.chainHash);
  });
  return broken?.seq;
}

/**
 * Verifies the rows of a source from the first on: each follows from the one before, and the last
 * one that an entry names is there as it was signed, with no row too many or too few. Answers how
 * many there are, and which is the first that is not so.
 */
export async function verifyScheduleAudit(
  runs: Pick<RunStore, 'listScheduleAudit'>,
  sourceId: SourceId,
  signed: Pick<SignedSources, 'changes'>,
): Promise<AuditFinding> {
  // A change may come between the reading of its row and that of its entry.
  const { found } = await lookSettled({}, async () => {
    const one = await lookAt(runs, sourceId, signed);
    const refusal = one.brokenSeq === undefined ? undefined : `change ${one.brokenSeq}`;
    return { chainId: PLATFORM_CHAIN, found: one, refusal };
  });
  return found;
}

interface AuditFinding {
  readonly rows: number;
  readonly brokenSeq: number | undefined;
}

async function lookAt(
  runs: Pick<RunStore, 'listScheduleAudit'>,
  sourceId: SourceId,
  signed: Pick<SignedSources, 'changes'>,
): Promise<AuditFinding> {
  const rows: ScheduleAudit[] = [];
  for (let before: number | undefined; ; ) {
    const ask = { limit: PAGE_CHANGES, sourceId, ...(before !== undefined && { before }) };
    const page = await runs.listScheduleAudit(ask);
    rows.push(...page);
    before = page.at(-1)?.seq;
    if (before === undefined) break;
  }
  const { count, last } = await signed.changes(sourceId);
  const brokenSeq = brokenScheduleAudit(rows.reverse());
  const isLast = last === undefined || rows[last.seq - 1]?.chainHash === last.chainHash;
  const ends = [rows.length === count ? undefined : Math.min(rows.length, count) + 1];
  const broken = [brokenSeq, isLast ? undefined : last.seq, ...ends];
  return { brokenSeq: broken.find((seq) => seq !== undefined), rows: rows.length };
}

function hashOf(row: Omit<ScheduleAudit, 'chainHash'>, before = HASH_ZERO): string {
  return sha256Hex(`schedule-audit-v1\0${before}${canonicalJson(scheduleAuditRow(row))}`);
}
