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
  signReport,
} from '#slices/batches';
import { writeCsvReport } from './csvReport.ts';
import { writeXlsxReport } from './xlsxReport.ts';

export async function writeReports(
  { put, signer }: ReportPorts,
  from: ReportFrom,
): Promise<BatchReports> {
  const csv = await put(writeCsvReport(from), 'csv');
  const xlsx = await put(writeXlsxReport(from), 'xlsx');
  const attestation = attest(from, { csv, xlsx }, signer);
  // Fonts and their tables are loaded only by a process that writes a report.
  const { renderAttestation } = await import('./attestationPdf.ts');
  const pdf = await put(await renderAttestation(attestation), 'pdf');
  return {
    attestation: await put(Buffer.from(attestationText(attestation)), 'attestation'),
    csv,
    pdf,
    pdfSignature: signReport(pdf.address, signer),
    xlsx,
  };
}
