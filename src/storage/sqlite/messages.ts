/** Messages between the event loop and a storage thread: plain data, cloned. */
import { DomainError, type ErrorCode, type PlainTable } from '#core/kernel';
import type { Role } from './connection.ts';
import { toStoreError } from './errors.ts';

export interface ThreadData {
  readonly file: string;
  readonly role: Role;
  readonly tables: readonly PlainTable[];
}

export interface Call {
  readonly id: number;
  readonly name: string;
  readonly args: readonly unknown[];
}

/** An error as data: a clone would lose its class, and with it the code. */
export interface Failure {
  readonly code?: ErrorCode;
  readonly message: string;
  readonly retryAfterS?: number;
  readonly stack?: string;
}

export interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly failure?: Failure;
}

/**
 * The thread's first message is `opened` (or why not), where it had to wait after a `waiting`; then
 * come answers, several at a time.
 */
export type ThreadMessage =
  | { readonly kind: 'waiting'; readonly why: string }
  | { readonly kind: 'opened'; readonly failure?: Failure }
  | { readonly kind: 'answers'; readonly answers: readonly Answer[] };

export function toFailure(thrown: unknown): Failure {
  const error = toStoreError(thrown);
  if (!(error instanceof Error)) return { message: String(error) };
  const stack = error.stack === undefined ? {} : { stack: error.stack };
  if (!(error instanceof DomainError)) return { message: error.message, ...stack };
  const retryAfterS = error.retryAfterS === undefined ? {} : { retryAfterS: error.retryAfterS };
  return { code: error.code, message: error.message, ...retryAfterS, ...stack };
}

export function fromFailure(failure: Failure): Error {
  const cause = new Error(failure.message);
  if (failure.stack !== undefined) cause.stack = failure.stack;
  if (failure.code === undefined) return new Error(`storage: ${failure.message}`, { cause });
  const retryAfterS = failure.retryAfterS;
  return new DomainError(failure.code, {
    detail: failure.message,
    ...(retryAfterS === undefined ? {} : { retryAfterS }),
    cause,
  });
}
