/** Intake: subjects as files and bodies bring them, checked one by one. */
export * from './attributes.ts';
export * from './cohort.ts';
export { countCsvRows } from './countRows.ts';
export { type NumberedSubject, readCsvRows } from './csvRows.ts';
export { BATCH_ROWS_MAX } from './csvTable.ts';
export { ExternalIds } from './externalIds.ts';
export { type JsonBatchPart, readJsonBatch } from './jsonBatch.ts';
export { readAlong } from './readAlong.ts';
export * from './receive.ts';
export * from './rejections.ts';
export * from './subject.ts';
export { bounded, type Packing, UNPACK_RATIO_MAX, UNPACKED_BYTES_MAX, unpack } from './unpack.ts';
