/**
 * The code of a failure of work on a batch, and whether another try can mend it. For a transient
 * failure, such as a full disk or a store that is away, a batch waits as long as it takes; a fault
 * of its own fails it.
 */
import { DomainError, type ErrorCode, fullDisk } from '#core/kernel';
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
  'list-damaged',
  'list-unavailable',
  'list-unknown',
  'upload-damaged',
]);

/** Whether another try cannot mend it. */
export const isForGood = (code: ErrorCode): boolean => FOR_GOOD.has(code);

/**
 * Tries of a chunk that was begun and never ended, over all workers, before it fails its batch. In
 * each the worker died of it or beside it, or found it wrong. A dozen, since some of these are no
 * fault of the chunk: machines that disappeared, leases whose answer was lost, another chunk that
 * killed the worker (SUSPECT_TRIES). And few enough that a batch that cannot end says so within
 * minutes.
 */
export const CHUNK_TRIES_MAX = 12;

/** Tries after which a chunk may be a poison job, so that it is tried with nothing beside it. */
export const SUSPECT_TRIES = 3;

/**
 * Whether the failure may be the work's own fault, so that its tries are counted; all others are
 * transient.
 */
export const isCounted = (code: ErrorCode): boolean =>
  code === 'internal' || code === 'deadline-exceeded';

/** Which subjects to examine, for the person who is to mend it. `code` is that of the last try. */
export function unfinished(
  { chunkSubjects }: Pick<Batch, 'chunkSubjects'>,
  { chunkNo, subjects }: Pick<BatchChunk, 'chunkNo' | 'subjects'>,
  code: ErrorCode = 'internal',
): NonNullable<Batch['failure']> {
  const before = chunkNo * chunkSubjects;
  const detail =
    `chunk ${chunkNo} (its subjects ${before + 1} to ${before + subjects}) was begun ` +
    `${CHUNK_TRIES_MAX} times and never ended: workers die of it, or their logs say why`;
  return { code, detail };
}
