/** Entry of the process that reads one PDF (rowsAside.ts). */
import { serveBounded } from '#platform/boundedChild';
import { pdfRows } from './pdfRows.ts';

await serveBounded(pdfRows);
