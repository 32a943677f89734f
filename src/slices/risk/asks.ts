/** What risk needs of adapters beside the slices. */
import { adapter } from '#core/kernel';
import type { Locale } from '#platform/locales';
import type { BacktestReport } from './backtestReport.ts';

/** The pages of a report. The same report and language always give the same bytes. */
export const drawBacktest =
  adapter<(report: BacktestReport, lang: Locale, at: Date) => Promise<Uint8Array>>();
