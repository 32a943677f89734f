/** The audit trail's query and page. */
import { Type } from 'typebox';
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '#platform/limits';
import { InstantMs } from '../../../api/instants.ts';

const Timestamp = (description: string) => Type.Optional(InstantMs(description));
const Text = (description: string) =>
  Type.Optional(Type.String({ description, maxLength: 256, minLength: 1 }));

export const AuditEventsQuery = Type.Object(
  {
    type: Text('Action of the entry, or `screening`'),
    actor: Text('Who did it: api key, account or command line'),
    target: Text('What it was done to'),
    from: Timestamp('At or after this instant, RFC 3339 UTC with milliseconds'),
    to: Timestamp('Before this instant'),
    cursor: Type.Optional(Type.String({ maxLength: 1024, minLength: 1 })),
    limit: Type.Optional(
      Type.Integer({ default: PAGE_LIMIT_DEFAULT, maximum: PAGE_LIMIT_MAX, minimum: 1 }),
    ),
  },
  { additionalProperties: false },
);

export const AuditEventsPage = Type.Object({
  data: Type.Array(
    Type.Object({
      seq: Type.Integer(),
      event_id: Type.String({ format: 'uuid' }),
      timestamp: Type.String({ format: 'date-time' }),
      action: Type.String(),
      actor: Type.Union([Type.String(), Type.Null()]),
      target: Type.Union([Type.String(), Type.Null()]),
      ip: Type.Union([Type.String(), Type.Null()], {
        description: 'Address of the caller; null where nobody called, and once it is erased',
      }),
      hash: Type.String({ description: '64 hex characters' }),
    }),
    { description: 'Oldest first; a page may be empty and still have a next one' },
  ),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
});
