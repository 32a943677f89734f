/**
 * The JSON Schema (2020-12) of what a form takes, derived from its steps and stored beside them. It
 * holds for values as they are kept: what is hidden is forbidden, and so is what is not asked. Days
 * from today and check digits, which no keyword knows, stand under names that begin with `x-`.
 */
import {
  type Condition,
  conditionSchema,
  type JsonSchema,
  type KnownField,
} from '#core/conditions';
import { maxLengthOf } from './canonicalFields.ts';
import {
  type FieldValidation,
  type FormField,
  type FormSchema,
  fieldsIn,
  kindOf,
} from './definition.ts';
import { ecmaScriptSource, readPattern } from './pattern.ts';

const COUNTRY: JsonSchema = { $ref: '#/$defs/country' };
const UUID = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$';

/** `countries`: codes in use. */
export function dataSchemaOf(schema: FormSchema, countries: readonly string[]): JsonSchema {
  const fields = fieldsIn(schema).filter(({ type }) => type !== 'info');
  const known = new Map<string, KnownField>(
    fields.map(({ id, type }) => [id, { kind: kindOf(type) ?? 'text' }]),
  );
  const when = (condition: Condition): JsonSchema => conditionSchema(condition, known);
  const allOf = fields.flatMap((field) => dependence(field, when));
  const hasCountry = fields.some(({ type }) => type === 'country');
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(fields.map((field) => [field.id, valueSchema(field)])),
    required: fields
      .filter(({ required, visible_if }) => required === true && visible_if === undefined)
      .map(({ id }) => id),
    ...(allOf.length > 0 && { allOf }),
    ...(hasCountry && { $defs: { country: { enum: countries } } }),
  };
}

function dependence(
  { id, required, required_if, visible_if }: FormField,
  when: (condition: Condition) => JsonSchema,
): readonly JsonSchema[] {
  const demand = { required: [id] };
  const shown =
    visible_if === undefined
      ? []
      : [
          conditional(when(visible_if), required === true ? demand : {}, {
            properties: { [id]: false },
          }),
        ];
  if (required_if === undefined) return shown;
  const conditions = [...(visible_if === undefined ? [] : [visible_if]), required_if];
  return [...shown, conditional({ allOf: conditions.map(when) }, demand)];
}

/** Made of pairs: an object written with `then` looks like a promise. */
const conditional = (condition: JsonSchema, then: JsonSchema, otherwise?: JsonSchema): JsonSchema =>
  Object.fromEntries([
    ['if', condition],
    ['then', then],
    ...(otherwise === undefined ? [] : [['else', otherwise]]),
  ]);

function valueSchema(field: FormField): JsonSchema {
  const { options, type, validation = {} } = field;
  const values = options?.map(({ value }) => value);
  switch (type) {
    case 'boolean':
      return { type: 'boolean' };
    case 'consent':
      return { const: true };
    case 'choice':
      return { enum: values };
    case 'multi_choice':
      return { items: { enum: values }, minItems: 1, type: 'array', uniqueItems: true };
    case 'country':
      return COUNTRY;
    case 'date':
      return { format: 'date', type: 'string', ...dayBounds(validation) };
    case 'partial_date':
      return {
        pattern: '^[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?$',
        type: 'string',
        ...dayBounds(validation),
      };
    case 'integer':
    case 'decimal':
      return {
        type: type === 'integer' ? 'integer' : 'number',
        ...(validation.min !== undefined && { minimum: validation.min }),
        ...(validation.max !== undefined && { maximum: validation.max }),
      };
    case 'document':
      return { pattern: UUID, type: 'string' };
    case 'email':
      return { maxLength: 254, pattern: '^[^@]{1,64}@[A-Za-z0-9.\\-]{1,189}$', type: 'string' };
    case 'phone':
      return { pattern: '^\\+[1-9][0-9]{6,14}$', type: 'string' };
    default:
      return textSchema(validation, maxLengthOf(field));
  }
}

const textSchema = (validation: FieldValidation, maxLength: number): JsonSchema => ({
  type: 'string',
  minLength: Math.max(1, validation.min_length ?? 1),
  maxLength,
  ...(validation.pattern !== undefined && {
    pattern: ecmaScriptSource(readPattern(validation.pattern)),
  }),
  ...(validation.check !== undefined && { 'x-check': validation.check }),
});

const dayBounds = ({ max_date: max, min_date: min }: FieldValidation): JsonSchema => ({
  ...(min !== undefined && { 'x-min-date': min }),
  ...(max !== undefined && { 'x-max-date': max }),
});
