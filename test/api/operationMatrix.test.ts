/**
 * Every operation that is described, from its description: who may call it, and what becomes of
 * every field that is missing, wrong, too long, hostile or nobody's business. A new operation is in
 * these tables by being described.
 */
import type { TSchema } from 'typebox';
import { describe, expect, test } from 'vitest';
import { type Principal, ROLES, SCOPES, type Scope } from '#core/identity';
import { DomainError } from '#core/kernel';
import { DESCRIBED_OPERATIONS } from '../../scripts/writeDocs.ts';
import type { HttpRequest } from '../../src/api/http/port.ts';
import type { Operation } from '../../src/api/operation.ts';
import { fakeRequest, gatewayOf, jsonOf, PRINCIPAL } from './fakes.ts';

const ID = '018f0000-0000-7000-8000-0000000000aa';
const KEY = '8e03978e-40d5-43e8-bc93-6894a57f9324';

let handled = 0;
const operations: readonly Operation[] = DESCRIBED_OPERATIONS.map((operation) => ({
  ...operation,
  handle: async () => {
    handled++;
    return { body: {}, status: 200 };
  },
  ...(operation.upload && {
    upload: { ...operation.upload, receive: async () => ({ bodyDigest: '', value: {} }) },
  }),
}));

/** The credential is the role's name. */
async function authenticate(request: HttpRequest): Promise<Principal> {
  const role = request.header('x-api-key');
  if (role === 'session' || role === 'ended') return sessionOf(role === 'ended');
  if (role === undefined) throw new DomainError('credential-missing');
  if (!ROLES.includes(role as never)) throw new DomainError('credential-invalid');
  const scope = request.header('x-test-scope') as Scope | undefined;
  return {
    ...PRINCIPAL,
    roles: [role as Principal['roles'][number]],
    ...(scope !== undefined && { scopes: [scope] }),
  };
}

/** A customer, with the rights of the case and of the form that paths name here. */
const sessionOf = (isEnded: boolean): Principal => ({
  ...PRINCIPAL,
  kind: 'session',
  roles: [],
  session: {
    caseId: ID,
    channel: 'web',
    formId: ID,
    versionId: ID,
    ...(isEnded && { ended: 'session-expired' as const }),
  },
});

const gateway = gatewayOf(operations, { authenticator: { authenticate } });

interface Ask {
  readonly role?: string;
  readonly scope?: string;
  readonly body?: unknown;
}

async function call(operation: Operation, options: Ask = {}) {
  const { body = operation.example, role, scope } = options;
  const text = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body);
  return gateway.handler(
    fakeRequest({
      body: text,
      headers: {
        'content-type': operation.upload?.mediaType ?? 'application/json',
        'idempotency-key': KEY,
        ...(role !== undefined && { 'x-api-key': role }),
        ...(scope !== undefined && { 'x-test-scope': scope }),
      },
      method: operation.method,
      path: operation.path.replaceAll(/\{[^}]+\}/g, ID),
      query: requiredQuery(operation),
    }),
  );
}

/** Parameters that must be there, each with the first value that it may have. */
function requiredQuery({ query }: Operation): string {
  if (query === undefined || !('required' in query)) return '';
  const properties = (query as unknown as { properties: Record<string, TSchema> }).properties;
  return (query.required as string[])
    .map((name) => {
      const { anyOf } = (properties[name] ?? {}) as { anyOf?: { const: string }[] };
      return `${name}=${anyOf?.[0]?.const ?? 'x'}`;
    })
    .join('&');
}

/** What customers call by their sessions, and nobody by a role, has rows of its own below. */
const ofRoles = operations.filter(({ roles }) => roles.length > 0);

describe.each(ofRoles.map((operation) => [operation.id, operation] as const))(
  'who may call %s',
  (_, operation) => {
    test('nobody without a credential, nor with a wrong one', async () => {
      handled = 0;
      expect((await call(operation)).status).toBe(401);
      expect((await call(operation, { role: 'root' })).status).toBe(401);
      expect(handled).toBe(0);
    });

    test.each(ROLES)('%s: by the row of the operation', async (role) => {
      handled = 0;
      const may = operation.roles.includes(role);
      const reply = await call(operation, { role });
      expect([reply.status, handled]).toEqual(may ? [200, 1] : [403, 0]);
    });

    test('of keys with scopes one that has its own', async () => {
      const [role = ''] = operation.roles;
      const may: string[] = [];
      for (const scope of SCOPES) {
        const reply = await call(operation, { role, scope });
        if (reply.status === 200) may.push(scope);
        else expect(jsonOf(reply).code).toBe('scope-insufficient');
      }
      expect(may).toEqual([operation.scope]);
    });

    test('changes something where its scope says so', () => {
      // A secret is shown once: that it was is a change.
      const isShowing = operation.id === 'revealWebhookSecret';
      const isReading =
        (operation.method === 'GET' && !isShowing) ||
        ['linkSnapshot', 'linkStrPackage', 'simulatePolicy', 'simulateRiskPolicy'].includes(
          operation.id,
        );
      // What leaves the house under a name of its own has a scope of its own.
      const isFiling = operation.scope === 'tcr:submit';
      expect(isFiling || operation.scope.endsWith(isReading ? ':read' : ':write')).toBe(true);
    });
  },
);

describe('a customer by a session', () => {
  test.each(operations.map((operation) => [operation.id, operation] as const))(
    '%s: where it says so, and while the session lives',
    async (_, operation) => {
      const named = [...operation.path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
      const isOwn = named.every((name) => name === 'case_id' || name === 'form_id');
      const may = operation.session !== undefined && isOwn;
      expect(operation.session === undefined || isOwn).toBe(true);
      const live = await call(operation, { role: 'session' });
      expect(live.status).toBe(may ? 200 : 403);
      if (!may) expect(jsonOf(live).code).toBe('session-scope');
      const ended = await call(operation, { role: 'ended' });
      expect(ended.status).toBe(!may ? 403 : operation.session === 'any' ? 200 : 401);
    },
  );

  test('may call a handful of operations', () => {
    const open = operations.filter(({ session }) => session !== undefined);
    expect(open.map(({ id }) => id).sort()).toEqual([
      'getActiveForm',
      'getOwnSession',
      'recordConsent',
      'regenerateOnboardingLink',
      'submitForm',
      'uploadDocument',
    ]);
  });
});

interface Field {
  readonly path: readonly string[];
  readonly schema: Record<string, unknown>;
  readonly isRequired: boolean;
}

/** Every member of a body at any depth of objects. */
function fieldsOf(schema: TSchema, path: readonly string[] = []): Field[] {
  if (!('properties' in schema)) return [];
  const required = 'required' in schema ? (schema.required as string[]) : [];
  return Object.entries(schema.properties as Record<string, TSchema>).flatMap(([name, of]) => {
    const at = [...path, name];
    const field = { isRequired: required.includes(name), path: at, schema: { ...of } };
    return [field, ...fieldsOf(of, at)];
  });
}

/** The example with one member set, or left out where `value` is undefined. */
function withMember(example: unknown, path: readonly string[], value: unknown): unknown {
  const [name = '', ...rest] = path;
  const copy: Record<string, unknown> = { ...(example as object) };
  copy[name] = rest.length === 0 ? value : withMember(copy[name] ?? {}, rest, value);
  return copy;
}

function wrongValues({ schema }: Field): unknown[] {
  const ofAnyType = [null, true, 1.5, -1, {}, [], [[]], { $gt: '' }, { $where: '1' }];
  const types = [schema.type].flat();
  const isString = types.includes('string');
  const long = Math.max(5_000, Number(schema.maxLength ?? 0) + 1);
  const hostile = isString ? ['x'.repeat(long), '\u202e'.repeat(600)] : ['x', ''];
  const isArray = schema.type === 'array';
  const items = isArray ? [[null], [{}], [1], ['x'.repeat(5_000)], Array(500).fill('y')] : [];
  const isRight = (value: unknown) =>
    // A member of any type, such as the new value of a change.
    (schema.type === undefined && schema.anyOf === undefined && schema.const === undefined) ||
    (value === null && types.includes('null')) ||
    (value === true && types.includes('boolean')) ||
    (types.includes('number') && isWithin(schema, value)) ||
    (schema.type === 'object' && typeof value === 'object' && !Array.isArray(value)) ||
    // An empty list may be right; what is in it is tried above.
    (isArray && Array.isArray(value) && value.length === 0 && schema.minItems === undefined) ||
    (isOfAnyObjects(schema) && Array.isArray(value) && value.every(isObject));
  return [...ofAnyType, ...hostile, ...items].filter((value) => !isRight(value));
}

/** What its objects are is the handler's to say, as of messages in a format of their own. */
const isOfAnyObjects = ({ items }: Field['schema']): boolean =>
  isObject(items) && 'type' in items && items.type === 'object' && !('properties' in items);

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A number that the bounds of its schema allow: what it may not be is a rule of the domain. */
const isWithin = ({ maximum, minimum }: Field['schema'], value: unknown): boolean =>
  typeof value === 'number' && value >= Number(minimum) && value <= Number(maximum);

const withBody = operations.flatMap((operation) =>
  operation.body === undefined ? [] : [[operation.id, operation, operation.body] as const],
);

describe.each(withBody)('the body of %s', (_, operation, schema) => {
  const role = operation.roles[0] ?? '';

  async function refused(body: unknown): Promise<{ code: unknown; pointers: string[] }> {
    handled = 0;
    const reply = await call(operation, { body, role });
    expect([reply.status, handled], String(reply.body)).toEqual([400, 0]);
    const { code, errors } = jsonOf(reply) as { code: string; errors: { pointer: string }[] };
    return { code, pointers: errors.map(({ pointer }) => pointer) };
  }

  test.each(fieldsOf(schema).map((field) => [`/${field.path.join('/')}`, field] as const))(
    '%s missing, wrong, too long or hostile',
    async (pointer, field) => {
      for (const value of wrongValues(field)) {
        const { code, pointers } = await refused(withMember(operation.example, field.path, value));
        expect(code).toBe('body-invalid');
        expect(
          pointers.every((one) => one.startsWith(pointer)),
          `${pointer} ${pointers}`,
        ).toBe(true);
      }
      if (!field.isRequired) return;
      const { pointers } = await refused(withMember(operation.example, field.path, undefined));
      expect(pointers).toEqual([pointer]);
    },
  );

  test.each([
    'tenant_id',
    'tenantId',
    'roles',
    'id',
    'screening_id',
    'seq',
    'hash',
    'signature',
    'created_at',
    '_id',
    '$set',
    'a.b',
    'constructor',
    'prototype',
    'toJSON',
    'hasOwnProperty',
  ])('%s is nobody’s to send', async (name) => {
    const { pointers } = await refused(withMember(operation.example, [name], { polluted: true }));
    expect(pointers).toEqual([`/${name}`]);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test.each([
    ['{bad', 'json-malformed'],
    ['{"a":1,"a":2}', 'json-malformed'],
    ['{"__proto__":{"polluted":true}}', 'json-malformed'],
    ['{"a":"\\u0000"}', 'json-malformed'],
    ['{"a":"\\ud800"}', 'json-malformed'],
    ['{"a":1e999}', 'json-malformed'],
    ['{"a":NaN}', 'json-malformed'],
    ['{} {}', 'json-malformed'],
    ["{'a':1}", 'json-malformed'],
    ['{"a":1,}', 'json-malformed'],
    ['['.repeat(30_000), 'json-malformed'],
    ['{"a":'.repeat(10_000), 'json-malformed'],
    ['null', 'body-invalid'],
    ['"x"', 'body-invalid'],
    ['[]', 'body-invalid'],
    [' ', 'body-missing'],
  ])('%.20s is refused', async (body, code) => {
    expect((await refused(body)).code).toBe(code);
  });

  test('one byte too many is 413', async () => {
    const body = ' '.repeat(operation.bodyBytesMax + 1);
    expect((await call(operation, { body, role })).status).toBe(413);
  });
});

test('a name in any script, with marks and directions, reaches the handler', async () => {
  const names = ['سالم بن علي', 'Доктор Живаго', '李小龍', 'a\u0301', '\u202eabc', '👨‍👩‍👧', 'Ⅷ'];
  const operation = operations.find(({ id }) => id === 'screenName');
  for (const name of names) {
    handled = 0;
    if (operation === undefined) throw new Error('screenName is not described');
    const reply = await call(operation, { body: { name }, role: 'admin' });
    expect([reply.status, handled], name).toEqual([200, 1]);
  }
});
