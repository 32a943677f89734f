/** Every violation with its pointer and its kind, and nothing of the value. */
import { type TSchema, Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { faultOf, inWords } from '#core/kernel';
import { VIOLATIONS_MAX } from '#platform/limits';
import { DESCRIBED_OPERATIONS } from '../../scripts/writeDocs.ts';
import { compileSchema } from '../../src/api/validate.ts';

const Strict = { additionalProperties: false };

/** `pointer code` of each violation of one member `m` of the schema given. */
function kinds(schema: Parameters<typeof compileSchema>[0], value: unknown): string[] {
  const validate = compileSchema(Type.Object({ m: schema }, Strict));
  return validate({ m: value }).map(({ code, pointer }) => `${pointer} ${code}`);
}

test.each([
  ['a number for a string', Type.String(), 1, '/m type'],
  ['null for a string', Type.String(), null, '/m type'],
  ['a fraction for an integer', Type.Integer(), 1.5, '/m type'],
  ['a string for a number', Type.Number(), '1', '/m type'],
  ['an array for an object', Type.Object({}), [], '/m type'],
  ['an object for an array', Type.Array(Type.String()), {}, '/m type'],
  ['empty', Type.String({ minLength: 1 }), '', '/m range'],
  ['long', Type.String({ maxLength: 2 }), 'abc', '/m too-long'],
  ['under', Type.Integer({ minimum: 1 }), 0, '/m range'],
  ['over', Type.Integer({ maximum: 1 }), 2, '/m range'],
  ['on the edge', Type.Number({ exclusiveMaximum: 1 }), 1, '/m range'],
  ['no multiple', Type.Integer({ multipleOf: 5 }), 7, '/m range'],
  ['too many', Type.Array(Type.Integer(), { maxItems: 1 }), [1, 2], '/m too-long'],
  ['too few', Type.Array(Type.Integer(), { minItems: 1 }), [], '/m range'],
  ['twice', Type.Array(Type.Integer(), { uniqueItems: true }), [1, 1], '/m format'],
  ['no UUID', Type.String({ format: 'uuid' }), 'x', '/m format'],
  ['no pattern', Type.String({ pattern: '^[A-Z]{2}$' }), 'tn', '/m format'],
  ['no such literal', Type.Literal('a'), 'b', '/m format'],
  ['none of the literals', Type.Union([Type.Literal('a'), Type.Literal('b')]), 'c', '/m format'],
  ['none of the types', Type.Union([Type.String(), Type.Null()]), 1, '/m type'],
  ['none of an enum', Type.Enum(['a', 'b']), 'c', '/m format'],
])('%s', (_, schema, value, expected) => {
  expect(kinds(schema, value)).toEqual([expected]);
});

test('a fault in the branch of a union that was meant names its member', () => {
  const person = Type.Object({ kind: Type.Literal('person'), name: Type.String() }, Strict);
  const firm = Type.Object({ kind: Type.Literal('firm'), tax_id: Type.String() }, Strict);
  const either = Type.Union([person, firm, Type.Null()]);
  expect(kinds(either, { kind: 'person', name: 1 })).toEqual(['/m/name type']);
  expect(kinds(either, { kind: 'firm' })).toEqual(['/m/tax_id missing']);
  expect(kinds(either, { extra: 1, kind: 'firm', tax_id: 'x' })).toEqual([
    '/m/extra unknown-member',
  ]);
  const within = Type.Union([Type.Object({ one: either }, Strict), Type.Null()]);
  expect(kinds(within, { one: { kind: 'firm', tax_id: 2 } })).toEqual(['/m/one/tax_id type']);
  // Nobody can say which one was meant.
  expect(kinds(either, { kind: 'other' })).toEqual(['/m type']);
  expect(kinds(either, 7)).toEqual(['/m type']);
});

test('what fits has no violations', () => {
  expect(kinds(Type.String({ maxLength: 2 }), '🙂🙂')).toEqual([]);
});

test('length is in code points, as the description says', () => {
  expect(kinds(Type.String({ maxLength: 1 }), '🙂🙂')).toEqual(['/m too-long']);
});

describe('pointers', () => {
  const validate = compileSchema(
    Type.Object(
      {
        a: Type.String(),
        list: Type.Optional(Type.Array(Type.Object({ b: Type.String() }, Strict))),
      },
      Strict,
    ),
  );
  const of = (value: unknown) =>
    validate(value)
      .map(({ code, pointer }) => `${pointer} ${code}`)
      .sort();

  test('the whole value has the empty pointer', () => {
    expect(of(null)).toEqual([' type']);
    expect(of('x')).toEqual([' type']);
  });

  test('missing members are named one by one, at any depth', () => {
    expect(of({ list: [{ b: '' }, {}] })).toEqual(['/a missing', '/list/1/b missing']);
  });

  test('unknown members are named one by one, escaped', () => {
    expect(of({ '/': 1, a: '', 'x~y': 1 })).toEqual(['/x~0y unknown-member', '/~1 unknown-member']);
  });

  test.each(['constructor', 'toString', '_id', '$set', 'a.b', 'hasOwnProperty'])(
    '%s is an unknown member',
    (name) => {
      expect(of({ a: '', [name]: 1 })).toEqual([`/${name} unknown-member`]);
    },
  );

  test('an own __proto__ is an unknown member and changes no prototype', () => {
    expect(of(JSON.parse('{"a":"","__proto__":{"polluted":1}}'))).toEqual([
      '/__proto__ unknown-member',
    ]);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test('a long name is cut, and a hostile body lists no more than the limit', () => {
    expect(validate({ a: '', ['x'.repeat(9_999)]: 1 })[0]?.pointer).toHaveLength(200);
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`k${n}`, n]));
    expect(validate({ a: '', ...many })).toHaveLength(VIOLATIONS_MAX);
  });
});

test('details say what was expected, never what came', () => {
  const validate = compileSchema(
    Type.Object({
      dob: Type.String({ format: 'date' }),
      kind: Type.Union([Type.Literal('Person'), Type.Literal('Company')]),
      country: Type.Optional(Type.String({ pattern: '^[A-Z]{2}$' })),
      nationality: Type.String(inWords('a country', '^[A-Z]{2}$')),
    }),
  );
  const SECRET = 'SECRET';
  const violations = validate({ country: SECRET, dob: SECRET, kind: SECRET, nationality: SECRET });
  expect(violations.map(({ detail }) => detail)).toEqual([
    'expected a date',
    'expected one of "Person", "Company"',
    'expected the form that is described',
    'expected a country',
  ]);
});

/** Every schema with a pattern that stands in this one. */
function patterned(at: unknown): (TSchema & { readonly pattern: string })[] {
  if (typeof at !== 'object' || at === null) return [];
  const inside = Object.values(at).flatMap(patterned);
  return 'pattern' in at && typeof at.pattern === 'string'
    ? [{ ...at, pattern: at.pattern }, ...inside]
    : inside;
}

test('every pattern that callers are held to is told in words', () => {
  const schemas = DESCRIBED_OPERATIONS.flatMap(({ body, query, upload }) =>
    patterned([body, query, upload?.schema]),
  );
  expect(schemas.length).toBeGreaterThan(5);
  for (const schema of schemas) {
    const validate = compileSchema(schema);
    const [told] = ['\0', ' '].flatMap(validate).filter(({ code }) => code === 'format');
    expect(told?.detail, schema.pattern).toMatch(/^expected (an? |no |YYYY)/);
    expect(told?.detail).not.toMatch(/[\\^$[\]]/);
  }
});

test('a pattern that tells its faults apart is told of the value where it stands', () => {
  const tell = (text: string) => (text === '13' ? { code: 'range', detail: 'to 12' } : undefined);
  const Months = Type.Array(Type.String(faultOf('^(0[1-9]|1[0-2])$', tell)));
  const validate = compileSchema(Type.Object({ 'a/b': Months }, Strict));
  expect(validate({ 'a/b': ['12', '13', 'x'] })).toEqual([
    { code: 'range', detail: 'to 12', pointer: '/a~1b/1' },
    { code: 'format', detail: 'expected the form that is described', pointer: '/a~1b/2' },
  ]);
});
