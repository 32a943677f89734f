/** What reads and scans documents: programs of this machine, and data of the operator. */
import { type EnvironmentReader, optional } from './environmentReader.ts';

/** Where documents are read and scanned. */
export interface DocumentConfig {
  /** `unix:/run/clamav/clamd.ctl` or `tcp://host:3310`. Absent: nothing is scanned. */
  readonly clamdUrl?: string;
  /** Data of the reader of characters. Absent: what the system has. */
  readonly ocrLangDir?: string;
  /** Folders in which programs are looked for. */
  readonly programPath: string;
}

const CLAMD_FORM = /^(?:unix:\/[^\0]{1,100}|tcp:\/\/[A-Za-z0-9.:[\]_-]{1,255}:\d{1,5})$/;
const PATH_FORM = /^[^\0]{0,32768}$/;

export function readDocuments(read: EnvironmentReader): DocumentConfig {
  const clamdUrl = read.text('CLAMD_URL', { fallback: '', form: CLAMD_FORM });
  return {
    programPath: read.text('PATH', { fallback: '', form: PATH_FORM }),
    ...optional('clamdUrl', clamdUrl === '' ? undefined : clamdUrl),
    ...optional('ocrLangDir', read.path('OCR_LANG_DIR')),
  };
}
