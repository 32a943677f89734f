/** Shapes of records as they stand in the description of the API. */
import { type TSchema, Type } from 'typebox';
import type { Shape } from '#slices/monitoring';
import { readable } from '../../../api/freeText.ts';

/** The JSON Schema of a shape: what the rules check, said to callers. */
export const schemaOf = (shape: Shape): TSchema => Type.Unsafe(jsonSchema(shape) as TSchema);

function jsonSchema(shape: Shape): object {
  switch (shape.kind) {
    case 'object':
      return {
        additionalProperties: false,
        properties: Object.fromEntries(
          Object.entries(shape.members).map(([name, member]) => [name, jsonSchema(member)]),
        ),
        required: shape.required,
        type: 'object',
      };
    case 'list':
      return { items: jsonSchema(shape.of), maxItems: shape.max, type: 'array' };
    case 'record':
      return { maxProperties: shape.max, type: 'object' };
    case 'count':
      return { maximum: shape.max, minimum: 0, type: 'integer' };
    case 'flag':
      return { type: 'boolean' };
    default:
      return textSchema(shape);
  }
}

type TextShape = Exclude<Shape, { readonly kind: 'object' | 'list' | 'record' | 'count' | 'flag' }>;

const DAY_CHARS = 10;
const FORM_CHARS_MAX = 200;

function textSchema(shape: TextShape): object {
  switch (shape.kind) {
    case 'text':
      return { maxLength: shape.max, minLength: 1, type: 'string', ...readable };
    case 'word':
      return { enum: [...shape.words], type: 'string' };
    case 'form':
      return { description: shape.expected, maxLength: FORM_CHARS_MAX, type: 'string' };
    case 'country':
      return { description: 'ISO 3166-1 alpha-2', maxLength: 2, minLength: 2, type: 'string' };
    case 'date':
      return { description: 'YYYY-MM-DD', maxLength: DAY_CHARS, type: 'string' };
    case 'instant':
      return { format: 'date-time', type: 'string' };
  }
}
