/** Whether what is kept of a list cannot be read as it was written. */
import { DomainError, type ErrorCode } from '#core/kernel';

const DAMAGES: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['blob-damaged', 'list-damaged']);

/** True of a list that is not whole and of a damaged blob of it, not of a store that is away. */
export const isDamage = (error: unknown): error is DomainError =>
  error instanceof DomainError && DAMAGES.has(error.code);
