/**
 * Bodies of the screening operations: input becomes a domain value here, once. The wire spelling is
 * interface.md's (2.2, 2.13). Answers are written by screeningRecord.ts, beside the rules, which
 * must be able to write them again from an event.
 */
import { type Static, type TSchema, Type } from 'typebox';
import { DomainError, type Violation } from '#core/kernel';
import { monthRangeFault, partialDateFault, type RawQuery } from '#slices/screening';
import countries from '../../../../config/tables/countries.json' with { type: 'json' };
import { ENTRY_FACTS } from '../../lists/schemas.ts';
import { SUBJECT_REF_CHARS_MAX } from '../limits.ts';
import {
  COUNTRY_CODE,
  DateRange,
  ExplainFlag,
  Explanation,
  hitWith,
  ListCodes,
  Name,
  Nationality,
  PartialDate,
  Transliterations,
} from '../schemas.ts';

/** Who the subject is to the caller. */
const CUSTOMER = {
  subject_ref: Type.Optional(
    Type.String({
      description: 'Your own id of the customer: events have a digest of it',
      maxLength: SUBJECT_REF_CHARS_MAX,
      minLength: 1,
    }),
  ),
  monitor: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Whether the customer of `subject_ref` is screened with every list that changes from ' +
        'then on (`GET /v1/sanctions/monitored-subjects`). Roles that keep the register of ' +
        'customers may ask for it',
    }),
  ),
};

export const ScreenBody = Type.Object(
  {
    name: Name('Name to screen, in any script'),
    type: Type.Optional(
      Type.Union([Type.Literal('Person'), Type.Literal('Company')], {
        description: 'Without it persons, companies and everything else are sought',
      }),
    ),
    dob: Type.Optional(PartialDate),
    dob_range: Type.Optional(DateRange),
    nationality: Type.Optional(Nationality),
    lists: Type.Optional(ListCodes),
    transliterations: Type.Optional(Transliterations('Further spellings of the same name')),
    ...CUSTOMER,
  },
  { additionalProperties: false },
);

export const AmlScreenBody = Type.Object(
  {
    subject: Type.Object(
      {
        full_name: Name('Name of the subject, in any script'),
        full_name_transliterations: Type.Optional(
          Transliterations('Alternative Latin spellings of the name'),
        ),
        dob: Type.Optional(PartialDate),
        nationality: Type.Optional(Nationality),
      },
      { additionalProperties: false },
    ),
    lists: Type.Optional(ListCodes),
    ...CUSTOMER,
  },
  { additionalProperties: false },
);

export const ScreenQuery = Type.Object(
  { explain: Type.Optional(ExplainFlag) },
  { additionalProperties: false },
);

export function parseScreenBody(body: Static<typeof ScreenBody>): RawQuery {
  refuseAll([
    ...unrealDate(body.dob, '/dob'),
    ...disorderedRange(body.dob_range),
    ...unknownCountry(body.nationality, '/nationality'),
    ...withoutRef(body),
  ]);
  return {
    name: body.name,
    transliterations: body.transliterations ?? [],
    ...(body.dob !== undefined && { dob: body.dob }),
    ...(body.dob_range !== undefined && { dobRange: body.dob_range }),
    ...(body.nationality !== undefined && { nationality: body.nationality }),
    ...(body.type !== undefined && { schema: body.type }),
  };
}

export function parseAmlScreenBody(body: Static<typeof AmlScreenBody>): RawQuery {
  const { subject } = body;
  refuseAll([
    ...withoutRef(body),
    ...unrealDate(subject.dob, '/subject/dob'),
    ...unknownCountry(subject.nationality, '/subject/nationality'),
  ]);
  return {
    name: subject.full_name,
    transliterations: subject.full_name_transliterations ?? [],
    ...(subject.dob !== undefined && { dob: subject.dob }),
    ...(subject.nationality !== undefined && { nationality: subject.nationality }),
  };
}

/** Refuses 31 February, which the pattern accepts. */
function unrealDate(date: string | undefined, pointer: string): Violation[] {
  const fault = date === undefined ? undefined : partialDateFault(date);
  return fault === undefined ? [] : [{ ...fault, pointer }];
}

function disorderedRange(range: string | undefined): Violation[] {
  const fault = range === undefined ? undefined : monthRangeFault(range);
  return fault === undefined ? [] : [{ ...fault, pointer: '/dob_range' }];
}

/**
 * Refuses `UK` for `GB`: it would compare as another country, and a listed person would come out
 * CLEAR.
 */
function unknownCountry(code: string | undefined, pointer: string): Violation[] {
  if (code === undefined || Object.hasOwn(countries, code)) return [];
  return [{ code: 'format', detail: `expected ${COUNTRY_CODE}`, pointer }];
}

/** A customer who is to be watched needs an id by which he is known again. */
const withoutRef = ({
  monitor,
  subject_ref,
}: Pick<Static<typeof ScreenBody>, 'monitor' | 'subject_ref'>): Violation[] =>
  monitor === true && subject_ref === undefined
    ? [{ code: 'missing', detail: 'expected it beside monitor', pointer: '/subject_ref' }]
    : [];

/** Throws all violations at once. */
function refuseAll(violations: readonly Violation[]): void {
  if (violations.length === 0) return;
  const detail = violations.map((one) => one.detail).join('; ');
  throw new DomainError('body-invalid', { detail, violations });
}

const Hit = Type.Object({
  ...hitWith(ENTRY_FACTS).properties,
  explanation: Type.Optional(Explanation),
});

export const ScreeningResult = Type.Object({
  screening_id: Type.String({ format: 'uuid' }),
  decision: Type.String({
    description: 'The most severe typology over all hits, or CLEAR',
    enum: [
      'MATCH_DIRECT_SANCTIONS',
      'MATCH_PEP',
      'MATCH_RCA_DIRECT',
      'MATCH_RCA_INDIRECT',
      'POTENTIAL_ADVERSE_MEDIA',
      'CLEAR',
    ],
  }),
  hits: Type.Array(Hit, {
    description: 'By finalScore, then information of the names (re-ranker 2), then ftm_id',
  }),
  suppressed: Type.Optional(
    Type.Array(
      Type.Object({
        ftm_id: Type.String(),
        source: Type.String({ description: 'Source id of the list' }),
        typology: Type.String(),
        exclusion_id: Type.String({ format: 'uuid' }),
      }),
      { description: 'What is no hit by an exclusion; absent where there is nothing' },
    ),
  ),
  suppressed_only: Type.Optional(
    Type.Boolean({ description: 'CLEAR by exclusions alone; beside `suppressed`' }),
  ),
  list_version: Type.String({ description: 'SHA-256 over the lists in force, 64 hex characters' }),
  policy_version: Type.Integer(),
  reranker_version: Type.String({ description: 'SemVer' }),
  weights: Type.Record(Type.String(), Type.Number()),
  thresholds: Type.Record(Type.String(), Type.Number()),
  took_ms: Type.Number(),
  audit: Type.Object({
    event_id: Type.String({ format: 'uuid' }),
    seq: Type.Integer({ minimum: 1 }),
    hash: Type.String({ description: '64 hex characters' }),
  }),
});

export const ScreeningEvidence: TSchema = Type.Object({
  event: Type.Record(Type.String(), Type.Unknown(), {
    description: 'The event as it is in the chain; its open members are absent once erased',
  }),
  checkpoint: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], {
    description: 'Latest signed checkpoint at or after the event; null until there is one',
  }),
});
