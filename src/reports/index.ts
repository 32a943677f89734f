/** The reports of batches as files: CSV, XLSX and PDF. */
import type { Attestation } from '#slices/batches';

export { writeReports } from './writeReports.ts';

/** Loads fonts and their tables: by those who draw, not by every process. */
export async function renderAttestation(attestation: Attestation): Promise<Uint8Array> {
  const pdf = await import('./attestationPdf.ts');
  return pdf.renderAttestation(attestation);
}
