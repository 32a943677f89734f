/** Entry of the process that takes the text out of one PDF (readPdfText.ts). */
import { serveBounded } from '#platform/boundedChild';
import { pdfText } from './pdfText.ts';

await serveBounded(pdfText);
