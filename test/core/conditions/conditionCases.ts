/** Conditions and values at random, over a few fields of every kind. */
import fc from 'fast-check';
import type { Condition, FieldValues, KnownFields } from '#core/conditions';

export const KNOWN: KnownFields = new Map([
  ['name', { kind: 'text' }],
  ['status', { kind: 'text', words: ['employee', 'retired', 'self_employed'] }],
  ['age', { kind: 'number' }],
  ['owner', { kind: 'boolean' }],
  ['born', { kind: 'date' }],
  ['products', { kind: 'words', words: ['card', 'credit', 'safe'] }],
]);

const VALUES = {
  age: fc.constantFrom(-1, 0, 0.5, 17, 18, 1e15),
  born: fc.constantFrom('1999-12-31', '2000-01-01', '2008-02-29'),
  name: fc.constantFrom('a', 'A', 'سلوى', '__proto__', 'constructor'),
  owner: fc.boolean(),
  status: fc.constantFrom('employee', 'retired', 'self_employed'),
  word: fc.constantFrom('card', 'credit', 'safe'),
};
const OF_FIELD = { ...VALUES, products: VALUES.word } as Readonly<
  Record<string, fc.Arbitrary<string | number | boolean>>
>;

const comparison: fc.Arbitrary<Condition> = fc
  .constantFrom(...KNOWN.keys())
  .chain((field): fc.Arbitrary<Condition> => {
    const value = OF_FIELD[field] ?? fc.constant('');
    const kinds = [
      fc.record({ field: fc.constant(field), op: fc.constantFrom('present', 'absent') }),
      fc.record({ field: fc.constant(field), op: fc.constantFrom('eq', 'ne'), value }),
      fc.record({
        field: fc.constant(field),
        op: fc.constantFrom('in', 'not_in'),
        value: fc.array(value, { maxLength: 3, minLength: 1 }),
      }),
      ...(field === 'age' || field === 'born'
        ? [
            fc.record({
              field: fc.constant(field),
              op: fc.constantFrom('lt', 'le', 'gt', 'ge'),
              value,
            }),
          ]
        : []),
    ];
    return fc.oneof(...(kinds as fc.Arbitrary<Condition>[]));
  });

const groups = (depth: number): fc.Arbitrary<Condition> => {
  if (depth === 0) return comparison;
  const inner = groups(depth - 1);
  const list = fc.array(inner, { maxLength: 2, minLength: 1 });
  return fc.oneof(
    comparison,
    fc.record({ all: list }),
    fc.record({ any: list }),
    fc.record({ not: inner }),
  );
};

/** Any that the language has, of sixteen comparisons at the most. */
export const anyCondition: fc.Arbitrary<Condition> = groups(4);

export const anyValues: fc.Arbitrary<FieldValues> = fc.record(
  {
    age: VALUES.age,
    born: VALUES.born,
    name: VALUES.name,
    owner: VALUES.owner,
    products: fc.uniqueArray(VALUES.word),
    status: VALUES.status,
  },
  { requiredKeys: [] },
);
