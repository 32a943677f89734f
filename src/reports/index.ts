/** The reports of batches as files: CSV, XLSX and PDF. */
import type { Attestation } from '#slices/batches';

export { writeReports } from './writeReports.ts';

/** The attestation as a PDF. The import loads fonts and their tables only where a PDF is drawn. */
export async function renderAttestation(attestation: Attestation): Promise<Uint8Array> {
  const pdf = await import('./attestationPdf.ts');
  return pdf.renderAttestation(attestation);
}
