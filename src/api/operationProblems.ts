/**
 * The problems that an operation can give: those that follow from what it takes (a body, a key, a
 * version, a second signature), and those that it names itself. Failures of ours are every
 * operation's, and so is what was written past the service: keys and tenants are looked at first.
 * The description is made of this, and a gateway that checks its replies (as in tests) refuses to
 * give another one.
 */
import { codesOf, type ErrorCode, type ProblemTable } from '#core/kernel';
import type { Operation } from './operation.ts';

const OF_ALL: readonly ErrorCode[] = [
  'body-aborted',
  'body-too-large',
  'credential-expired',
  'credential-invalid',
  'credential-missing',
  'evidence-altered',
  'framing-ambiguous',
  'host-tenant-mismatch',
  'identity-provider-unavailable',
  'internal',
  'mfa-required',
  'not-ready',
  'query-invalid',
  'rate-limited',
  'role-insufficient',
  'scope-insufficient',
  'session-scope',
  'state-altered',
  'store-unavailable',
];
const OF_BODY: readonly ErrorCode[] = [
  'body-invalid',
  'body-missing',
  'body-timeout',
  'json-malformed',
  'media-type-unsupported',
];
const OF_UPLOAD: readonly ErrorCode[] = ['storage-full'];
const OF_FORM: readonly ErrorCode[] = ['multipart-malformed', 'upload-damaged'];
/** A POST that takes nothing refuses what is sent all the same. */
const OF_NO_BODY: readonly ErrorCode[] = ['body-invalid'];
const OF_KEY: readonly ErrorCode[] = [
  'idempotency-key-in-progress',
  'idempotency-key-invalid',
  'idempotency-key-reused',
];
const OF_APPROVAL: readonly ErrorCode[] = [
  'dual-control-expired',
  'dual-control-header-missing',
  'dual-control-replayed',
  'dual-control-roles',
  'dual-control-same-person',
  'dual-control-signature-invalid',
];
const OF_SESSION: readonly ErrorCode[] = ['session-ended', 'session-expired'];
const OF_CONDITIONS = {
  file: ['range-unsatisfiable'],
  version: ['header-invalid', 'precondition-failed'],
  wait: [],
} as const satisfies Record<string, readonly ErrorCode[]>;

/** Sorted, each once. */
export function problemsOf(operation: Operation, table: ProblemTable): readonly ErrorCode[] {
  const { approval, body, conditions, path, problems = [], session, upload } = operation;
  const takesBody = body !== undefined || upload !== undefined;
  const codes: readonly ErrorCode[] = [
    ...OF_ALL,
    ...(takesBody ? OF_BODY : OF_NO_BODY),
    ...(upload === undefined ? [] : OF_UPLOAD),
    ...(upload?.mediaType === 'multipart/form-data' ? OF_FORM : []),
    ...keyProblems(operation),
    ...pageProblems(operation),
    ...(path.includes('{') ? (['path-invalid'] as const) : []),
    ...(approval === undefined ? [] : OF_APPROVAL),
    ...(session === undefined ? [] : OF_SESSION),
    ...(conditions === undefined ? [] : OF_CONDITIONS[conditions]),
    ...problems,
    ...(operation.passesOn === true ? passedOn(table) : []),
  ];
  return [...new Set(codes)].sort();
}

/** What is unknown, in the wrong state, or breaks a rule, whatever slice says so. */
const passedOn = (table: ProblemTable): readonly ErrorCode[] =>
  codesOf(table).filter((code) => [404, 409, 422].includes(table[code].status));

/** A GET and a DELETE take no key; of the others a POST must have one. */
function keyProblems({ idempotency, method }: Operation): readonly ErrorCode[] {
  if (idempotency === 'none' || method === 'GET' || method === 'DELETE') return [];
  return method === 'POST' ? [...OF_KEY, 'idempotency-key-missing'] : OF_KEY;
}

function pageProblems({ query }: Operation): readonly ErrorCode[] {
  const members = query !== undefined && 'properties' in query ? query.properties : {};
  const names = Object.keys(members as object);
  return [
    ...(names.includes('cursor') ? (['cursor-invalid'] as const) : []),
    ...(names.includes('limit') ? (['limit-out-of-range'] as const) : []),
  ];
}

/** The codes of each status, by status. */
export function byStatus(
  codes: readonly ErrorCode[],
  problems: ProblemTable,
): ReadonlyMap<number, readonly ErrorCode[]> {
  const found = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = problems[code];
    found.set(status, [...(found.get(status) ?? []), code]);
  }
  return new Map([...found].sort(([a], [b]) => a - b));
}
