/** Surface of the slice: batches, from their upload to the proof of one subject. */

/** A batch, and what it needs of other parts. */

export * from './asks.ts';
export * from './batch.ts';
export * from './batchFiles.ts';
export * from './batchIds.ts';
export * from './batchKeys.ts';
export { batchStore } from './batchStore.ts';
export type {
  BatchPage,
  BatchStore,
  CaseWords,
  CohortFilter,
  ReviewPage,
  StoredCases,
  WebhookDelivered,
} from './ports.ts';
export { batchTable, chunkTable, issueTable, reviewTable } from './tables.ts';

/* How its cohort comes in. */

export * from './cohortQuery.ts';
export * from './sealedCohort.ts';

/** Requests of its tenant, and what the tenant sees. */

export { BATCH_ACTOR } from './batchEvidence.ts';
export * from './cancelBatch.ts';
export * from './createBatch.ts';
export * from './decideHit.ts';
export * from './erasePerson.ts';
export * from './eraseSubjects.ts';
export * from './estimate.ts';
export * from './explainHits.ts';
export * from './findSubject.ts';
export * from './hitFacts.ts';
export * from './hitPages.ts';
export * from './presentBatch.ts';
export { isRejected } from './rejectedFile.ts';
export * from './screeningResults.ts';
export { settings as batchSettings } from './settings.ts';

/* How workers bring it to its end. */

export {
  BATCH_LEASE,
  type BatchHold,
  type BatchPorts,
  type BatchWorkPorts,
  type ChunkHold,
  commitBatch,
} from './batchWork.ts';
export * from './chunkFigures.ts';
export type { ChunkLines } from './chunkLines.ts';
export * from './chunkPorts.ts';
export * from './chunkQuestions.ts';
export * from './chunkReading.ts';
export { chunksFrom } from './chunkWalk.ts';
export { type ChunkAnswer, type ChunkOrder, ChunkWorker, workOf } from './chunkWork.ts';
export {
  BATCH_RETRIES,
  CHUNK_TRIES_MAX,
  failedBy,
  faultCode,
  neverEnded,
  SUSPECT_TRIES,
  unfinished,
} from './faultCode.ts';
export { chunkLeaf, chunksOf, finishBatch, isScreened } from './finishBatch.ts';
export type { ReleasableIndex } from './heldIndexes.ts';
export * from './pinLists.ts';
export { PinnedClusters } from './pinnedClusters.ts';
export * from './pinnedLists.ts';
export * from './pinnedParts.ts';
export { failBatch, readBatch, startBatch } from './readBatch.ts';
export { endIssue, type IssueHold, isToReissue, reissueReports } from './reissueReports.ts';
export * from './resultLine.ts';
export { runChunk } from './runChunk.ts';
export { queryOf, SUBJECT_DEADLINE_MS } from './screenChunk.ts';
export * from './subjectSeal.ts';

/** The evidence that is kept for ten years. */

export {
  type Attestation,
  type AttestationStatement,
  attest,
  attestationText,
  type Checked,
  parsed as parseEvidence,
  refuseReportSignature,
  signReport,
  type VerifyHow,
  verifyAttestation,
  verifyAttestationValue,
} from './attestation.ts';
export { type AttestedPorts, attestationOf } from './attestedFiles.ts';
export { gatewayResults } from './gatewayResults.ts';
export { cutProof, type ProofPorts, proveSubject, type SubjectProof } from './proof.ts';
export * from './reportPorts.ts';
export {
  type CompletedBatch,
  completedAsSigned,
  type SignedBatches,
  type StartedBatch,
} from './signedBatch.ts';
export type { SignedChunk } from './signedChunk.ts';
export { type SignedResults, type SignedResultsPorts, signedResults } from './signedResults.ts';
export { DECIDED_ACTION, lastDecisions } from './signedReviews.ts';
export { type ProvenResult, verifyProof, verifyProofValue } from './verifyProof.ts';
