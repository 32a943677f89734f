/** Bodies and answers of the operations of onboarding. */
import { type Static, Type } from 'typebox';
import { inWords } from '#core/kernel';
import { RETURN_URL_CHARS_MAX, SESSION_CHANNELS } from '#slices/onboarding';
import { Nullable } from '../../../api/nullable.ts';
import { CreateBody, Locale } from '../../customers/schemas.ts';

const closed = { additionalProperties: false } as const;
const Uuid = Type.String({ format: 'uuid' });
const Channel = Type.Union(SESSION_CHANNELS.map((one) => Type.Literal(one)));

export const SessionBody = Type.Object(
  {
    case_id: Type.Optional(Uuid),
    case: Type.Optional(CreateBody),
    form_id: Type.Optional(Uuid),
    form_code: Type.Optional(
      Type.String({ maxLength: 64, ...inWords('a code', '^[a-z][a-z0-9_]{1,63}$') }),
    ),
    locale: Type.Optional(Locale),
    channel: Channel,
    deliver: Type.Optional(
      Type.Literal('email', { description: 'The link is mailed to the address on file, too' }),
    ),
    return_url: Type.Optional(
      Type.String({
        description: 'Of an origin of the setting `onboarding.return_origins`',
        maxLength: RETURN_URL_CHARS_MAX,
        ...inWords('an https URL', '^https:[/][/][^\\u0000-\\u0020\\u007f-\\u009f]{1,2040}$'),
      }),
    ),
  },
  closed,
);
export type SessionGiven = Static<typeof SessionBody>;

export const SessionResult = Type.Object({
  case_id: Uuid,
  expires_at: Type.String({ format: 'date-time' }),
  form_id: Uuid,
  session_id: Uuid,
  session_token: Type.String(),
  url: Type.String({ description: 'The token stands in its fragment' }),
});

export const OwnSession = Type.Object({
  case_id: Uuid,
  channel: Channel,
  draft: Type.Union([
    Type.Object({
      data: Type.Record(Type.String(), Type.Unknown()),
      saved_at: Type.String({ format: 'date-time' }),
    }),
    Type.Null(),
  ]),
  expires_at: Type.String({ format: 'date-time' }),
  form_id: Uuid,
  locale: Type.String(),
  return_url: Nullable('string'),
  session_id: Uuid,
  submitted: Type.Boolean(),
});

export const RegenerateResult = Type.Object({ accepted: Type.Literal(true) });
