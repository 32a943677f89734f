/** Conditions hold for what they say: by examples, against ajv, and quickly. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Condition,
  checkCondition,
  compileCondition,
  conditionSchema,
  type FieldValues,
} from '#core/conditions';
import { anyCondition, anyValues, KNOWN } from './conditionCases.ts';

const RUNS = Number(process.env.FUZZ_RUNS ?? 300);

describe('compileCondition', () => {
  test.each<[Condition, FieldValues, boolean]>([
    [{ field: 'age', op: 'ge', value: 18 }, { age: 18 }, true],
    [{ field: 'age', op: 'gt', value: 18 }, { age: 18 }, false],
    [{ field: 'age', op: 'lt', value: 18 }, {}, false],
    [{ field: 'age', op: 'lt', value: 18 }, { age: '17' }, false],
    [{ field: 'born', op: 'le', value: '2000-01-01' }, { born: '1999-12-31' }, true],
    [{ field: 'status', op: 'ne', value: 'retired' }, {}, true],
    [{ field: 'status', op: 'not_in', value: ['retired'] }, { status: 'retired' }, false],
    [{ field: 'status', op: 'absent' }, { status: null }, true],
    [{ field: 'products', op: 'eq', value: 'card' }, { products: ['safe', 'card'] }, true],
    [{ field: 'products', op: 'in', value: ['card', 'credit'] }, { products: ['safe'] }, false],
    [{ field: 'constructor', op: 'present' }, {}, false],
    [{ not: { all: [{ field: 'owner', op: 'eq', value: true }] } }, { owner: false }, true],
    [
      {
        any: [
          { field: 'age', op: 'present' },
          { field: 'owner', op: 'present' },
        ],
      },
      {},
      false,
    ],
  ])('%j upon %j is %s', (condition, values, expected) => {
    expect(compileCondition(condition)(values)).toBe(expected);
  });

  test('agrees with ajv over its schema', () => {
    const ajv = formats.default(new Ajv2020({ strictRequired: false, strictTypes: false }));
    fc.assert(
      fc.property(anyCondition, fc.array(anyValues, { maxLength: 20 }), (condition, cases) => {
        expect(checkCondition(condition, { known: KNOWN })).toEqual([]);
        const holds = compileCondition(condition);
        const oracle = ajv.compile(conditionSchema(condition, KNOWN));
        for (const values of cases) expect(holds(values)).toBe(oracle(values));
      }),
      { numRuns: RUNS },
    );
  });
});
