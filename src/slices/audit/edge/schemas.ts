/** The audit trail's query and page. */
import { Type } from 'typebox';
import { inWords } from '#core/kernel';
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '#platform/limits';
import { InstantMs } from '../../../api/instants.ts';

const Timestamp = (description: string) => Type.Optional(InstantMs(description));
const Text = (description: string) =>
  Type.Optional(Type.String({ description, maxLength: 256, minLength: 1 }));

export const AuditEventsQuery = Type.Object(
  {
    type: Type.Optional(
      Type.String({
        description: 'Action of the entry, or `screening`; with `*` at its end all that begin so',
        maxLength: 128,
        minLength: 1,
        ...inWords(
          'an action, or the beginning of some with * at its end, such as kyc.*',
          '^[A-Za-z0-9_.-]*[*]?$',
        ),
      }),
    ),
    actor: Text('Who did it: api key, account or command line'),
    target: Text('What it was done to'),
    from: Timestamp('At or after this instant, RFC 3339 UTC with milliseconds'),
    to: Timestamp('Before this instant'),
    order: Type.Optional(
      Type.Union([Type.Literal('asc'), Type.Literal('desc')], {
        description:
          'Along the chain, or from its head back. Without it persons get the newest first, ' +
          'unless they say `from`, and keys the oldest.',
      }),
    ),
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
      severity: Type.Union([Type.String(), Type.Null()], {
        description: 'INFO, NOTICE or ALERT where the entry says one',
      }),
      hash: Type.String({ description: '64 hex characters' }),
    }),
    { description: 'In the order asked; a page may be empty and still have a next one' },
  ),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
});

/** Members differ by type and action: docs/audit-format.md, docs/audit-actions.md. */
export const AuditEvent = Type.Object(
  {
    event: Type.Object({
      action: Type.Optional(Type.String()),
      event_id: Type.String({ format: 'uuid' }),
      hash: Type.String({ description: '64 hex characters' }),
      occurred_at: Type.String({ format: 'date-time' }),
      seq: Type.Integer(),
      tenant_id: Type.String(),
      type: Type.Union([Type.Literal('screening'), Type.Literal('entry')]),
    }),
  },
  { description: 'As it stands in the chain, with its open members unless they were erased' },
);
