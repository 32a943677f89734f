/** Reports as they stand on the wire: what steps take, and what is shown. */
import { type Static, Type } from 'typebox';
import { inWords } from '#core/kernel';
import { CURSOR_CHARS_MAX, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '#platform/limits';
import { STR_CHANNELS, STR_STATUSES } from '#slices/str';
import { readable } from '../../../api/freeText.ts';
import { Instant } from '../../../api/instants.ts';
import { Nullable, NullableTime } from '../../../api/nullable.ts';

const COMMENT_MAX = 4_000;
const RECEIPT_CHARS_MAX = 700_000;
const STRICT = { additionalProperties: false } as const;
const oneOf = <Word extends string>(words: readonly Word[], description?: string) =>
  Type.Union(
    words.map((word) => Type.Literal(word)),
    description === undefined ? {} : { description },
  );
const Time = Type.String({ format: 'date-time' });
const Uuid = Type.String({ format: 'uuid' });
const Words = (description: string, maxLength = COMMENT_MAX) =>
  Type.String({ description, maxLength, minLength: 1, ...readable });

/** All that a change gives back. */
export const Changed = Type.Object({
  str_id: Uuid,
  status: oneOf(STR_STATUSES),
  etag: Type.String({ description: 'For If-Match' }),
});

export const AttachmentAdded = Type.Object({
  str_id: Uuid,
  status: oneOf(STR_STATUSES),
  etag: Type.String(),
  attachment_id: Uuid,
});

export const ReportsQuery = Type.Object(
  {
    status: Type.Optional(oneOf(STR_STATUSES)),
    cursor: Type.Optional(Type.String({ maxLength: CURSOR_CHARS_MAX, minLength: 1 })),
    limit: Type.Optional(
      Type.Integer({ default: PAGE_LIMIT_DEFAULT, maximum: PAGE_LIMIT_MAX, minimum: 1 }),
    ),
  },
  STRICT,
);

const ROW = {
  str_id: Uuid,
  status: oneOf(STR_STATUSES),
  report_code: Type.String(),
  profile: Type.String(),
  created_at: Time,
  updated_at: Time,
  submitted_at: NullableTime,
  etag: Type.String(),
};
export const ReportsPage = Type.Object({
  data: Type.Array(Type.Object(ROW)),
  next_cursor: Nullable('string'),
});

const Checklist = Type.Object(
  {
    necessity: Type.Literal(true, { description: 'Each person of the report is needed in it' }),
    special_categories: oneOf(['none', 'justified'], 'Data of special categories'),
    retention: Type.Literal(true, { description: 'Until when it is kept was looked at' }),
  },
  STRICT,
);

export const ReportResult = Type.Object({
  ...ROW,
  author: Type.String(),
  updated_by: Type.String(),
  content_hash: Type.String({ description: '64 hex characters: what an officer signs' }),
  content: Type.Unsafe<object | null>({
    description: 'As it was drafted; null once it was erased',
    type: ['object', 'null'],
  }),
  return_comment: Nullable('string'),
  signing: Type.Unsafe<object | null>({
    description: 'The members of what an officer signs, while it waits for that',
    type: ['object', 'null'],
  }),
  validation: Type.Unsafe<object | null>({ type: ['object', 'null'] }),
  delivery: Type.Unsafe<object | null>({
    description: 'How far the last package is: state, channel, whether its upload is overdue',
    type: ['object', 'null'],
  }),
  submissions: Type.Array(
    Type.Object({
      number: Type.Integer(),
      entity_reference: Type.String(),
      channel: oneOf(STR_CHANNELS),
      profile: Type.String(),
      content_hash: Type.String(),
      xml_sha256: Type.String(),
      package_sha256: Type.String(),
      package_bytes: Type.Integer(),
      submitted_by: Type.String(),
      submitted_at: Time,
      outcome: Type.Unsafe<object | null>({ type: ['object', 'null'] }),
    }),
  ),
});

const Fault = Type.Object({
  pointer: Type.String({ description: 'Into the draft (RFC 6901)' }),
  code: Type.String(),
  detail: Type.String(),
});
export const PreviewResult = Type.Object({
  profile: Type.String(),
  filable: Type.Boolean({ description: 'Whether some FIU takes reports by the profile' }),
  complete: Type.Boolean(),
  faults: Type.Array(Fault),
  adapted: Type.Array(
    Type.Object({ pointer: Type.String(), element: Type.String(), text: Type.String() }),
    {
      description: 'What stands in the report otherwise than in the draft: names in other letters',
    },
  ),
  omitted: Type.Array(Type.String(), {
    description: 'Places of the draft for which the schema has no element',
  }),
  xml: Type.String(),
});

export const ValidateBody = Type.Object(
  {
    signature: Type.String({ description: 'Ed25519, base64', maxLength: 128, minLength: 1 }),
    timestamp: Type.String({ description: 'As it was signed', maxLength: 30 }),
    checklist: Checklist,
    special_categories_reason: Type.Optional(Words('Why such data are needed')),
    comment: Type.Optional(Words('Kept beside the signature')),
  },
  STRICT,
);
export type Validate = Static<typeof ValidateBody>;

export const ReturnBody = Type.Object({ comment: Words('What is wrong with it') }, STRICT);
export type Return = Static<typeof ReturnBody>;

const Receipt = Type.Optional(
  Type.Object(
    {
      file_name: Words('Of the receipt', 255),
      base64: Type.String({
        maxLength: RECEIPT_CHARS_MAX,
        ...inWords('a text in base64', '^[A-Za-z0-9+/]*={0,2}$'),
      }),
    },
    STRICT,
  ),
);
export const AcknowledgeBody = Type.Object(
  {
    fiu_reference: Words('The authority’s own reference', 255),
    at: Type.Optional(Instant('When the authority took it; absent: now')),
    receipt: Receipt,
  },
  STRICT,
);
export type Acknowledge = Static<typeof AcknowledgeBody>;

export const RefuseBody = Type.Object(
  {
    reasons: Type.Array(
      Type.Object(
        {
          code: Words('As the authority has it', 64),
          detail: Words('In its words'),
          pointer: Type.Optional(Words('Where, as it names it', 1_000)),
        },
        STRICT,
      ),
      { maxItems: 200, minItems: 1 },
    ),
    fiu_reference: Type.Optional(Words('The authority’s own reference', 255)),
    receipt: Receipt,
  },
  STRICT,
);
export type Refuse = Static<typeof RefuseBody>;

export const LinkResult = Type.Object({
  url: Type.String({ description: 'For this caller alone' }),
  expires_at: Time,
  package_sha256: Type.String(),
});
export const PackageQuery = Type.Object(
  { link: Type.String({ maxLength: 128, minLength: 1 }) },
  STRICT,
);

export const ProfilesResult = Type.Object({
  data: Type.Array(
    Type.Object({
      profile: Type.String(),
      fiu: Type.String(),
      country: Type.String(),
      currency: Type.String(),
      filable: Type.Boolean(),
      schema_sha256: Type.String(),
      strict_schema_sha256: Type.String(),
    }),
  ),
});
export const ProfileResult = Type.Object({
  profile: Type.String(),
  fiu: Type.String(),
  country: Type.String(),
  currency: Type.String(),
  filable: Type.Boolean(),
  schema_sha256: Type.String(),
  strict_schema_sha256: Type.String(),
  codes: Type.Record(Type.String(), Type.Array(Type.String()), {
    description: 'What the FIU takes, by the schema’s types',
  }),
  words: Type.Record(Type.String(), Type.Record(Type.String(), Type.String()), {
    description: 'Our words for its codes',
  }),
});

export const AttachmentForm = Type.Object({
  file: Type.String({
    description: 'PDF, PNG, JPEG, TIFF, DOCX, XLSX, CSV, TXT',
    format: 'binary',
  }),
});
