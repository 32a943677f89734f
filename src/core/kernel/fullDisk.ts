/**
 * Recognises a disk without room, for every writer. Nothing is broken then, but a person must make
 * room.
 */
import { DomainError } from './errors.ts';

/**
 * Error codes of a full disk, an exhausted quota, and a file larger than the file system allows.
 */
const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/**
 * The `storage-full` problem of a full disk, with `error` as its cause; undefined for any other
 * error.
 */
export function fullDisk(error: unknown): DomainError | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return FULL.has(code) ? new DomainError('storage-full', { cause: error }) : undefined;
}
