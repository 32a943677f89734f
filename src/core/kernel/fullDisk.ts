/** A disk without room, whatever wrote to it: a person must make room, nothing is broken. */
import { DomainError } from './errors.ts';

/** The disk, the quota, the largest file of the file system. */
const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

export function fullDisk(error: unknown): DomainError | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return FULL.has(code) ? new DomainError('storage-full', { cause: error }) : undefined;
}
