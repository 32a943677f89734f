/** Problems of HTTP itself: framing, headers, paths, pages and idempotency keys. */
import { type CodesOf, type ProblemRows, WAIT } from '#core/kernel';

/** Folded into the table of an installation by src/app/sliceRows.ts. */
export const problems = {
  'body-missing': {
    status: 400,
    title: 'Missing body',
    meaning: 'This operation needs a body and none came.',
    remedy: 'Send a JSON body.',
  },
  'body-timeout': {
    status: 408,
    title: 'Body too slow',
    meaning: 'The request did not make progress in time; nothing was done.',
    remedy: 'Send the whole request again on a better connection.',
  },
  'multipart-malformed': {
    status: 400,
    title: 'Malformed form',
    meaning: 'The multipart/form-data body is not one, or is cut off; nothing was kept of it.',
    remedy: 'Send every part once, with its name, and the closing boundary.',
  },
  'media-type-unsupported': {
    status: 415,
    title: 'Unsupported media type',
    meaning: 'The Content-Type or Content-Encoding is not taken here.',
    remedy: 'Send the media type that Accept names; JSON in UTF-8, not compressed.',
  },
  'query-invalid': {
    status: 400,
    title: 'Invalid query',
    meaning: 'The query string does not have the described parameters.',
    remedy: 'Send each known parameter once; `errors` names the violations.',
  },
  'path-invalid': {
    status: 400,
    title: 'Invalid path',
    meaning: 'A part of the path does not have its form.',
    remedy: 'Use ids as they were given, and valid percent-encoding.',
  },
  'headers-too-large': {
    status: 431,
    title: 'Headers too large',
    meaning: 'Request line and headers together are over the limit.',
    remedy: 'Send fewer or shorter headers; docs/limits.md has the limit.',
  },
  'framing-ambiguous': {
    status: 400,
    title: 'Ambiguous framing',
    meaning: 'The request can be read in two ways, or is not HTTP; the connection is closed.',
    remedy: 'Send one Content-Length or one Transfer-Encoding, and one Host.',
  },
  'route-unknown': {
    status: 404,
    title: 'Unknown route',
    meaning: 'There is no such path.',
    remedy: 'See /docs for the paths; they have no slash at the end.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method not allowed',
    meaning: 'This path does not take this method.',
    remedy: 'Use one of the methods in the Allow header.',
  },
  'limit-out-of-range': {
    status: 400,
    title: 'Limit out of range',
    meaning: 'The page size is not within its range.',
    remedy: 'Ask for fewer lines and follow next_cursor.',
  },
  'cursor-invalid': {
    status: 400,
    title: 'Invalid cursor',
    meaning: 'The cursor was not given by this list, or was given for other filters.',
    remedy: 'Start again without a cursor, and keep the filters while paging.',
  },
  'host-tenant-mismatch': {
    status: 403,
    title: 'Credential of another address',
    meaning: 'The credential does not belong to the address that was called.',
    remedy: 'Use the base address of your tenant and environment.',
  },
  'idempotency-key-missing': {
    status: 400,
    title: 'Idempotency-Key missing',
    meaning: 'This operation needs an Idempotency-Key header.',
    remedy: 'Send a fresh UUID, and the same one when you repeat the request.',
  },
  'idempotency-key-invalid': {
    status: 400,
    title: 'Idempotency-Key invalid',
    meaning: 'The Idempotency-Key is not a UUID.',
    remedy: 'Send a UUID, bare or in double quotes.',
  },
  'idempotency-key-reused': {
    status: 422,
    title: 'Idempotency-Key reused',
    meaning: 'The key was used with another request within 24 hours.',
    remedy: 'Send a fresh key with a new request.',
  },
  'idempotency-key-in-progress': {
    status: 409,
    title: 'Request in progress',
    meaning: 'A request with this key is being worked on.',
    remedy: WAIT,
    retryAfterS: 1,
  },
  'range-unsatisfiable': {
    status: 416,
    title: 'Range not satisfiable',
    meaning: 'The content ends before the range begins.',
    remedy: 'Ask for a range within the content, or for all of it.',
  },
} as const satisfies ProblemRows;

declare module '#core/kernel' {
  interface ProblemCodes extends CodesOf<typeof problems> {}
}
