/** Notifications as they stand on the wire. */
import { type Static, Type } from 'typebox';
import { CURSOR_CHARS_MAX, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '#platform/limits';
import { LOCALES, type Locale } from '#platform/locales';
import { CHANNELS, MESSAGE_STATUSES, NOTICE_KINDS, SEVERITIES } from '#slices/notifications';
import { Nullable, NullableTime } from '../../../api/nullable.ts';

const Lang = Type.Unsafe<Locale>({
  default: 'en',
  description: 'Language of title and text',
  enum: LOCALES,
  type: 'string',
});
const Word = (words: readonly string[]) => Type.Unsafe<string>({ enum: words, type: 'string' });

export const NoticeQuery = Type.Object(
  { lang: Type.Optional(Lang) },
  { additionalProperties: false },
);
export type NoticeAsked = Static<typeof NoticeQuery>;

export const NoticesQuery = Type.Object(
  {
    cursor: Type.Optional(
      Type.String({ description: '`next_cursor` of the page before', maxLength: CURSOR_CHARS_MAX }),
    ),
    lang: Type.Optional(Lang),
    limit: Type.Optional(
      Type.Integer({ default: PAGE_LIMIT_DEFAULT, maximum: PAGE_LIMIT_MAX, minimum: 1 }),
    ),
  },
  { additionalProperties: false },
);
export type NoticesAsked = Static<typeof NoticesQuery>;

const NOTICE = {
  notification_id: Type.String({ format: 'uuid' }),
  kind: Word(NOTICE_KINDS),
  severity: Word(SEVERITIES),
  audience: Word(['tenant', 'operations']),
  subject: Type.Object({ kind: Type.String(), id: Type.String() }),
  params: Type.Unsafe<object>({
    additionalProperties: { type: ['string', 'integer'] },
    description: 'Ids, counts, codes',
    type: 'object',
  }),
  alert_id: Nullable('string', { description: 'The alert or ticket that it tells of' }),
  title: Type.String(),
  text: Type.String(),
  created_at: Type.String({ format: 'date-time' }),
  closed_at: NullableTime,
};

export const NoticesPageResult = Type.Object({
  data: Type.Array(Type.Object(NOTICE)),
  next_cursor: Nullable('string'),
});

export const NoticeResult = Type.Object({
  ...NOTICE,
  messages: Type.Array(
    Type.Object({
      channel: Word(CHANNELS),
      recipient: Type.String({ description: '`person:` and an id, or `operations:` and a place' }),
      language: Word(LOCALES),
      status: Word(MESSAGE_STATUSES),
      tries: Nullable('integer'),
      fault: Nullable('string', { description: 'Why the last try failed' }),
      next_try_at: NullableTime,
      ended_at: NullableTime,
    }),
  ),
});
