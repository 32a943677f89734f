/**
 * The API description, OpenAPI 3.1, from the same table that gives the router, the role check and
 * the validators, so it describes the running code. Client libraries are generated from it, so
 * operation ids and schema names are stable: `<OperationId>Request`, `<OperationId>Response`.
 */
import assert from 'node:assert/strict';
import type { TSchema } from 'typebox';
import type { ProblemTable } from '#core/kernel';
import {
  APPROVAL_PARAMETERS,
  CONDITION_PARAMETERS,
  components,
  type Json,
  type JsonObject,
  problemReference,
  responseHeaders,
  SECURITY,
  TAGS,
} from './openapiComponents.ts';
import type { Operation } from './operation.ts';
import { isUuidParameter } from './parseRequest.ts';
import { parameterNames } from './router.ts';

export interface ApiDescriptionOptions {
  readonly operations: readonly Operation[];
  readonly problems: ProblemTable;
  /** `package.json`'s: of the description, while `/v1` is the interface's. */
  readonly version: string;
  /** Public addresses; without one the description's own. */
  readonly origins: { readonly live?: string; readonly sandbox?: string };
  /** Operation ids that will go (config/deprecations.json). */
  readonly deprecated: ReadonlySet<string>;
}

/** Beside every operation's own: no credential, wrong role, limits, and our own failures. */
const PROBLEMS_OF_ALL = [400, 401, 403, 429, 500, 503];
const PROBLEMS_OF_BODY = [408, 413, 415];
const PROBLEMS_OF_KEY = [409, 422];
const PROBLEMS_OF_CONDITIONS = { file: [416], version: [412] };

export function describeApi(options: ApiDescriptionOptions): JsonObject {
  const paths: Record<string, Record<string, Json>> = {};
  const schemas: Record<string, JsonObject> = {};
  for (const operation of options.operations) {
    const path = paths[operation.path] ?? {};
    paths[operation.path] = path;
    const isDeprecated = options.deprecated.has(operation.id);
    path[operation.method.toLowerCase()] = {
      ...describeOperation(operation, schemas),
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
    servers: servers(options.origins),
    security: SECURITY,
    tags: TAGS.filter(({ name }) => used.has(String(name))),
    paths,
    components: components(schemas, {
      origin: options.origins.live ?? 'https://api.example.com',
      problems: options.problems,
    }),
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
    parameters: [
      ...pathParameters(operation),
      ...queryParameters(operation),
      ...keyParameters(operation),
      ...approvalParameters(operation),
      ...conditionParameters(operation),
    ],
    ...(bodySchema(operation) !== undefined && { requestBody: requestBody(operation, schemas) }),
    responses: responses(operation, schemas),
  };
}

function pathParameters(operation: Operation): JsonObject[] {
  return parameterNames(operation.path).map((name) => ({
    in: 'path',
    name,
    required: true,
    schema: isUuidParameter(name)
      ? { format: 'uuid', type: 'string' }
      : { maxLength: 64, minLength: 1, pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$', type: 'string' },
  }));
}

function queryParameters({ query, id }: Operation): JsonObject[] {
  if (query === undefined) return [];
  const { properties, required } = toJson(query);
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
    },
    description: `At most ${operation.bodyBytesMax} bytes`,
    required: true,
  };
}

function responses(operation: Operation, schemas: Record<string, JsonObject>): JsonObject {
  const problems = new Set(PROBLEMS_OF_ALL);
  if (bodySchema(operation) !== undefined)
    for (const status of PROBLEMS_OF_BODY) problems.add(status);
  else problems.add(413);
  if (keyParameters(operation).length > 0) {
    for (const status of PROBLEMS_OF_KEY) problems.add(status);
  }
  if (operation.path.includes('{')) problems.add(404);
  const { conditions, problems: own = [] } = operation;
  const conditional = conditions === undefined ? [] : PROBLEMS_OF_CONDITIONS[conditions];
  for (const status of [...own, ...conditional]) problems.add(status);
  const described: Record<string, Json> = {};
  for (const status of problems) described[status] = problemReference(status);
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
  const { description, example, files, schema } = response;
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

function named(schemas: Record<string, JsonObject>, name: string, schema: TSchema): JsonObject {
  assert(!(name in schemas), `${name}: two schemas of one name`);
  schemas[name] = toJson(schema);
  return { $ref: `#/components/schemas/${name}` };
}

function pascal(id: string): string {
  return id.charAt(0).toUpperCase() + id.slice(1);
}

/** A TypeBox schema is its own JSON Schema, once its hidden members are left behind. */
function toJson(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
