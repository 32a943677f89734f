/**
 * Every problem in words: the title of its document, and the page that its `type` points at. A data
 * table; docs/errors.md says the same, and a test compares the two.
 */
import type { ErrorCode } from '#core/kernel';

export interface ProblemText {
  readonly title: string;
  /** What happened; also the `detail` where a document has no closer one. */
  readonly meaning: string;
  /** What the caller can do about it. */
  readonly remedy: string;
}

const WAIT = 'Send the same request again after Retry-After seconds.';
const SEE_ERRORS = 'Correct what `errors` lists; it names every violation.';

export const PROBLEM_TEXTS: Readonly<Record<ErrorCode, ProblemText>> = {
  'json-malformed': {
    title: 'Malformed JSON',
    meaning: 'The body is not strict JSON.',
    remedy: 'Send plain UTF-8, each key once, at most 32 levels deep, no NUL, no lone surrogates.',
  },
  'body-invalid': {
    title: 'Invalid body',
    meaning: 'The body does not have the described shape.',
    remedy: SEE_ERRORS,
  },
  'body-missing': {
    title: 'Missing body',
    meaning: 'This operation needs a body and none came.',
    remedy: 'Send a JSON body.',
  },
  'body-too-large': {
    title: 'Body too large',
    meaning: 'The body is larger than this operation takes.',
    remedy: 'Send less in one request; docs/limits.md has the limits.',
  },
  'body-aborted': {
    title: 'Body cut off',
    meaning: 'The body ended before it was complete; nothing was done.',
    remedy: 'Send the whole request again.',
  },
  'body-timeout': {
    title: 'Body too slow',
    meaning: 'The request did not make progress in time; nothing was done.',
    remedy: 'Send the whole request again on a better connection.',
  },
  'multipart-malformed': {
    title: 'Malformed form',
    meaning: 'The multipart/form-data body is not one, or is cut off; nothing was kept of it.',
    remedy: 'Send every part once, with its name, and the closing boundary.',
  },
  'upload-damaged': {
    title: 'Damaged upload',
    meaning: 'The file is no whole gzip or plain text; nothing was kept of it.',
    remedy: 'Send the file again as UTF-8 text or as one gzip of it.',
  },
  'csv-invalid': {
    title: 'Invalid CSV',
    meaning: 'Header, separator or encoding is not what is expected; nothing was kept of it.',
    remedy: 'Write UTF-8 with commas and the header that `detail` expects.',
  },
  'media-type-unsupported': {
    title: 'Unsupported media type',
    meaning: 'The Content-Type or Content-Encoding is not taken here.',
    remedy: 'Send the media type that Accept names; JSON in UTF-8, not compressed.',
  },
  'query-invalid': {
    title: 'Invalid query',
    meaning: 'The query string does not have the described parameters.',
    remedy: 'Send each known parameter once; `errors` names the violations.',
  },
  'path-invalid': {
    title: 'Invalid path',
    meaning: 'A part of the path does not have its form.',
    remedy: 'Use ids as they were given, and valid percent-encoding.',
  },
  'header-invalid': {
    title: 'Invalid header',
    meaning: 'A header does not have its form.',
    remedy: SEE_ERRORS,
  },
  'headers-too-large': {
    title: 'Headers too large',
    meaning: 'Request line and headers together are over the limit.',
    remedy: 'Send fewer or shorter headers; docs/limits.md has the limit.',
  },
  'framing-ambiguous': {
    title: 'Ambiguous framing',
    meaning: 'The request can be read in two ways, or is not HTTP; the connection is closed.',
    remedy: 'Send one Content-Length or one Transfer-Encoding, and one Host.',
  },
  'route-unknown': {
    title: 'Unknown route',
    meaning: 'There is no such path.',
    remedy: 'See /docs for the paths; they have no slash at the end.',
  },
  'method-not-allowed': {
    title: 'Method not allowed',
    meaning: 'This path does not take this method.',
    remedy: 'Use one of the methods in the Allow header.',
  },
  'not-found': {
    title: 'Not found',
    meaning: 'There is no such record, or it belongs to somebody else.',
    remedy: 'Check the id and the credential.',
  },
  'limit-out-of-range': {
    title: 'Limit out of range',
    meaning: 'The page size is not within its range.',
    remedy: 'Ask for fewer lines and follow next_cursor.',
  },
  'cursor-invalid': {
    title: 'Invalid cursor',
    meaning: 'The cursor was not given by this list, or was given for other filters.',
    remedy: 'Start again without a cursor, and keep the filters while paging.',
  },
  'credential-missing': {
    title: 'Credential missing',
    meaning: 'The request carries no credential.',
    remedy: 'Send `X-API-Key` or `Authorization: Bearer`.',
  },
  'credential-invalid': {
    title: 'Credential invalid',
    meaning: 'The credential is not valid here.',
    remedy: 'Check the key or token, and that it is for this environment.',
  },
  'credential-expired': {
    title: 'Credential expired',
    meaning: 'The credential was valid once and is no longer.',
    remedy: 'Get a new token, or a new key from your administrator.',
  },
  'role-insufficient': {
    title: 'Role insufficient',
    meaning: 'None of the credential’s roles may call this operation.',
    remedy: 'Ask your administrator; `x-roles` in the API description names the roles.',
  },
  'mfa-required': {
    title: 'Second factor required',
    meaning: 'This role needs a sign-in with a second factor.',
    remedy: 'Sign in again with a second factor.',
  },
  'host-tenant-mismatch': {
    title: 'Credential of another address',
    meaning: 'The credential does not belong to the address that was called.',
    remedy: 'Use the base address of your tenant and environment.',
  },
  'identity-provider-unavailable': {
    title: 'Identity provider unavailable',
    meaning: 'The token cannot be checked, because the issuer’s keys cannot be had.',
    remedy: WAIT,
  },
  'idempotency-key-missing': {
    title: 'Idempotency-Key missing',
    meaning: 'This operation needs an Idempotency-Key header.',
    remedy: 'Send a fresh UUID, and the same one when you repeat the request.',
  },
  'idempotency-key-invalid': {
    title: 'Idempotency-Key invalid',
    meaning: 'The Idempotency-Key is not a UUID.',
    remedy: 'Send a UUID, bare or in double quotes.',
  },
  'idempotency-key-reused': {
    title: 'Idempotency-Key reused',
    meaning: 'The key was used with another request within 24 hours.',
    remedy: 'Send a fresh key with a new request.',
  },
  'idempotency-key-in-progress': {
    title: 'Request in progress',
    meaning: 'A request with this key is being worked on.',
    remedy: WAIT,
  },
  'rate-limited': {
    title: 'Too many requests',
    meaning: 'A rate limit of this credential is used up.',
    remedy: 'Send the same request again after Retry-After seconds, not before.',
  },
  'list-unknown': {
    title: 'Unknown list',
    meaning: 'There is no list of that code.',
    remedy: 'Use the codes of the API description, or source ids.',
  },
  'list-unavailable': {
    title: 'List not loaded',
    meaning: 'The list is known and no version of it is in force.',
    remedy: 'Import the list first, or leave it out.',
  },
  'list-damaged': {
    title: 'Damaged list file',
    meaning: 'The file is not whole; nothing was changed.',
    remedy: 'Fetch the file again and compare its digest.',
  },
  'list-foreign': {
    title: 'Not a file of this source',
    meaning: 'The file is not what this source publishes; nothing was changed.',
    remedy: 'Check the source id and the file.',
  },
  'list-shrunk': {
    title: 'List lost too many entities',
    meaning: 'More than a tenth of the entities in force would go.',
    remedy: 'Check that it is the file of this source; if it is, allow the shrink explicitly.',
  },
  'list-stale': {
    title: 'List is not the latest',
    meaning:
      'The release is older than the one in force, or another import of this source came first.',
    remedy: 'Look at the version in force, and import again if it is still needed.',
  },
  'list-unreachable': {
    title: 'List not fetched',
    meaning:
      'The publisher did not give the file out, after several attempts; nothing was changed.',
    remedy: 'Check the address of the source and the way to it; the next run tries again.',
  },
  'batch-base-missing': {
    title: 'No batch to go on from',
    meaning: 'The mode screens what is new since an earlier batch, and there is no such batch.',
    remedy: 'Run a full batch of the same name first, or give `since` with the mode delta.',
  },
  'source-unknown': {
    title: 'Unknown source',
    meaning: 'There is no list source of that id.',
    remedy: 'Use an id of `GET /v1/sanctions/etl/sources`.',
  },
  'run-unknown': {
    title: 'Unknown run',
    meaning: 'There is no such run of a list, or its 90 days have passed.',
    remedy: 'Use an id of `GET /v1/sanctions/etl/runs`.',
  },
  'cron-invalid': {
    title: 'Schedule refused',
    meaning: 'A schedule is not a Quartz expression of six fields, or fires too often.',
    remedy: SEE_ERRORS,
  },
  'air-gap-path-invalid': {
    title: 'Path refused',
    meaning: 'The path does not stay under the folder for signed bundles.',
    remedy: 'Send a relative path of plain names.',
  },
  'link-expired': {
    title: 'Link expired',
    meaning: 'The link was good once; its five minutes have passed.',
    remedy: 'Ask for a new link.',
  },
  'range-unsatisfiable': {
    title: 'Range not satisfiable',
    meaning: 'The content ends before the range begins.',
    remedy: 'Ask for a range within the content, or for all of it.',
  },
  'name-empty': {
    title: 'Nothing to compare',
    meaning: 'The name has no letter or digit left after normalisation.',
    remedy: 'Send a name with letters.',
  },
  'state-conflict': {
    title: 'Wrong state',
    meaning: 'The record is not in a state that allows this.',
    remedy: 'Read the record again and decide anew.',
  },
  'precondition-failed': {
    title: 'Precondition failed',
    meaning: 'The record is another version than If-Match names: somebody changed it meanwhile.',
    remedy: 'Read the record again; its ETag is the version to name.',
  },
  'audit-chain-broken': {
    title: 'Evidence chain broken',
    meaning: 'The tenant’s evidence does not verify, and changes are locked.',
    remedy: 'Call your compliance officer; `audit verify` names the event.',
  },
  'dual-control-header-missing': {
    title: 'Second signature missing',
    meaning: 'This change needs the headers of a second signer.',
    remedy: 'Send X-User-Id, X-Approval-User-Id, X-Approval-Signature and X-Approval-Timestamp.',
  },
  'dual-control-same-person': {
    title: 'One person twice',
    meaning: 'Author and approver are the same person.',
    remedy: 'Have another person approve.',
  },
  'dual-control-roles': {
    title: 'Wrong roles for dual control',
    meaning: 'The two signers do not hold the two roles that are needed.',
    remedy: 'Have a person of the missing role sign.',
  },
  'dual-control-signature-invalid': {
    title: 'Signature invalid',
    meaning: 'The approval does not verify with the approver’s public key.',
    remedy: 'Sign the exact change with the registered key.',
  },
  'dual-control-expired': {
    title: 'Approval expired',
    meaning: 'The approval is older than five minutes.',
    remedy: 'Sign again.',
  },
  'dual-control-replayed': {
    title: 'Approval used',
    meaning: 'The approval was used before.',
    remedy: 'Sign again.',
  },
  'setting-unknown': {
    title: 'Unknown setting',
    meaning: 'There is no setting of that name.',
    remedy: 'See the settings in docs/limits.md.',
  },
  'setting-invalid': {
    title: 'Invalid setting',
    meaning: 'The value is not within the setting’s range.',
    remedy: SEE_ERRORS,
  },
  'public-key-invalid': {
    title: 'Public key refused',
    meaning: 'This is not a usable Ed25519 public key.',
    remedy: 'Make a fresh key pair and register 32 raw bytes in base64.',
  },
  'store-unavailable': {
    title: 'Store unavailable',
    meaning: 'The store does not answer; nothing was done.',
    remedy: WAIT,
  },
  'storage-full': {
    title: 'Storage full',
    meaning: 'There is no room to store what was sent; nothing was kept of it.',
    remedy: 'Ask the operator to make room, then send the whole request again.',
  },
  'engine-queue-full': {
    title: 'Screening queue full',
    meaning: 'More screenings are waiting than can be done in time; nothing was done.',
    remedy: WAIT,
  },
  'deadline-exceeded': {
    title: 'Not done in time',
    meaning: 'The work was not finished in time.',
    remedy: 'Repeat the request with the same Idempotency-Key.',
  },
  'not-ready': {
    title: 'Not ready',
    meaning: 'This process cannot serve yet, cannot write its evidence, or is stopping.',
    remedy: WAIT,
  },
  internal: {
    title: 'Internal error',
    meaning: 'Something went wrong on our side; the request id leads to the log.',
    remedy: 'Repeat the request with the same Idempotency-Key; report the request id.',
  },
};
