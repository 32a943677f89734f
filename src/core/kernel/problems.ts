/** Problems of every part: unreadable input, missing records, unavailable stores. */
import { type ProblemRows, SEE_ERRORS, WAIT } from './problemRows.ts';

/** Rows of core/kernel; src/app/sliceRows.ts joins them with those of the slices. */
export const problems = {
  'json-malformed': {
    status: 400,
    title: 'Malformed JSON',
    meaning: 'The body is not strict JSON.',
    remedy: 'Send plain UTF-8, each key once, at most 32 levels deep, no NUL, no lone surrogates.',
  },
  'body-invalid': {
    status: 400,
    title: 'Invalid body',
    meaning: 'The body does not have the described shape.',
    remedy: SEE_ERRORS,
  },
  'header-invalid': {
    status: 400,
    title: 'Invalid header',
    meaning: 'A header does not have its form.',
    remedy: SEE_ERRORS,
  },
  'body-too-large': {
    status: 413,
    title: 'Body too large',
    meaning: 'The body is larger than this operation takes.',
    remedy: 'Send less in one request; docs/limits.md has the limits.',
  },
  'not-found': {
    status: 404,
    title: 'Not found',
    meaning: 'There is no such record, or it belongs to somebody else.',
    remedy: 'Check the id and the credential.',
    exit: 'notFound',
  },
  'state-conflict': {
    status: 409,
    title: 'Wrong state',
    meaning: 'The record is not in a state that allows this.',
    remedy: 'Read the record again and decide anew.',
  },
  'record-damaged': {
    status: 500,
    title: 'Damaged record',
    meaning: 'A stored record cannot be read; nothing was done.',
    remedy: 'Report the request id; the operator’s `doctor` names every such record.',
  },
  'precondition-failed': {
    status: 412,
    title: 'Precondition failed',
    meaning: 'The record is another version than If-Match names: somebody changed it meanwhile.',
    remedy: 'Read the record again; its ETag is the version to name.',
  },
  'rate-limited': {
    status: 429,
    title: 'Too many requests',
    meaning: 'A rate limit of this credential is used up.',
    remedy: 'Send the same request again after Retry-After seconds, not before.',
    retryAfterS: 1,
  },
  'body-aborted': {
    status: 400,
    title: 'Request cut off',
    meaning:
      'The connection ended before the body was complete or the work begun; nothing was done.',
    remedy: 'Send the whole request again.',
  },
  'store-unavailable': {
    status: 503,
    title: 'Store unavailable',
    meaning: 'The store does not answer; nothing was done.',
    remedy: WAIT,
    retryAfterS: 1,
    exit: 'unavailable',
  },
  'storage-full': {
    status: 507,
    title: 'Storage full',
    meaning: 'There is no room to store what was sent; nothing was kept of it.',
    remedy: 'Ask the operator to make room, then send the whole request again.',
    exit: 'unavailable',
  },
  'not-ready': {
    status: 503,
    title: 'Not ready',
    meaning: 'This process cannot serve yet, cannot write its evidence, or is stopping.',
    remedy: WAIT,
    retryAfterS: 1,
  },
  internal: {
    status: 500,
    title: 'Internal error',
    meaning: 'Something went wrong on our side; the request id leads to the log.',
    remedy: 'Repeat the request with the same Idempotency-Key; report the request id.',
  },
} as const satisfies ProblemRows;
