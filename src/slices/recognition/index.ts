/**
 * What documents are and say. Read in this order: inspectMedia → imageHeaders, pdfInspection →
 * mrzFormats, mrzDates, readMrz, repairMrz, findMrz, mrzFields → malware → readPdfText, pdfText,
 * tesseract, recogniser → compareFields, compareDocument.
 */
export * from './asks.ts';
export * from './compareDocument.ts';
export * from './compareFields.ts';
export { documentInvalid } from './documentFaults.ts';
export * from './documentFields.ts';
export * from './findMrz.ts';
export * from './inspectMedia.ts';
export { DOCUMENT_BYTES_MAX, DOCUMENT_PAGES_MAX, PAGES_READ_MAX } from './limits.ts';
export * from './malware.ts';
export * from './mrzFields.ts';
export * from './mrzFormats.ts';
export * from './readMrz.ts';
export * from './recogniser.ts';
export * from './repairMrz.ts';
export type { EngineFacts } from './tesseract.ts';
