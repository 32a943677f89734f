/**
 * The files of a completed batch are compared with its signed attestation before any of them is
 * answered: a record can name another attestation, or another report, but cannot sign one.
 */
import type { KeyRing } from '#core/audit';
import type { BlobStore } from '#core/blobs';
import { DomainError } from '#core/kernel';
import {
  type Attestation,
  parsed,
  refuseDigestSignature,
  verifyAttestationValue,
} from './attestation.ts';
import type { Batch, BatchReports } from './batch.ts';

export interface AttestedPorts {
  readonly blobs: Pick<BlobStore, 'get'>;
  readonly keyRing: KeyRing;
}

type ReportedBatch = Pick<Batch, 'batchId' | 'rejected' | 'tenantId'> & {
  readonly reports: BatchReports;
};

/**
 * The attestation of a batch that has ended well. Throws DomainError `blob-damaged` where it is
 * gone, `results-altered` where it is not this batch's, or the files of the record are not those
 * that it names.
 */
export async function attestationOf(
  { blobs, keyRing }: AttestedPorts,
  batch: ReportedBatch,
): Promise<Attestation> {
  const { batchId, reports, tenantId } = batch;
  const { address } = reports.attestation;
  const text = await blobs.get(address);
  if (text === undefined) {
    throw new DomainError('blob-damaged', { detail: `attestation ${address}: not in the store` });
  }
  const refuse = (detail: string): never => {
    throw new DomainError('results-altered', { detail: `batch ${batchId}: ${detail}` });
  };
  const verified = verifyAttestationValue(parsed(text), keyRing);
  if (!verified.ok) return refuse(`attestation: ${verified.reason}`);
  const attestation = verified.value;
  if (attestation.batch_id !== batchId || attestation.tenant_id !== tenantId) {
    return refuse('its attestation is of another batch');
  }
  const other = otherFile(batch, attestation, keyRing);
  return other === undefined ? attestation : refuse(`${other} is not the file that was attested`);
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
