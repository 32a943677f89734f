/**
 * The description of the operations that there are: sound as OpenAPI 3.1, with a role row for each
 * operation and every problem that it can answer.
 */
import { Compile } from 'typebox/compile';
import { describe, expect, test } from 'vitest';
import { ROLES } from '#core/identity';
import { DESCRIBED_OPERATIONS } from '../../scripts/writeDocs.ts';
import { exampleOf } from '../../src/api/exampleOf.ts';
import { describeApi } from '../../src/api/openapi.ts';
import { type JsonObject, toSchema } from '../../src/api/openapiComponents.ts';
import type { Operation } from '../../src/api/operation.ts';
import { compileSchema } from '../../src/api/validate.ts';
import { PROBLEMS } from '../../src/app/sliceRows.ts';
import { listOperations } from '../../src/slices/screening/edge/lists.ts';
import { screeningOperations } from '../../src/slices/screening/edge/screenings.ts';
import { gatewayOf, operationOf } from './fakes.ts';

/** Described, never called. */
const unused = undefined as never;
const OPERATIONS: readonly Operation[] = [
  ...screeningOperations({
    audit: unused,
    clock: unused,
    explain: unused,
    factsOf: unused,
    screen: unused,
    settingsOf: unused,
    signed: unused,
  }),
  ...listOperations({ lists: unused } as never),
];

const ORIGINS = { live: 'https://api.example.com', sandbox: 'https://sandbox.example.com' };
const api = describeApi({
  deprecated: new Set(['getListsInForce']),
  operations: OPERATIONS,
  origins: ORIGINS,
  problems: PROBLEMS,
  version: '1.2.3',
}) as Record<string, Record<string, unknown>>;

interface Described {
  readonly operationId: string;
  readonly tags: string[];
  readonly 'x-roles': string[];
  readonly 'x-scopes': string[];
  readonly parameters: { in?: string; name?: string; $ref?: string }[];
  readonly responses: Record<
    string,
    { $ref?: string; headers?: object; content?: Record<string, { examples?: object }> }
  >;
  readonly requestBody?: { content: Record<string, { example?: unknown; schema: JsonObject }> };
  readonly deprecated?: boolean;
}

const described = Object.entries(api.paths as Record<string, Record<string, Described>>).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, operation, path })),
);

const resolve = (ref: string): unknown => lookUp(api, ref);

function lookUp(root: unknown, ref: string): unknown {
  return ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, step) => (at as Record<string, unknown>)?.[step], root);
}

function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === '$ref' && typeof member === 'string' ? [member] : references(member),
  );
}

test('the description has the members that OpenAPI 3.1 requires', () => {
  expect(api.openapi).toBe('3.1.0');
  expect(api.info).toMatchObject({ title: 'Compliance platform', version: '1.2.3' });
  expect(api.servers).toEqual([
    { description: 'Production', url: ORIGINS.live },
    { description: 'Sandbox', url: ORIGINS.sandbox },
  ]);
  expect(Object.keys(api.components?.securitySchemes as object)).toEqual(['apiKey', 'bearer']);
});

test('every reference leads somewhere', () => {
  const all = references(api);
  expect(all.length).toBeGreaterThan(50);
  expect(all.filter((ref) => resolve(ref) === undefined)).toEqual([]);
});

test('operation ids are unique, and each operation is described', () => {
  const ids = described.map(({ operation }) => operation.operationId);
  expect(ids.sort()).toEqual(OPERATIONS.map(({ id }) => id).sort());
  expect(new Set(ids).size).toBe(ids.length);
});

test('records that several operations answer with are one schema each', () => {
  const all = describeApi({
    deprecated: new Set(),
    operations: DESCRIBED_OPERATIONS,
    origins: {},
    problems: PROBLEMS,
    version: '1',
  });
  const { schemas } = all.components as { schemas: Record<string, JsonObject> };
  for (const name of ['Batch', 'Hit', 'Run', 'Source']) {
    expect(schemas[name]?.properties, name).toBeDefined();
    expect(
      references(all.paths)
        .concat(references(schemas))
        .filter((ref) => ref.endsWith(`/${name}`)).length,
      name,
    ).toBeGreaterThan(1);
  }
  expect(references(all).filter((ref) => lookUp(all, ref) === undefined)).toEqual([]);
});

describe('every answer with a schema has an example', () => {
  test.each(DESCRIBED_OPERATIONS.map((operation) => [operation.id, operation] as const))(
    '%s: one that its schema takes',
    (_, { responses }) => {
      for (const { example, schema } of Object.values(responses)) {
        if (schema === undefined) continue;
        const shown = example ?? exampleOf(toSchema(schema));
        expect(shown).toBeDefined();
        expect(compileSchema(schema)(shown)).toEqual([]);
      }
    },
  );
});

test('an operation describes the problems that it can give, and no others', () => {
  const [screening] = described.filter(({ operation }) => operation.operationId === 'screenName');
  expect(Object.keys(screening?.operation.responses ?? {})).toEqual([
    '200',
    '400',
    '401',
    '403',
    '408',
    '409',
    '413',
    '415',
    '422',
    '429',
    '500',
    '503',
  ]);
  const [reading] = described.filter(
    ({ operation }) => operation.operationId === 'getListsInForce',
  );
  expect(Object.keys(reading?.operation.responses ?? {})).toEqual([
    '200',
    '400',
    '401',
    '403',
    '409',
    '413',
    '429',
    '500',
    '503',
  ]);
});

test('what is signed as text is described as text, and files as bytes', () => {
  const { parameters } = api.components as { parameters: Record<string, { schema: JsonObject }> };
  expect(parameters.ApprovalTimestamp?.schema).toMatchObject({ type: 'string' });
  expect(parameters.ApprovalTimestamp?.schema).not.toHaveProperty('format');
});

test('tags in use are declared, and no others', () => {
  const used = new Set(described.flatMap(({ operation }) => operation.tags));
  const declared = (api.tags as unknown as { name: string }[]).map(({ name }) => name);
  expect([...used].sort()).toEqual(declared.sort());
});

test('a table line in deprecations marks its operation', () => {
  const marked = described.filter(({ operation }) => operation.deprecated);
  expect(marked.map(({ operation }) => operation.operationId)).toEqual(['getListsInForce']);
});

test('every schema is one that compiles', () => {
  const schemas = api.components?.schemas as Record<string, JsonObject>;
  expect(Object.keys(schemas)).toContain('ScreenNameRequest');
  for (const [name, schema] of Object.entries(schemas)) {
    expect(() => Compile(schema as never), name).not.toThrow();
    expect(JSON.stringify(schema), name).not.toContain('~kind');
  }
});

test('the role table of the roles module is published as it is', () => {
  for (const { operation } of described) {
    const row = OPERATIONS.find(({ id }) => id === operation.operationId);
    expect(operation['x-roles'], operation.operationId).toEqual(row?.roles);
    expect(operation['x-scopes'], operation.operationId).toEqual([row?.scope]);
  }
});

test.each([
  ['file', '416', ['IfNoneMatch', 'IfRange', 'Range']],
  ['version', '412', ['IfMatch']],
] as const)(
  'conditions of a %s are described, with its own problems',
  (conditions, status, names) => {
    const operations = OPERATIONS.slice(0, 1).map((one) => ({
      ...one,
      conditions,
      problems: ['storage-full'] as const,
    }));
    const { paths } = describeApi({
      deprecated: new Set(),
      operations,
      origins: {},
      problems: PROBLEMS,
      version: '1',
    });
    const [{ post } = {}] = Object.values(paths as Record<string, { post?: Described }>);
    expect(Object.keys(post?.responses ?? {})).toEqual(expect.arrayContaining([status, '507']));
    const parameters = names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
    expect(post?.parameters).toEqual(expect.arrayContaining(parameters));
  },
);

describe.each(described)('$method $path', ({ method, operation, path }) => {
  test('has a row of known roles', () => {
    expect(operation['x-roles'].length).toBeGreaterThan(0);
    expect(operation['x-roles'].filter((role) => !ROLES.includes(role as never))).toEqual([]);
  });

  test('describes each parameter of its path', () => {
    const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
    const declared = operation.parameters.filter((one) => one.in === 'path');
    expect(declared.map(({ name }) => name)).toEqual(names);
  });

  test('needs a key where it changes something', () => {
    const key = { $ref: '#/components/parameters/IdempotencyKey' };
    if (method === 'post') expect(operation.parameters).toContainEqual(key);
    else expect(operation.parameters).not.toContainEqual(key);
  });

  test('describes its problems and the headers of its answers', () => {
    for (const status of [400, 401, 403, 429, 500, 503]) {
      const response = resolve(
        operation.responses[status]?.$ref ?? '',
      ) as Described['responses'][0];
      const { examples = {} } = Object.values(response.content ?? {})[0] ?? {};
      const codes = Object.keys(examples) as (keyof typeof PROBLEMS)[];
      expect(codes.length).toBeGreaterThan(0);
      for (const code of codes) expect(PROBLEMS[code].status).toBe(status);
    }
    expect(Object.keys(operation.responses['200']?.headers ?? {})).toContain('X-RateLimit-Limit');
    expect(operation.responses['200']?.content).toBeDefined();
  });

  test('gives an example that its own schema takes', () => {
    if (operation.requestBody === undefined) return;
    const { example } = operation.requestBody.content['application/json'] ?? {};
    expect(example).toBeDefined();
    const schema = OPERATIONS.find(({ id }) => id === operation.operationId)?.body;
    expect(schema && compileSchema(schema)(example)).toEqual([]);
  });
});

test('the gateway takes every operation that is described', () => {
  expect(() => gatewayOf(OPERATIONS)).not.toThrow();
});

test('without public addresses the description names its own', () => {
  const plain = describeApi({
    deprecated: new Set(),
    operations: [operationOf()],
    origins: {},
    problems: PROBLEMS,
    version: '0.0.1',
  });
  expect(plain.servers).toEqual([{ url: '/' }]);
});
