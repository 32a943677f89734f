/** Entry of the process that looks into one PDF (inspectMedia.ts). */
import { serveBounded } from '#platform/boundedChild';
import { inspectPdfBytes } from './pdfInspection.ts';

await serveBounded(inspectPdfBytes);
