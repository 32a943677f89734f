/**
 * The code of a failure of work on a batch, and whether another try can mend it. For a transient
 * failure, such as a full disk or a store that is away, a batch waits as long as it takes; a fault
 * of its own fails it.
 */
import { DomainError, type ErrorCode, fullDisk } from '#core/kernel';
import type { RetryPlan } from '#core/work';
import type { Batch, BatchChunk } from './batch.ts';

/** The engine's errors are its own. */
const OF_ENGINE: ReadonlySet<unknown> = new Set(['engine-queue-full', 'deadline-exceeded']);

/** `internal` for an unexpected error. */
export function faultCode(error: unknown): ErrorCode {
  const known = error instanceof DomainError ? error : fullDisk(error);
  if (known !== undefined) return known.code;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return OF_ENGINE.has(code) ? (code as ErrorCode) : 'internal';
}

const FOR_GOOD: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'batch-base-missing',
  'blob-damaged',
  'csv-invalid',
  'json-malformed',
  'list-altered',
  'list-damaged',
  'list-disabled-by-policy',
  'list-unavailable',
  'list-unknown',
  'processing-restricted',
  'results-altered',
  'upload-damaged',
]);

/** What may be the work's own fault, so that tries at it are counted. */
const COUNTED: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['internal', 'deadline-exceeded']);

/**
 * Tries of a chunk, of a cohort's reading or of the reports that were begun and never ended, over
 * all workers, before they fail their batch. In each the worker died of it or beside it, or found
 * it wrong. A dozen, since some of these are no fault of the work: machines that disappeared,
 * leases whose answer was lost, another chunk that killed the worker (SUSPECT_TRIES). And few
 * enough that a batch that cannot end says so within minutes.
 */
export const CHUNK_TRIES_MAX = 12;

/** Tries after which a chunk may be a poison job, so that it is tried with nothing beside it. */
export const SUSPECT_TRIES = 3;

/** A full disk, a store that is away: looked after again. */
const RETRY_MS = 5_000;

/** How batches and their chunks are tried again. */
export const BATCH_RETRIES: RetryPlan = {
  kindOf: (code) => {
    if (FOR_GOOD.has(code as ErrorCode)) return 'final';
    return COUNTED.has(code as ErrorCode) ? 'counted' : 'transient';
  },
  pausesMs: [0, RETRY_MS],
  suspectTries: SUSPECT_TRIES,
  triesMax: CHUNK_TRIES_MAX,
};

type Failure = NonNullable<Batch['failure']>;

/** The failure of a batch by what cannot be mended. */
export const failedBy = (code: string, error: unknown): Failure => ({
  code,
  detail: error instanceof DomainError ? error.message : 'see the log of the worker',
});

/** The failure of a batch whose cohort, or reports, were begun too often. */
export const neverEnded = (code: string): Failure => ({
  code,
  detail:
    `its cohort or its reports were begun ${CHUNK_TRIES_MAX} times and never ended: workers die ` +
    'of it, or their logs say why',
});

/** Which subjects to examine, for the person who is to mend it. `code` is that of the last try. */
export function unfinished(
  { chunkSubjects }: Pick<Batch, 'chunkSubjects'>,
  { chunkNo, subjects }: Pick<BatchChunk, 'chunkNo' | 'subjects'>,
  code: string,
): Failure {
  const before = chunkNo * chunkSubjects;
  const detail =
    `chunk ${chunkNo} (its subjects ${before + 1} to ${before + subjects}) was begun ` +
    `${CHUNK_TRIES_MAX} times and never ended: workers die of it, or their logs say why`;
  return { code, detail };
}
