/** Calls that we make to addresses of customers, as OpenAPI 3.1 describes them: its `webhooks`. */
import type { PublicEvent } from '#core/kernel';
import { type JsonObject, toJson, toSchema } from './openapiComponents.ts';

/** A call that we make: an event by its name, with the schema of its data. */
export type DescribedCall = Pick<
  PublicEvent<never>,
  'catalogs' | 'description' | 'example' | 'name' | 'schema'
> & {
  readonly headers: readonly CallHeader[];
  /** What the service does after each kind of answer. */
  readonly answers: Readonly<Record<string, string>>;
};

/** A header that every such call has. */
export interface CallHeader {
  readonly name: string;
  readonly description: string;
  readonly schema: object;
}

/** Schema and example of the whole body, with the headers; no credential of ours is sent. */
export function describeCall(call: DescribedCall): JsonObject {
  const { answers, catalogs, description, example, headers, name, schema } = call;
  const id = { format: 'uuid', type: 'string' };
  const time = { format: 'date-time', type: 'string' };
  const body = {
    properties: { data: toSchema(schema), event: { const: name }, event_id: id, timestamp: time },
    required: ['data', 'event', 'event_id', 'timestamp'],
    type: 'object',
  };
  const sent = {
    data: toJson(example),
    event: name,
    event_id: '019a0b2c-7d4e-7000-8000-000000000001',
    timestamp: '2026-11-23T06:00:00.000Z',
  };
  return {
    post: {
      summary: description,
      'x-catalogs': [...catalogs],
      security: [],
      parameters: headers.map((header) => ({
        name: header.name,
        in: 'header',
        required: true,
        description: header.description,
        schema: toSchema(header.schema),
      })),
      requestBody: {
        content: { 'application/json': { example: sent, schema: body } },
        required: true,
      },
      responses: Object.fromEntries(
        Object.entries(answers).map(([status, says]) => [status, { description: says }]),
      ),
    },
  };
}
