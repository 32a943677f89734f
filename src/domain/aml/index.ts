/** Surface of the slice: how the cohort of a batch comes in. */
export {
  type Attestation,
  type AttestationStatement,
  attest,
  attestationText,
  type Checked,
  parsed as parseEvidence,
  refuseReportSignature,
  signReport,
  verifyAttestation,
  verifyAttestationValue,
} from './attestation.ts';
export * from './batch.ts';
export { BATCH_ACTOR, batchEntry } from './batchEvidence.ts';
export { BATCH_LEASE_MS, BatchHold, claimBatch, isFree } from './batchHold.ts';
export * from './batchIds.ts';
export {
  BatchLost,
  type BatchPorts,
  type BatchWorkPorts,
  commitBatch,
  type PinnedLists as PinnedSet,
} from './batchWork.ts';
export * from './cancelBatch.ts';
export * from './cohort.ts';
export * from './cohortQuery.ts';
export * from './createBatch.ts';
export { csvCell, harmlessText } from './csvCell.ts';
export { BATCH_ROWS_MAX, countCsvRows, type NumberedSubject, readCsvRows } from './csvRows.ts';
export * from './decideHit.ts';
export * from './estimate.ts';
export { ExternalIds } from './externalIds.ts';
export { chunksOf, finishBatch, isScreened } from './finishBatch.ts';
export * from './hitPages.ts';
export { type JsonBatchPart, readJsonBatch } from './jsonBatch.ts';
export * from './pinLists.ts';
export * from './pinnedLists.ts';
export type {
  BatchIndexes,
  BatchLists,
  BatchStore,
  CohortFilter,
  StoredCases,
} from './ports.ts';
export * from './presentBatch.ts';
export { chunkLeaf, cutProof, type ProofPorts, proveSubject, type SubjectProof } from './proof.ts';
export { failBatch, readBatch, startBatch } from './readBatch.ts';
export * from './receive.ts';
export * from './rejections.ts';
export * from './reportPorts.ts';
export * from './resultLine.ts';
export { leaseChunk, runChunk } from './runChunk.ts';
export * from './screeningResults.ts';
export * from './subject.ts';
export { type Packing, UNPACK_RATIO_MAX, UNPACKED_BYTES_MAX, unpack } from './unpack.ts';
export { type ProvenResult, verifyProof, verifyProofValue } from './verifyProof.ts';
