/**
 * The API description, OpenAPI 3.1, from the same table that gives the router, the role check and
 * the validators, so it describes the running code. Client libraries are generated from it, so
 * operation ids and schema names are stable: `<OperationId>Request`, `<OperationId>Response`.
 */
import assert from 'node:assert/strict';
import type { TSchema } from 'typebox';
import type { ErrorCode, ProblemTable } from '#core/kernel';
import { exampleOf } from './exampleOf.ts';
import { type DescribedCall, describeCall } from './openapiCalls.ts';
import {
  APPROVAL_PARAMETERS,
  CONDITION_PARAMETERS,
  components,
  isObject,
  type Json,
  type JsonObject,
  problemResponse,
  responseHeaders,
  SECURITY,
  TAGS,
  toJson,
  toSchema,
  VALUES,
} from './openapiComponents.ts';
import type { Operation } from './operation.ts';
import { byStatus, problemsOf } from './operationProblems.ts';
import { parameterForm } from './parseRequest.ts';
import { parameterNames } from './router.ts';

export interface ApiDescriptionOptions {
  readonly operations: readonly Operation[];
  readonly problems: ProblemTable;
  /** `package.json`'s: of the description, while `/v1` is the interface's. */
  readonly version: string;
  /** Public addresses; without one the description's own. */
  readonly origins: { readonly live?: string; readonly sandbox?: string };
  /** Calls that we make to addresses of customers, described with the operations. */
  readonly calls?: readonly DescribedCall[];
  /** Operation ids that will go (config/deprecations.json). */
  readonly deprecated: ReadonlySet<string>;
}

export function describeApi(options: ApiDescriptionOptions): JsonObject {
  const paths: Record<string, Record<string, Json>> = {};
  const schemas: Record<string, JsonObject> = {};
  const problems = new ProblemResponses(options.problems);
  for (const operation of options.operations) {
    const path = paths[operation.path] ?? {};
    paths[operation.path] = path;
    const isDeprecated = options.deprecated.has(operation.id);
    path[operation.method.toLowerCase()] = {
      ...describeOperation(operation, problems, schemas),
      ...(isDeprecated && { deprecated: true }),
    };
  }
  const used = new Set<string>(options.operations.map(({ tag }) => tag));
  return {
    openapi: '3.1.0',
    info: {
      description:
        'Multi-tenant compliance screening. Every answer of 400 and above is a problem (RFC 9457).',
      license: { identifier: 'Apache-2.0', name: 'Apache-2.0' },
      title: 'Compliance platform',
      version: options.version,
    },
    externalDocs: { description: 'Guide', url: '/docs/guide' },
    servers: servers(options.origins),
    security: SECURITY,
    tags: TAGS.filter(({ name }) => used.has(String(name))),
    paths,
    ...(options.calls !== undefined && {
      webhooks: Object.fromEntries(options.calls.map((call) => [call.name, describeCall(call)])),
    }),
    components: {
      ...components(schemas, {
        origin: options.origins.live ?? 'https://api.example.com',
        problems: options.problems,
      }),
      responses: problems.responses,
    },
  };
}

function servers(origins: ApiDescriptionOptions['origins']): JsonObject[] {
  const live = origins.live === undefined ? [] : [{ description: 'Production', url: origins.live }];
  const sandbox =
    origins.sandbox === undefined ? [] : [{ description: 'Sandbox', url: origins.sandbox }];
  const named = [...live, ...sandbox];
  return named.length > 0 ? named : [{ url: '/' }];
}

function describeOperation(
  operation: Operation,
  problems: ProblemResponses,
  schemas: Record<string, JsonObject>,
): Record<string, Json> {
  const { description } = operation;
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    ...(description !== undefined && { description }),
    'x-roles': [...operation.roles],
    'x-scopes': [operation.scope],
    ...(operation.session !== undefined && { 'x-session': true }),
    parameters: [
      ...pathParameters(operation),
      ...queryParameters(operation),
      ...keyParameters(operation),
      ...approvalParameters(operation),
      ...conditionParameters(operation),
    ],
    ...(bodySchema(operation) !== undefined && { requestBody: requestBody(operation, schemas) }),
    responses: responses(operation, problems, schemas),
  };
}

function pathParameters(operation: Operation): JsonObject[] {
  return parameterNames(operation.path).map((name) => ({
    in: 'path',
    name,
    required: true,
    schema: { ...parameterForm(name).schema },
  }));
}

function queryParameters({ query, id }: Operation): JsonObject[] {
  if (query === undefined) return [];
  const { properties, required } = toSchema(query);
  assert(isObject(properties), `${id}: a query schema is an object with properties`);
  const needed = Array.isArray(required) ? required : [];
  return Object.entries(properties).map(([name, schema]) => {
    assert(isObject(schema), `${id}: ?${name}`);
    const { description, ...rest } = schema;
    return {
      in: 'query',
      name,
      required: needed.includes(name),
      ...(description !== undefined && { description }),
      schema: rest,
    };
  });
}

function keyParameters({ idempotency, method }: Operation): JsonObject[] {
  if (idempotency === 'none' || method === 'GET' || method === 'DELETE') return [];
  const name = method === 'POST' ? 'IdempotencyKey' : 'IdempotencyKeyOptional';
  return [{ $ref: `#/components/parameters/${name}` }];
}

function approvalParameters({ approval }: Operation): JsonObject[] {
  return approval === undefined
    ? []
    : APPROVAL_PARAMETERS.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

const conditionParameters = ({ conditions }: Operation): JsonObject[] =>
  conditions === undefined
    ? []
    : CONDITION_PARAMETERS[conditions].map((name) => ({
        $ref: `#/components/parameters/${name}`,
      }));

/** A body that is no JSON: its format has its own description. */
const TEXT_BODY = { type: 'string' } as const;

/** A file among the parts of a form. */
const FORM_BODY = {
  properties: { file: { contentMediaType: 'application/octet-stream', type: 'string' } },
  required: ['file'],
  type: 'object',
} as const;

const furtherBody = (type: string) => (type === 'multipart/form-data' ? FORM_BODY : TEXT_BODY);

const bodySchema = ({ body, upload }: Operation): TSchema | undefined => body ?? upload?.schema;

function requestBody(operation: Operation, schemas: Record<string, JsonObject>): JsonObject {
  const { example } = operation;
  const body = bodySchema(operation);
  assert(body !== undefined);
  return {
    content: {
      [operation.upload?.mediaType ?? 'application/json']: {
        schema: named(schemas, `${pascal(operation.id)}Request`, body),
        ...(example !== undefined && { example: toJson(example) }),
      },
      ...Object.fromEntries(
        (operation.upload?.furtherTypes ?? []).map((type) => [type, { schema: furtherBody(type) }]),
      ),
    },
    description: `At most ${operation.bodyBytesMax} bytes`,
    required: true,
  };
}

/** One shared response for each status and set of codes, so that operations of a kind share it. */
class ProblemResponses {
  readonly table: ProblemTable;
  readonly responses: Record<string, JsonObject> = {};
  readonly #names = new Map<string, string>();

  constructor(table: ProblemTable) {
    this.table = table;
  }

  reference(status: number, codes: readonly ErrorCode[]): JsonObject {
    const key = `${status} ${codes.join()}`;
    const name = this.#names.get(key) ?? this.#nextName(status);
    this.#names.set(key, name);
    this.responses[name] ??= problemResponse(status, codes, this.table);
    return { $ref: `#/components/responses/${name}` };
  }

  #nextName(status: number): string {
    for (let count = 1; ; count++) {
      const name = `Problem${status}${count === 1 ? '' : `v${count}`}`;
      if (!(name in this.responses)) return name;
    }
  }
}

function responses(
  operation: Operation,
  problems: ProblemResponses,
  schemas: Record<string, JsonObject>,
): JsonObject {
  const described: Record<string, Json> = {};
  const { table } = problems;
  for (const [status, codes] of byStatus(problemsOf(operation, table), table)) {
    described[status] = problems.reference(status, codes);
  }
  for (const [status, response] of Object.entries(operation.responses)) {
    described[status] = describeResponse(operation, status, response, schemas);
  }
  return described;
}

function describeResponse(
  operation: Operation,
  status: string,
  response: Operation['responses'][number],
  schemas: Record<string, JsonObject>,
): JsonObject {
  const { description, files, schema } = response;
  const example = response.example ?? (schema && exampleOf(toSchema(schema)));
  const replayed = keyParameters(operation).length > 0 ? ['Idempotent-Replayed'] : [];
  const isOnly = Object.keys(operation.responses).length === 1;
  const name = `${pascal(operation.id)}Response${isOnly ? '' : status}`;
  return {
    description,
    headers: responseHeaders(...replayed),
    ...(files !== undefined && {
      content: Object.fromEntries(files.map((type) => [type, { schema: BINARY }])),
    }),
    ...(schema !== undefined && {
      content: {
        'application/json': {
          schema: named(schemas, name, schema),
          ...(example !== undefined && { example: toJson(example) }),
        },
      },
    }),
  };
}

const BINARY: JsonObject = { format: 'binary', type: 'string' };

/** By the title that the schema brings, under which every operation shares it, or by `name`. */
function named(schemas: Record<string, JsonObject>, name: string, schema: TSchema): JsonObject {
  const json = toSchema(schema);
  const { title } = json;
  if (typeof title === 'string') return shared(schemas, json) as JsonObject;
  assert(!(name in schemas), `${name}: two schemas of one name`);
  schemas[name] = shared(schemas, json) as JsonObject;
  return { $ref: `#/components/schemas/${name}` };
}

/** The schema with every titled part of it moved to the shared ones. */
function shared(schemas: Record<string, JsonObject>, schema: Json | undefined): Json {
  if (Array.isArray(schema)) return schema.map((one) => shared(schemas, one));
  if (!isObject(schema)) return schema ?? null;
  const { title, ...members } = schema;
  const isTitled = typeof title === 'string';
  const described = Object.fromEntries(
    Object.entries(isTitled ? members : schema).map(([key, member]) => [
      key,
      VALUES.has(key) ? member : shared(schemas, member),
    ]),
  );
  if (!isTitled) return described;
  if (title in schemas) assert.deepEqual(described, schemas[title], `${title}: two schemas`);
  schemas[title] = described;
  return { $ref: `#/components/schemas/${title}` };
}

function pascal(id: string): string {
  return id.charAt(0).toUpperCase() + id.slice(1);
}
