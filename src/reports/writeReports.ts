/**
 * The three reports of a batch and its attestation, written to the blob store. The CSV comes first,
 * because the attestation names its digest; then the attestation, and the PDF, which shows it.
 *
 * The same batch gives the same bytes and so the same blobs: a worker that begins again after a
 * crash stores nothing twice.
 */
import {
  attest,
  attestationText,
  type BatchReports,
  type ReportFrom,
  type ReportPorts,
  type StoredFile,
  signReport,
} from '#slices/batches';
import { writeCsvReport } from './csvReport.ts';
import { writeXlsxReport } from './xlsxReport.ts';

export async function writeReports(
  { put, signer }: ReportPorts,
  from: ReportFrom,
): Promise<BatchReports> {
  const store = async (bytes: Parameters<typeof put>[0]): Promise<StoredFile> => {
    const stored = await put(bytes);
    return { address: stored.address, bytes: stored.bytes };
  };
  const csv = await store(writeCsvReport(from));
  const xlsx = await store(writeXlsxReport(from));
  const attestation = attest(from, { csv, xlsx }, signer);
  // Fonts and their tables are loaded only by a process that writes a report.
  const { renderAttestation } = await import('./attestationPdf.ts');
  const pdf = await store(await renderAttestation(attestation));
  return {
    attestation: await store(Buffer.from(attestationText(attestation))),
    csv,
    pdf,
    pdfSignature: signReport(pdf.address, signer),
    xlsx,
  };
}
