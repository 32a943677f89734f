/** Endpoints, secrets and event types as they stand on the wire. */
import { type Static, Type } from 'typebox';
import { CATALOGS, type Catalog, inWords } from '#core/kernel';
import {
  DESCRIPTION_CHARS_MAX,
  DISABLED_REASONS,
  ENDPOINTS_MAX,
  EVENT_NAMES_MAX,
  URL_CHARS_MAX,
} from '#slices/webhooks';
import { Nullable, NullableTime } from '../../../api/nullable.ts';

const EVENT_NAME_CHARS_MAX = 64;
const Uuid = Type.String({ format: 'uuid' });
const CatalogName = Type.Unsafe<Catalog>({
  default: 'A',
  description: 'Which set of names it gets (event types)',
  enum: CATALOGS,
  type: 'string',
});
const Events = Type.Array(Type.String({ maxLength: EVENT_NAME_CHARS_MAX, minLength: 1 }), {
  description: 'Names of its catalogue, or * alone: all, and those that come later',
  maxItems: EVENT_NAMES_MAX,
  minItems: 1,
  uniqueItems: true,
});
const CHOICE = {
  url: Type.String({
    description: 'https, and an address of the public internet',
    maxLength: URL_CHARS_MAX,
    minLength: 1,
    ...inWords(
      'a URL, without blanks or marks that turn text around',
      '^[^\\s\\u0000-\\u001f\\u007f\\u200b-\\u200f\\u202a-\\u202e\\u2066-\\u2069]+$',
    ),
  }),
  events: Events,
  catalog: Type.Optional(CatalogName),
  description: Type.Optional(Type.String({ maxLength: DESCRIPTION_CHARS_MAX })),
  enabled: Type.Optional(Type.Boolean({ default: true })),
};

export const RegisterBody = Type.Object(CHOICE, { additionalProperties: false });
export type Register = Static<typeof RegisterBody>;

export const ChangeBody = Type.Partial(RegisterBody, {
  additionalProperties: false,
  minProperties: 1,
});
export type ChangeOf = Static<typeof ChangeBody>;

export const ReplaceBody = Type.Object(
  {
    endpoints: Type.Array(
      Type.Object(
        {
          endpoint_id: Type.Optional(
            Type.String({ description: 'Absent: it is made', format: 'uuid' }),
          ),
          ...CHOICE,
        },
        { additionalProperties: false },
      ),
      { description: 'All of them: what is left out is removed', maxItems: ENDPOINTS_MAX },
    ),
  },
  { additionalProperties: false },
);
export type Replace = Static<typeof ReplaceBody>;

const ENDPOINT = {
  endpoint_id: Uuid,
  url: Type.String(),
  description: Type.String(),
  events: Type.Array(Type.String()),
  catalog: CatalogName,
  enabled: Type.Boolean(),
  disabled_reason: Nullable('string', { description: DISABLED_REASONS.join(', ') }),
  tls: Type.Object({
    client_certificate: Type.Unsafe<object | null>({
      properties: {
        subject: { type: 'string' },
        issuer: { type: 'string' },
        serial: { type: 'string' },
        sha256: { type: 'string' },
        not_after: { format: 'date-time', type: 'string' },
      },
      type: ['object', 'null'],
    }),
    ca_sha256: Nullable('string'),
  }),
  secret: Type.Object({
    created_at: Type.String({ format: 'date-time' }),
    previous_expires_at: NullableTime,
  }),
  consecutive_failures: Type.Integer({ description: 'Attempts, since the last success' }),
  last_success_at: NullableTime,
  last_failure_at: NullableTime,
  str_events: Type.Unsafe<object | null>({
    description: 'Who opted in to events of suspicious transaction reports',
    type: ['object', 'null'],
  }),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
  version: Type.Integer(),
};
export const EndpointResult = Type.Object(ENDPOINT);

const Secret = Type.String({
  description: '`whsec_` and 32 bytes in base64; the key of the signatures is the 32 bytes',
});

export const RegisteredResult = Type.Object({ endpoint: EndpointResult, secret: Secret });

export const ConfigurationResult = Type.Object({
  endpoints: Type.Array(EndpointResult),
  version: Type.Integer(),
});

export const ReplacedResult = Type.Object({
  endpoints: Type.Array(
    Type.Object({
      ...ENDPOINT,
      new_secret: Type.Optional(
        Type.String({ description: 'Of one that was made, shown this once' }),
      ),
    }),
  ),
  version: Type.Integer(),
});

export const RotateBody = Type.Object(
  {
    endpoint_id: Type.Optional(
      Type.String({ description: 'Needed where there is more than one', format: 'uuid' }),
    ),
    revoke_previous: Type.Optional(
      Type.Boolean({ description: 'The former secret ends at once, as a leaked one has to' }),
    ),
  },
  { additionalProperties: false },
);
export type Rotate = Static<typeof RotateBody>;

export const SecretQuery = Type.Object(
  { endpoint_id: Type.Optional(Uuid) },
  { additionalProperties: false },
);

export const SecretResult = Type.Object({
  endpoint_id: Uuid,
  secret: Secret,
  previous_expires_at: NullableTime,
});

export const EventTypesQuery = Type.Object(
  { catalog: Type.Optional(Type.Union(CATALOGS.map((catalog) => Type.Literal(catalog)))) },
  { additionalProperties: false },
);

export const EventTypesResult = Type.Object({
  data: Type.Array(
    Type.Object({
      name: Type.String(),
      catalogs: Type.Array(Type.String()),
      twin: Nullable('string', { description: 'The same fact in the other catalogue' }),
      version: Type.Integer(),
      description: Type.String(),
      schema: Type.Unsafe<object>({ description: 'JSON Schema of `data`', type: 'object' }),
      schema_url: Type.String({ description: 'Path of its public copy' }),
      example: Type.Unsafe<object>({ type: 'object' }),
      since: Type.String({ format: 'date' }),
      deprecated: Type.Boolean(),
    }),
  ),
});

export const TestBody = Type.Object(
  {
    endpoint_id: Type.Optional(Uuid),
    event_type: Type.Optional(
      Type.String({ description: 'Its example is sent', maxLength: EVENT_NAME_CHARS_MAX }),
    ),
  },
  { additionalProperties: false },
);
export type Test = Static<typeof TestBody>;

export const TestResult = Type.Object({ delivery_id: Uuid });

export const StrEventsBody = Type.Object(
  { enabled: Type.Boolean({ description: 'Whether it is told of them' }) },
  { additionalProperties: false },
);
export type StrEvents = Static<typeof StrEventsBody>;

export const StrEventsResult = Type.Object({
  endpoint_id: Type.String({ format: 'uuid' }),
  enabled: Type.Boolean(),
  events: Type.Array(Type.String(), { description: 'Those that the endpoint names' }),
  opened_by: Nullable('string'),
  opened_at: NullableTime,
});
