/** Bodies and answers of the operations of forms. */
import { type Static, type TSchema, Type } from 'typebox';
import { inWords } from '#core/kernel';
import { CURSOR_CHARS_MAX, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '#platform/limits';
import { CHANGE_SIZES, FORM_CODE, FORM_LANGUAGES, VERSION_STATUSES } from '#slices/forms';
import { readable } from '../../../api/freeText.ts';
import { Nullable, NullableTime } from '../../../api/nullable.ts';

const closed = { additionalProperties: false } as const;
const oneOf = <Word extends string>(words: readonly Word[], description?: string) =>
  Type.Union(
    words.map((word) => Type.Literal(word)),
    description === undefined ? {} : { description },
  );
const Uuid = Type.String({ format: 'uuid' });
const Time = Type.String({ format: 'date-time' });
const Ids = Type.Array(Type.String());
const NAME_CHARS_MAX = 200;
const COMMENT_CHARS_MAX = 4_000;
const SIGNATURE_CHARS = 88;

const Name = Type.Optional(Type.String({ maxLength: NAME_CHARS_MAX, minLength: 1, ...readable }));
const Names = Type.Object({ fr: Name, ar: Name, en: Name }, { ...closed, minProperties: 1 });
/** What it must be is told by `form-invalid`, every violation at once. */
const Steps = Type.Unsafe<object>({
  description: '`{steps: [{id, title, fields: […]}]}`; `data` is derived from it, and refused here',
  type: 'object',
});
const Languages = Type.Array(oneOf(FORM_LANGUAGES), { maxItems: 3, minItems: 1 });
const Size = oneOf(CHANGE_SIZES, 'The version counts as no less of a change than this');

export const FormBody = Type.Object(
  {
    code: Type.String({
      maxLength: 64,
      ...inWords('a code of lower-case letters, digits and underscores', FORM_CODE),
    }),
    name: Names,
    languages: Languages,
    schema: Steps,
  },
  closed,
);
export type FormGiven = Static<typeof FormBody>;

export const VersionBody = Type.Object(
  {
    languages: Type.Optional(Languages),
    schema: Type.Optional(Steps),
    change: Type.Optional(Size),
  },
  closed,
);
export type VersionGiven = Static<typeof VersionBody>;

const FORM = {
  active_version: Nullable('string'),
  active_version_id: Nullable('string', { format: 'uuid' }),
  code: Type.String(),
  created_at: Time,
  created_by: Type.String(),
  form_id: Uuid,
  languages: Type.Array(oneOf(FORM_LANGUAGES)),
  name: Type.Record(Type.String(), Type.String()),
  updated_at: Time,
  usage_30d: Type.Integer({ description: 'Received whole in thirty days, up to 20,000' }),
};
export const FormResult = Type.Object(FORM);

const Signature = Type.Object({
  key_id: Type.String(),
  roles: Type.Array(Type.String()),
  signature: Type.String(),
  signer: Type.String(),
  timestamp: Type.String(),
});
const Signing = Type.Object(
  {
    author: Type.String(),
    field: Type.String(),
    new_value: Type.Object({
      base_version: Nullable('string'),
      content_hash: Type.String(),
      version: Type.String(),
    }),
    resource: Type.String(),
  },
  { description: 'Members of the bytes that both persons sign' },
);
const nullable = (schema: TSchema) => Type.Union([schema, Type.Null()]);
const Definition = Type.Object({
  data: Type.Unsafe<object>({ description: 'JSON Schema 2020-12 of the values', type: 'object' }),
  steps: Type.Array(Type.Unsafe<object>({ type: 'object' })),
});

const VERSION = {
  added_fields: Ids,
  approvals: Type.Array(Signature),
  archived_at: NullableTime,
  author: Type.String(),
  based_on: Nullable('string'),
  changed_fields: Ids,
  created_at: Time,
  etag: Type.String(),
  form_id: Uuid,
  hash: Type.String({ description: 'SHA-256 of code, languages and steps (RFC 8785)' }),
  languages: Type.Array(oneOf(FORM_LANGUAGES)),
  published_at: NullableTime,
  removed_fields: Ids,
  signed_until: NullableTime,
  signing: nullable(Signing),
  status: oneOf(VERSION_STATUSES),
  updated_at: Time,
  updated_by: Type.String(),
  version: Type.String({ description: '<major>.<minor>.<patch>, by what changed' }),
  version_id: Uuid,
};
export const VersionResult = Type.Object({ ...VERSION, schema: Definition });
export const CreatedForm = Type.Object({ ...FORM, draft: VersionResult });

export const ActiveResult = Type.Object({
  code: Type.String(),
  form_id: Uuid,
  hash: Type.String(),
  languages: Type.Array(oneOf(FORM_LANGUAGES)),
  published_at: NullableTime,
  schema: Definition,
  signature: Type.Object(
    { key_id: Type.String(), value: Type.String() },
    { description: 'Ed25519 over "form-definition-v1\\0" and the hash, by a key of the JWK set' },
  ),
  version: Type.String(),
  version_id: Uuid,
});

const PAGE = {
  cursor: Type.Optional(Type.String({ maxLength: CURSOR_CHARS_MAX, minLength: 1 })),
  limit: Type.Optional(
    Type.Integer({ default: PAGE_LIMIT_DEFAULT, maximum: PAGE_LIMIT_MAX, minimum: 1 }),
  ),
};
export const FormsQuery = Type.Object(PAGE, closed);
export const VersionsQuery = Type.Object(
  { ...PAGE, include: Type.Optional(oneOf(['schema'], 'The definitions, too')) },
  closed,
);
export const FormsPage = Type.Object({
  data: Type.Array(FormResult, { description: 'Latest first' }),
  next_cursor: Nullable('string'),
});
export const VersionsPage = Type.Object({
  data: Type.Array(Type.Object({ ...VERSION, schema: Type.Optional(Definition) }), {
    description: 'Latest first',
  }),
  next_cursor: Nullable('string'),
});

const SIGNED = {
  signature: Type.String({
    description: 'Ed25519 over the bytes of the decision on dual control, base64',
    maxLength: SIGNATURE_CHARS,
    minLength: SIGNATURE_CHARS,
  }),
  timestamp: Type.String({ description: 'RFC 3339 UTC, as it was signed', maxLength: 32 }),
};
export const PublishBody = Type.Object(
  {
    signature: Type.Optional(SIGNED.signature),
    timestamp: Type.Optional(SIGNED.timestamp),
    signatures: Type.Optional(
      Type.Array(Type.Object({ signer: Type.String({ maxLength: 64 }), ...SIGNED }, closed), {
        maxItems: 2,
        minItems: 1,
      }),
    ),
    comment: Type.Optional(
      Type.String({ maxLength: COMMENT_CHARS_MAX, minLength: 1, ...readable }),
    ),
  },
  closed,
);
export type Publish = Static<typeof PublishBody>;

const Values = Type.Record(Type.String({ maxLength: 64 }), Type.Unknown(), {
  description: 'Values by field id',
});
export const PreviewBody = Type.Object({ data: Values }, closed);
export const PreviewResult = Type.Object({
  data: Type.Record(Type.String(), Type.Unknown()),
  errors: Type.Array(Type.Object({ code: Type.String(), field: Type.String() })),
  ignored_fields: Ids,
  visible: Ids,
});
