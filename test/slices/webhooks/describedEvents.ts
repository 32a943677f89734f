/** Events as the description of the API and their public schemas have them. */
import { Compile } from 'typebox/compile';
import { expect } from 'vitest';

/** What the description of the API says of events. */
export interface Description {
  readonly webhooks: Readonly<Record<string, { readonly post: Described }>>;
}

interface Described {
  readonly 'x-catalogs': readonly string[];
  readonly parameters: readonly {
    readonly in: string;
    readonly name: string;
    readonly required?: boolean;
    readonly schema: object;
  }[];
  readonly requestBody: {
    readonly content: { readonly 'application/json': { readonly schema: object } };
  };
}

/** Members that a schema does not name are as wrong as those that it misses. */
export function expectFits(
  name: string,
  { schema, value }: { schema: object; value: unknown },
): void {
  const check = Compile(closed(schema) as never);
  expect([...check.Errors(value)], `${name}: ${JSON.stringify(value)}`).toEqual([]);
}

function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const all = Object.fromEntries(Object.entries(schema).map(([key, one]) => [key, closed(one)]));
  return 'properties' in all ? { ...all, additionalProperties: false } : all;
}

/** A header as its schema has it. */
export const coerced = (schema: object, value: string): unknown =>
  'type' in schema && schema.type === 'integer' ? Number(value) : value;
