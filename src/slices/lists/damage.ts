/** Recognises that a stored list cannot be read as it was written. */
import { DomainError, type ErrorCode } from '#core/kernel';

const DAMAGES: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['blob-damaged', 'list-damaged']);

/**
 * True for a list that is incomplete and for a damaged blob of it, not for a store that is away.
 */
export const isDamage = (error: unknown): error is DomainError =>
  error instanceof DomainError && DAMAGES.has(error.code);
