/** What the engine refuses, as its callers are told. */
import { DomainError } from '#core/kernel';

/** The engine's refusals are for the caller; any other error is our own fault. */
export function rethrowRefusal(error: unknown): never {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'engine-queue-full' || code === 'deadline-exceeded') {
    throw new DomainError(code, { cause: error, retryAfterS: 1 });
  }
  if (code === 'caller-gone') {
    throw new DomainError('body-aborted', { cause: error, detail: 'the client left' });
  }
  throw error;
}
