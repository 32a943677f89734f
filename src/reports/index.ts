/** Reports as files: CSV, XLSX and PDF of a batch, PDF of a screening, of a backtest. */
import type { Locale } from '#platform/locales';
import type { Attestation } from '#slices/batches';
import type { BacktestReport } from '#slices/risk';
import type { ScreeningReport } from '#slices/sanctions';

export { writeReports } from './writeReports.ts';

/** The attestation as a PDF. The import loads fonts and their tables only where a PDF is drawn. */
export async function renderAttestation(attestation: Attestation): Promise<Uint8Array> {
  const pdf = await import('./attestationPdf.ts');
  return pdf.renderAttestation(attestation);
}

/** The report of a backtest of a risk policy as a PDF. */
export async function drawBacktest(
  report: BacktestReport,
  lang: Locale,
  at: Date,
): Promise<Uint8Array> {
  const pdf = await import('./riskBacktestPdf.ts');
  return pdf.renderBacktest(report, lang, at);
}

/** The report of a screening as a PDF, on the spot. */
export async function drawReport(report: ScreeningReport): Promise<Uint8Array> {
  const pdf = await import('./screeningPdf.ts');
  return pdf.renderScreening(report);
}
