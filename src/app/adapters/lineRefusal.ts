/** What a line before a thread refuses, as callers over HTTP are told. */
import { DomainError, type ErrorCode } from '#core/kernel';
import { LineError, type LineErrorCode } from '#platform/turnLine';

const CODES: Readonly<Record<LineErrorCode, ErrorCode>> = {
  'caller-gone': 'body-aborted',
  'deadline-exceeded': 'deadline-exceeded',
  'line-full': 'engine-queue-full',
};

export function rethrowFromLine(error: unknown): never {
  if (!(error instanceof LineError)) throw error;
  throw new DomainError(CODES[error.code], { cause: error, detail: error.message });
}
