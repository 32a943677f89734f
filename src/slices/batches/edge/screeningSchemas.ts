/** The sanctions batch (interface.md 4.8) on the wire: up to 10,000 names, each a screening. */
import { type Static, type TSchema, Type } from 'typebox';
import type { Violation } from '#core/kernel';
import { CURSOR_CHARS_MAX, PAGE_LIMIT_DEFAULT, SCREENINGS_PAGE_LIMIT_MAX } from '#platform/limits';
import {
  EXTERNAL_ID_CHARS_MAX,
  type KnownCountries,
  readSubject,
  type Subject,
} from '#slices/intake';
import { Nullable, NullableTime } from '../../../api/nullable.ts';
import { compileSchema } from '../../../api/validate.ts';
import { ENTRY_FACTS } from '../../lists/schemas.ts';
import {
  DateRange,
  hitWith,
  ListCodes,
  Name,
  Nationality,
  PartialDate,
  Transliterations,
} from '../../screening/schemas.ts';
import { bodyInvalid } from './batchSchemas.ts';
import { BatchResult } from './resultSchemas.ts';

export const SCREENINGS_PER_BATCH_MAX = 10_000;

const ScreenedName = Type.Object(
  {
    name: Name('Name to screen, in any script'),
    external_id: Type.Optional(
      Type.String({
        description: 'Your own id, each once; without it the place among the others, from 1',
        maxLength: EXTERNAL_ID_CHARS_MAX,
        minLength: 1,
      }),
    ),
    type: Type.Optional(Type.Union([Type.Literal('Person'), Type.Literal('Company')])),
    dob: Type.Optional(PartialDate),
    dob_range: Type.Optional(DateRange),
    nationality: Type.Optional(Nationality),
    transliterations: Type.Optional(Transliterations('Further spellings of the same name')),
  },
  { additionalProperties: false },
);
const validateName = compileSchema(ScreenedName);

const NAMES = { maxItems: SCREENINGS_PER_BATCH_MAX, minItems: 1 };

export const ScreeningBatchBody: TSchema = Type.Object(
  {
    subjects: Type.Optional(
      Type.Array(ScreenedName, { ...NAMES, description: 'Or `screenings`, which means the same' }),
    ),
    screenings: Type.Optional(Type.Array(ScreenedName, NAMES)),
    lists: Type.Optional(ListCodes),
  },
  { additionalProperties: false },
);

/** Either member; both are arrays here, and no other one is read. */
export const NAMES_MEMBERS = ['subjects', 'screenings'] as const;

const Members = Type.Object(
  {
    lists: Type.Optional(ListCodes),
    subjects: Type.Optional(Type.Array(Type.Unknown())),
    screenings: Type.Optional(Type.Array(Type.Unknown())),
  },
  { additionalProperties: false },
);
const validateMembers = compileSchema(Members);

/** Throws `body-invalid` with every violation. */
export function parseLists(members: Readonly<Record<string, unknown>>): readonly string[] {
  const violations = validateMembers(members);
  if (violations.length > 0) throw bodyInvalid(violations);
  return (members as Static<typeof Members>).lists ?? [];
}

/** Reads one element; `at` counts from 0. */
export function parseScreenedName(
  value: unknown,
  at: number,
  countries: KnownCountries,
): { readonly subject: Subject } | { readonly violations: readonly Violation[] } {
  const violations = validateName(value);
  if (violations.length > 0) return { violations };
  const given = value as Static<typeof ScreenedName>;
  const read = readSubject(subjectOf(given, at), countries);
  if (read.violations === undefined) return { subject: read.subject };
  return { violations: read.violations.map(underItsName) };
}

function subjectOf(given: Static<typeof ScreenedName>, at: number): Subject {
  const { external_id, name, transliterations, type, ...same } = given;
  return {
    ...same,
    external_id: external_id ?? String(at + 1),
    full_name: name,
    ...(transliterations !== undefined && { full_name_transliterations: transliterations }),
    ...(type !== undefined && { type: type === 'Person' ? 'individual' : 'business' }),
  };
}

/** The violation under the name that the caller used. */
const underItsName = ({ code, detail, pointer }: Violation): Violation => ({
  code,
  detail: detail.replace(/^full_name: /, 'name: '),
  pointer: pointer.replace(/^\/full_name_/, '/').replace(/^\/full_name/, '/name'),
});

export const ScreeningBatchCreated = Type.Object({
  screening_id: Type.String({ description: 'Of the batch: to ask after it by', format: 'uuid' }),
  status: Type.String({ description: 'queued' }),
  subjects_total: Type.Integer({ maximum: SCREENINGS_PER_BATCH_MAX, minimum: 1 }),
  estimated_completion: NullableTime,
});

export const ScreeningsQuery = Type.Object(
  {
    cursor: Type.Optional(Type.String({ maxLength: CURSOR_CHARS_MAX, minLength: 1 })),
    limit: Type.Optional(
      Type.Integer({
        default: PAGE_LIMIT_DEFAULT,
        maximum: SCREENINGS_PAGE_LIMIT_MAX,
        minimum: 1,
      }),
    ),
  },
  { additionalProperties: false },
);

const { failure, list_version, lists, lists_in_force, progress_pct, status } =
  BatchResult.properties;

const ScreeningBatchResult = Type.Object(
  {
    screening_id: Type.String({ format: 'uuid' }),
    status,
    failure,
    progress_pct,
    total: Type.Integer({ minimum: 0 }),
    processed: Type.Integer({ minimum: 0 }),
    with_hits: Type.Integer({ minimum: 0 }),
    lists,
    list_version,
    lists_in_force,
    requested_at: Type.String({ format: 'date-time' }),
    started_at: NullableTime,
    completed_at: NullableTime,
    estimated_completion: NullableTime,
    data: Type.Array(
      Type.Object({
        external_id: Type.String(),
        erased: Type.Optional(Type.Boolean({ description: 'Erased: external_id is empty' })),
        screening_id: Nullable('string', {
          description:
            'Its evidence is asked for by this id; null: nothing in the name to screen by',
        }),
        decision: Nullable('string', { description: 'As of a unit screening' }),
        hits_count: Type.Integer({ minimum: 0 }),
      }),
      { description: 'In the order in which they were sent, as far as they are screened' },
    ),
    next_cursor: Nullable('string', {
      description: 'null at the end; while it runs, an empty page with it says: not yet',
    }),
  },
  { title: 'ScreeningBatch' },
);

const OneScreening = Type.Object(
  {
    screening_id: Type.String({ format: 'uuid' }),
    status: Type.Literal('completed'),
    occurred_at: Type.String({ format: 'date-time' }),
    requested_by: Type.String(),
    erased: Type.Boolean({ description: 'Who was screened is erased; the verdict stays' }),
    decision: Type.String({ description: 'The most severe typology over all hits, or CLEAR' }),
    hits: Type.Array(hitWith(ENTRY_FACTS)),
    list_version: Type.String(),
    policy_version: Type.Integer(),
    reranker_version: Type.String(),
    weights: Type.Record(Type.String(), Type.Number()),
    thresholds: Type.Record(Type.String(), Type.Number()),
    audit: Type.Object({
      event_id: Type.String({ format: 'uuid' }),
      seq: Type.Integer({ minimum: 1 }),
      hash: Type.String(),
    }),
  },
  { title: 'Screening' },
);

export const ScreeningOrBatch: TSchema = Type.Union([ScreeningBatchResult, OneScreening]);
