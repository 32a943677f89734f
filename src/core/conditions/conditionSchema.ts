/**
 * A condition as JSON Schema (2020-12) of the object that holds the values, so that who receives a
 * definition needs no evaluator of ours. An absent field is a member that is not there. Bounds of
 * days are `formatMinimum` and its kin, a vocabulary that validators know beside `format`.
 */

import type { KnownFields } from './checkCondition.ts';
import type { Comparison, Condition } from './condition.ts';

/** A JSON Schema. */
export type JsonSchema = { readonly [name: string]: unknown };

const BOUNDS = {
  ge: { days: 'formatMinimum', numbers: 'minimum' },
  gt: { days: 'formatExclusiveMinimum', numbers: 'exclusiveMinimum' },
  le: { days: 'formatMaximum', numbers: 'maximum' },
  lt: { days: 'formatExclusiveMaximum', numbers: 'exclusiveMaximum' },
} as const;

/** The schema that an object meets exactly where the condition holds for its members. */
export function conditionSchema(condition: Condition, known: KnownFields): JsonSchema {
  if ('all' in condition) return { allOf: condition.all.map((one) => conditionSchema(one, known)) };
  if ('any' in condition) return { anyOf: condition.any.map((one) => conditionSchema(one, known)) };
  if ('not' in condition) return { not: conditionSchema(condition.not, known) };
  return comparisonSchema(condition, known);
}

function comparisonSchema(of: Comparison, known: KnownFields): JsonSchema {
  const has = (schema: JsonSchema): JsonSchema => ({
    properties: { [of.field]: schema },
    required: [of.field],
  });
  const isWords = known.get(of.field)?.kind === 'words';
  const some = (schema: JsonSchema): JsonSchema =>
    has(isWords ? { contains: schema, type: 'array' } : schema);
  switch (of.op) {
    case 'present':
      return { required: [of.field] };
    case 'absent':
      return { not: { required: [of.field] } };
    case 'eq':
      return some({ const: of.value });
    case 'ne':
      return { not: some({ const: of.value }) };
    case 'in':
      return some({ enum: [...new Set(of.value)] });
    case 'not_in':
      return { not: some({ enum: [...new Set(of.value)] }) };
    default: {
      const { days, numbers } = BOUNDS[of.op];
      return typeof of.value === 'number'
        ? has({ type: 'number', [numbers]: of.value })
        : has({ format: 'date', type: 'string', [days]: of.value });
    }
  }
}
