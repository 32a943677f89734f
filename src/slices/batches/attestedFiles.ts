/**
 * The files of a completed batch are compared with its signed attestation before any of them is
 * answered: a record can name another attestation, or another report, but cannot sign one.
 */
import { type AuditStore, type KeyRing, verifiedEvent } from '#core/audit';
import type { BlobStore } from '#core/blobs';
import { chainOf, DomainError } from '#core/kernel';
import { sha256Hex } from '#platform/crypto';
import {
  type Attestation,
  parsed,
  refuseDigestSignature,
  verifyAttestationValue,
} from './attestation.ts';
import type { Batch, BatchReports } from './batch.ts';
import { ChunkEvents } from './chunkEvents.ts';

export interface AttestedPorts {
  readonly audit: Pick<AuditStore, 'findBySeq' | 'head' | 'readEvents'>;
  readonly blobs: Pick<BlobStore, 'get'>;
  readonly keyRing: KeyRing;
}

type ReportedBatch = Pick<Batch, 'batchId' | 'completedAt' | 'rejected' | 'tenantId'> & {
  readonly reports: BatchReports;
};

/**
 * The attestation of a batch that has ended well. Throws DomainError `blob-damaged` where it is
 * gone, `results-altered` where it is not this batch's, or the files of the record are not those
 * that it names.
 */
export async function attestationOf(
  ports: AttestedPorts,
  batch: ReportedBatch,
): Promise<Attestation> {
  const { blobs, keyRing } = ports;
  const { batchId, reports, tenantId } = batch;
  const { address } = reports.attestation;
  const text = await blobs.get(address);
  if (text === undefined) {
    throw new DomainError('blob-damaged', { detail: `attestation ${address}: not in the store` });
  }
  const refuse = (detail: string): never => {
    throw new DomainError('results-altered', { detail: `batch ${batchId}: ${detail}` });
  };
  const value = parsed(text);
  const own = verifyAttestationValue(value, keyRing);
  // By a key that was retired since, one of a former release does not say when it was made.
  const isAnchored = !own.ok && (await isCompleted(ports, batch, sha256Hex(text)));
  const verified = isAnchored ? verifyAttestationValue(value, keyRing, { isAnchored }) : own;
  if (!verified.ok) return refuse(`attestation: ${verified.reason}`);
  const attestation = verified.value;
  if (attestation.batch_id !== batchId || attestation.tenant_id !== tenantId) {
    return refuse('its attestation is of another batch');
  }
  const other = otherFile(batch, attestation, keyRing);
  return other === undefined ? attestation : refuse(`${other} is not the file that was attested`);
}

/** Whether the signed entry of the batch's end names the attestation. */
async function isCompleted(
  { audit, keyRing }: AttestedPorts,
  { batchId, completedAt, tenantId }: ReportedBatch,
  digest: string,
): Promise<boolean> {
  if (completedAt === undefined) return false;
  const event = await new ChunkEvents(audit).findEnd({ batchId, completedAt, tenantId });
  const entry = event && verifiedEvent(event, { chainId: chainOf(tenantId), keyRing });
  return entry?.target === batchId && entry.attestation_sha256 === digest;
}

/** The first file of the record that is not the attested one. */
function otherFile(
  { rejected, reports }: ReportedBatch,
  attestation: Attestation,
  keys: KeyRing,
): string | undefined {
  if (reports.csv.address !== attestation.report_sha256) return 'csv';
  if (reports.xlsx.address !== attestation.xlsx_sha256) return 'xlsx';
  if ((rejected?.address ?? null) !== attestation.rejected_sha256) return 'rejected';
  const by = { attestation, keys };
  const refusal = refuseDigestSignature(reports.pdf.address, reports.pdfSignature, by);
  return refusal === undefined ? undefined : 'pdf';
}
