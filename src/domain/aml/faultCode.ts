/**
 * What the failure of work on a batch is called, and whether another try can mend it: a batch waits
 * for a full disk or a store that is away, however long, and fails by what is wrong with itself.
 */
import { DomainError, type ErrorCode } from '../kernel/index.ts';

/** The disk, the quota, the largest file of the file system: a person must make room. */
const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

export function fullDisk(error: unknown): DomainError | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return FULL.has(code) ? new DomainError('storage-full', { cause: error }) : undefined;
}

/** `internal` of what nobody expected. */
export function faultCode(error: unknown): ErrorCode {
  const known = error instanceof DomainError ? error : fullDisk(error);
  return known?.code ?? 'internal';
}

const FOR_GOOD: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'batch-base-missing',
  'csv-invalid',
  'json-malformed',
  'list-damaged',
  'list-unavailable',
  'list-unknown',
  'upload-damaged',
]);

/** What another try cannot mend. */
export const isForGood = (code: ErrorCode): boolean => FOR_GOOD.has(code);
