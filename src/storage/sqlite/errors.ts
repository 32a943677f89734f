/**
 * SQLite's result codes as errors of the house. A failure that the caller can wait out (busy, full,
 * i/o) or must know of (damaged) is `store-unavailable`; any other is our own mistake and stays.
 */
import { DomainError } from '#core/kernel';

const BUSY = 5;
/** Extended codes. */
const CONSTRAINT_PRIMARYKEY = 1555;
const CONSTRAINT_UNIQUE = 2067;
const UNAVAILABLE: Readonly<Record<number, string>> = {
  [BUSY]: 'locked by another process',
  6: 'locked by another connection',
  8: 'read-only',
  10: 'i/o error',
  11: 'damaged (restore it from a backup)',
  13: 'disk full',
  14: 'cannot be opened',
  26: 'not a SQLite database',
};

/** The primary result code: extended codes carry it in their low byte. */
function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}

/** A row that is there already has this key, or these values of a unique index. */
export function isTaken(error: unknown): boolean {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  return code === CONSTRAINT_PRIMARYKEY || code === CONSTRAINT_UNIQUE;
}

export const isBusy = (error: unknown): boolean => resultCode(error) === BUSY;

export function toStoreError(error: unknown): unknown {
  const reason = UNAVAILABLE[resultCode(error) ?? -1];
  if (reason === undefined) return error;
  return new DomainError('store-unavailable', {
    detail: `store file: ${reason}`,
    retryAfterS: 1,
    cause: error,
  });
}
