/**
 * The parts of the API description that every operation shares: how to sign in, the headers, the
 * problem document with an example of each code.
 */
import { codesOf, type ErrorCode, type ProblemRow, type ProblemTable } from '#core/kernel';
import { PROBLEM_MEDIA_TYPE, problemType } from './presentError.ts';

/** JSON as it is written. The description is data, and a test checks its form. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

/** A TypeBox schema is its own JSON Schema, once its hidden members are left behind. */
export function toJson(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

/** Members that hold values, which are no schemas. */
export const VALUES: ReadonlySet<string> = new Set([
  'const',
  'default',
  'enum',
  'example',
  'examples',
]);

/**
 * As `toJson`, with a choice of words as `enum`. Generators of clients read a union of constants as
 * its last one (openapi-python-client 0.29).
 */
export function toSchema(value: unknown): JsonObject {
  return withChoices(toJson(value)) as JsonObject;
}

function withChoices(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withChoices);
  if (!isObject(schema)) return schema;
  const members = Object.entries(schema).map(([key, member]): [string, Json] => [
    key,
    VALUES.has(key) ? member : withChoices(member),
  ]);
  const words = wordsOf(schema.anyOf);
  if (words === undefined) return Object.fromEntries(members);
  const kept = members.filter(([key]) => key !== 'anyOf');
  return { ...Object.fromEntries(kept), type: 'string', enum: [...words] };
}

function wordsOf(union: Json | undefined): readonly string[] | undefined {
  if (!Array.isArray(union) || union.length === 0) return undefined;
  const words = union.map((one) =>
    isObject(one) && Object.keys(one).every((key) => key === 'const' || key === 'type')
      ? one.const
      : undefined,
  );
  return words.every((word) => typeof word === 'string') ? words : undefined;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const TAGS: readonly JsonObject[] = [
  { description: 'Identity-verification cases and company look-ups', name: 'KYC' },
  { description: 'Screening of subjects, batches, monitoring, reports', name: 'AML' },
  { description: 'Tax reporting: FATCA and CRS', name: 'TCR' },
  { description: 'Versioned forms', name: 'Forms' },
  { description: 'Risk policies, and evaluations of clients by them', name: 'Risk' },
  { description: 'Requests of persons about their data', name: 'Privacy' },
  { description: 'Signed outbound events', name: 'Webhooks' },
  { description: 'Screening of names, its evidence, lists and policies', name: 'Sanctions' },
  { description: 'Running the installation', name: 'Operations' },
];

const SECURITY_SCHEMES: JsonObject = {
  apiKey: {
    description: 'For machines. The prefix says the environment: cp_live_ or cp_test_.',
    in: 'header',
    name: 'X-API-Key',
    type: 'apiKey',
  },
  bearer: {
    bearerFormat: 'JWT',
    description:
      'For people: a token of the configured issuer, with tenant_id and roles. For a customer, ' +
      'where `x-session` is true: the token of an onboarding session.',
    scheme: 'bearer',
    type: 'http',
  },
};

/** Either one is enough. */
export const SECURITY: readonly JsonObject[] = [{ apiKey: [] }, { bearer: [] }];

const HEADERS: Readonly<Record<string, JsonObject>> = {
  'Idempotent-Replayed': header('Present where the answer is an earlier one, given again', {
    const: 'true',
    type: 'string',
  }),
  RateLimit: header('IETF draft: policy name, calls left, seconds until one more', {
    examples: ['"burst";r=57;t=1'],
    type: 'string',
  }),
  'RateLimit-Policy': header('IETF draft: every policy that applies', {
    examples: ['"burst";q=100;w=5,"sustained";q=20;w=1'],
    type: 'string',
  }),
  'Retry-After': header('Seconds after which the same call passes', {
    minimum: 0,
    type: 'integer',
  }),
  'X-RateLimit-Limit': header('Calls that the tightest limit allows at once', {
    minimum: 0,
    type: 'integer',
  }),
  'X-RateLimit-Remaining': header('Calls left of the tightest limit', {
    minimum: 0,
    type: 'integer',
  }),
  'X-Request-Id': header('Made by the service; name it when you report a problem', {
    format: 'uuid',
    type: 'string',
  }),
};

const ON_EVERY_RESPONSE = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'RateLimit-Policy',
  'RateLimit',
];

/** References to the headers of one response; `more` beside those that every response has. */
export function responseHeaders(...more: string[]): JsonObject {
  const names = [...ON_EVERY_RESPONSE, ...more];
  return Object.fromEntries(
    names.map((name) => [name, { $ref: `#/components/headers/${name}` }] as const),
  );
}

const approvalHeader = (name: string, description: string, schema: JsonObject): JsonObject => ({
  description,
  in: 'header',
  name,
  required: true,
  schema: { type: 'string', ...schema },
});

const APPROVAL_HEADERS: Readonly<Record<string, JsonObject>> = {
  ApprovalAuthor: approvalHeader('X-User-Id', 'The person who calls, by id or issuer|subject', {}),
  ApprovalUser: approvalHeader('X-Approval-User-Id', 'The other person, who signed', {}),
  ApprovalSignature: approvalHeader(
    'X-Approval-Signature',
    'base64 Ed25519 over "dual-control-v1\\0" and the canonical JSON (RFC 8785) of {approver, ' +
      'author, field, new_value, resource, timestamp}; the command line makes it: `approval sign`',
    { contentEncoding: 'base64' },
  ),
  ApprovalTimestamp: approvalHeader(
    'X-Approval-Timestamp',
    'When it was signed; accepted for five minutes, once',
    // No `date-time`: generated clients write those with an offset, and what was signed ends in Z.
    { examples: ['2026-01-31T06:00:00.000Z'], pattern: '^\\d{4}-\\d\\d-\\d\\dT[\\d:.]{8,12}Z$' },
  ),
};
export const APPROVAL_PARAMETERS: readonly string[] = Object.keys(APPROVAL_HEADERS);

const conditionHeader = (name: string, description: string): JsonObject => ({
  description,
  in: 'header',
  name,
  required: false,
  schema: { type: 'string' },
});

const CONDITION_HEADERS: Record<string, JsonObject> = {
  IfMatch: conditionHeader('If-Match', 'The ETag of the record as it was read'),
  IfNoneMatch: conditionHeader('If-None-Match', 'The ETag of the file that is there already'),
  IfRange: conditionHeader('If-Range', 'The ETag of the file that Range goes on with'),
  Range: conditionHeader('Range', 'One range of bytes, as bytes=1000-'),
  Prefer: conditionHeader(
    'Prefer',
    'wait=N: seconds that the caller waits for an answer (RFC 7240)',
  ),
};
export const CONDITION_PARAMETERS = {
  file: ['IfNoneMatch', 'IfRange', 'Range'],
  version: ['IfMatch'],
  wait: ['Prefer'],
} as const;

const problemSchema = (problems: ProblemTable): JsonObject => ({
  description: 'RFC 9457. `code` is stable; texts are for people.',
  properties: {
    code: { enum: [...codesOf(problems)], type: 'string' },
    detail: { type: 'string' },
    errors: {
      description: 'Every violation, not just the first',
      items: {
        properties: {
          code: { type: 'string' },
          detail: { type: 'string' },
          pointer: {
            description:
              'RFC 6901 into the body; `?name` of a query parameter, `path:name` of one of the ' +
              'path, `header:Name` of a header',
            type: 'string',
          },
        },
        required: ['pointer', 'code', 'detail'],
        type: 'object',
      },
      type: 'array',
    },
    instance: { format: 'uri', type: 'string' },
    request_id: { format: 'uuid', type: 'string' },
    status: { maximum: 599, minimum: 400, type: 'integer' },
    title: { type: 'string' },
    type: { format: 'uri', type: 'string' },
  },
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'request_id', 'errors'],
  type: 'object',
});

/** `origin`: of the pages that the examples of problems lead to. */
export function components(
  schemas: JsonObject,
  { origin, problems }: { readonly origin: string; readonly problems: ProblemTable },
): JsonObject {
  return {
    examples: Object.fromEntries(
      codesOf(problems).map((code) => [code, problemExample(code, problems[code], origin)]),
    ),
    headers: HEADERS,
    parameters: {
      ...APPROVAL_HEADERS,
      ...CONDITION_HEADERS,
      IdempotencyKey: keyParameter(true),
      IdempotencyKeyOptional: keyParameter(false),
    },
    schemas: { ...schemas, Problem: problemSchema(problems) },
    securitySchemes: SECURITY_SCHEMES,
  };
}

/** One status of an operation, with the codes that it can carry there. */
export function problemResponse(
  status: number,
  codes: readonly ErrorCode[],
  problems: ProblemTable,
): JsonObject {
  const retry = [409, 429, 503].includes(status) ? ['Retry-After'] : [];
  return {
    content: {
      [PROBLEM_MEDIA_TYPE]: {
        examples: Object.fromEntries(
          codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
        ),
        schema: { $ref: '#/components/schemas/Problem' },
      },
    },
    description: codes.map((code) => `\`${code}\`: ${problems[code].meaning}`).join('\n\n'),
    headers: responseHeaders(...retry),
  };
}

function problemExample(
  code: ErrorCode,
  { meaning, status, title }: ProblemRow,
  origin: string,
): JsonObject {
  const requestId = '019b7c3e-8f4a-7d21-9c55-2f6f0a1b3c4d';
  return {
    value: {
      code,
      detail: meaning,
      errors: [],
      instance: `urn:uuid:${requestId}`,
      request_id: requestId,
      status,
      title,
      type: problemType(origin, code),
    },
  };
}

function keyParameter(required: boolean): JsonObject {
  return {
    description:
      'A fresh UUID; the same one again within 24 hours gives the first answer, byte for byte.',
    example: '8e03978e-40d5-43e8-bc93-6894a57f9324',
    in: 'header',
    name: 'Idempotency-Key',
    required,
    schema: { format: 'uuid', type: 'string' },
  };
}

function header(description: string, schema: JsonObject): JsonObject {
  return { description, schema };
}
