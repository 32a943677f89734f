/** The reports of batches as files: CSV, XLSX and PDF. */
export { writeReports } from './writeReports.ts';
