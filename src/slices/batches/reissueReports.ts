/**
 * The reports of a batch, written again after somebody of it was erased: the same results without
 * him, and an attestation that names the first one. Roots and proofs are those of before.
 */
import { entry, StaleChange } from '#core/audit';
import { dataKeyTable } from '#core/blobs';
import { chainOf } from '#core/kernel';
import { type Hold, WorkLost } from '#core/work';
import { attestationOf } from './attestedFiles.ts';
import { type Batch, type BatchIssue, type BatchReports, hasEnded } from './batch.ts';
import { BATCH_ACTOR } from './batchEvidence.ts';
import { batchKeyId } from './batchKeys.ts';
import type { BatchPorts } from './batchWork.ts';
import { issueTable } from './tables.ts';

/** A batch's issue in hand. */
export type IssueHold = Hold<BatchIssue, 'batchId' | 'keyVersion'>;

/** Whether the issue can be dealt with: of a batch that runs its own end writes the reports. */
export const isToReissue = (batch: Batch | undefined): batch is Batch =>
  batch !== undefined && hasEnded(batch);

/** Ends the issue, with reports where the batch has had some. Throws WorkLost once it has ended. */
export async function reissueReports(ports: BatchPorts, hold: IssueHold): Promise<void> {
  const { record: issue, signal } = hold;
  const batch = await ports.batches.findBatch(issue);
  if (!isToReissue(batch)) throw new WorkLost('the batch has not ended');
  const { reports } = batch;
  const isOlder = reports?.csv.sealed && reports.csv.sealed.keyVersion < issue.keyVersion;
  if (reports === undefined || !isOlder) return endIssue(ports, hold);
  const { audit, erasures, keyRing } = ports.evidence;
  const first = await attestationOf({ ...ports, audit, keyRing }, { ...batch, reports });
  const erased = await erasures.partsOf(chainOf(batch.tenantId), batch.batchId);
  const head = await audit.head(chainOf(batch.tenantId));
  const { rejected: _, ...rest } = batch;
  const current = {
    ...rest,
    ...(issue.rejected !== undefined && { rejected: issue.rejected }),
    chainPlace: { hash: head.hash, seq: head.seq },
    resultsRoot: first.results_root,
  };
  const reissue = {
    attestation_sha256: reports.attestation.address,
    erased_subjects: erased.size,
  };
  const written = await ports.writeReports(current, signal, reissue);
  signal.throwIfAborted();
  return endIssue(ports, hold, written);
}

/** Without reports it leaves none. Throws WorkLost where somebody else was erased meanwhile. */
export async function endIssue(
  ports: BatchPorts,
  hold: IssueHold,
  reports?: BatchReports,
): Promise<void> {
  const { record: issue, signal } = hold;
  const { batchId, keyVersion, tenantId } = issue;
  await hold.end();
  signal.throwIfAborted();
  const ended: BatchIssue = {
    ...issue,
    endedAt: ports.clock.now(),
    version: issue.version + 1,
    ...(reports !== undefined && { reports }),
  };
  try {
    await ports.commit(chainOf(tenantId), {
      bus: [],
      changes: [
        issueTable.put(ended, issue.version),
        dataKeyTable.expect({ keyId: batchKeyId(batchId) }, { version: keyVersion }),
      ],
      events: [endEntry(ports, issue, reports)],
    });
  } catch (error) {
    if (!(error instanceof StaleChange)) throw error;
    throw new WorkLost('somebody else was erased', { cause: error });
  }
}

function endEntry(ports: BatchPorts, { batchId: target }: BatchIssue, reports?: BatchReports) {
  const by = { actor: BATCH_ACTOR, target } as const;
  if (reports === undefined) return entry(ports, { ...by, action: 'aml.batch.reports.omitted' });
  const members = {
    attestation_sha256: reports.attestation.address,
    report_csv_sha256: reports.csv.address,
    report_pdf_sha256: reports.pdf.address,
    report_xlsx_sha256: reports.xlsx.address,
  };
  return entry(ports, { ...by, action: 'aml.batch.reports.reissued', members });
}
