/** Reports as files: CSV, XLSX and PDF of a batch, PDF of a screening. */
import type { Attestation } from '#slices/batches';
import type { ScreeningReport } from '#slices/sanctions';

export { writeReports } from './writeReports.ts';

/** The attestation as a PDF. The import loads fonts and their tables only where a PDF is drawn. */
export async function renderAttestation(attestation: Attestation): Promise<Uint8Array> {
  const pdf = await import('./attestationPdf.ts');
  return pdf.renderAttestation(attestation);
}

/** The report of a screening as a PDF, on the spot. */
export async function drawReport(report: ScreeningReport): Promise<Uint8Array> {
  const pdf = await import('./screeningPdf.ts');
  return pdf.renderScreening(report);
}
