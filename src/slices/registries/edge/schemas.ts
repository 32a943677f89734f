/** Lookups as they stand on the wire. */
import { type Static, type TSchema, Type } from 'typebox';
import type { SealedEvent } from '#core/audit';
import { inWords } from '#core/kernel';
import {
  CACHE_HOURS,
  CACHE_HOURS_MAX,
  COMPANY_STATUSES,
  MATCHES,
  NAME_CHARS_MAX,
  type PreparedLookup,
  REGISTRIES,
} from '#slices/registries';
import { readable } from '../../../api/freeText.ts';
import { Nullable } from '../../../api/nullable.ts';

const STRICT = { additionalProperties: false } as const;
const IDENTIFIER_CHARS_MAX = 64;
const oneOf = <Word extends string>(words: readonly Word[]) =>
  Type.Union(words.map((word) => Type.Literal(word)));
const Uuid = Type.String({ format: 'uuid' });
const Text = Nullable('string');
const nullable = (schema: TSchema) => Type.Union([schema, Type.Null()]);

export const LookupBody = Type.Object(
  {
    identifier: Type.Optional(
      Type.String({
        description: 'TN: seven digits and a key letter; FR: a SIREN or a SIRET',
        maxLength: IDENTIFIER_CHARS_MAX,
        minLength: 1,
        ...readable,
      }),
    ),
    name: Type.Optional(Type.String({ maxLength: NAME_CHARS_MAX, minLength: 2, ...readable })),
    country: Type.String({
      maxLength: 2,
      ...inWords('an ISO 3166-1 alpha-2 code', '^[A-Z]{2}$'),
    }),
    case_id: Type.Optional(Uuid),
    max_age_hours: Type.Optional(
      Type.Integer({
        default: CACHE_HOURS,
        description: '0: the registry is asked',
        maximum: CACHE_HOURS_MAX,
        minimum: 0,
      }),
    ),
  },
  STRICT,
);
/** A body as it comes. */
export type LookupGiven = Static<typeof LookupBody>;

const PersonResult = Type.Object({ name: Type.String(), name_ar: Text, role: Text, since: Text });
const CompanyResult = Type.Object({
  activity: nullable(
    Type.Object({ code: Text, label: Text, scheme: nullable(oneOf(['NAF', 'NAT'])) }),
  ),
  beneficial_owners: nullable(Type.Array(PersonResult)),
  capital: nullable(Type.Object({ amount: Type.String(), currency: Type.String() })),
  identifier: Type.String(),
  legal_form: nullable(Type.Object({ code: Text, label: Text })),
  legal_name: Type.String(),
  legal_name_ar: Text,
  officers: Type.Array(PersonResult),
  registered_office: nullable(
    Type.Object({ city: Text, country: Text, line1: Text, postal_code: Text, region: Text }),
  ),
  registered_on: Text,
  status: oneOf(COMPANY_STATUSES),
  struck_off_on: Text,
  tax_id: Text,
  trade_name: Text,
});

export const LookupResult = Type.Object({
  as_of: Type.String({ format: 'date-time' }),
  candidates: Type.Array(CompanyResult),
  company: nullable(CompanyResult),
  evidence: Type.Object({
    audit: Type.Object({ event_id: Uuid, hash: Type.String(), seq: Type.Integer() }),
    response_sha256: Type.String(),
  }),
  lookup_id: Uuid,
  match: oneOf(MATCHES),
  registry: oneOf(REGISTRIES),
  source: oneOf(['live', 'file', 'cache']),
  warnings: Type.Array(Type.String()),
});

/** With the entry that tells of it. */
export const presentLookup = (
  { answer, lookup }: PreparedLookup,
  event: SealedEvent | undefined,
) => ({
  as_of: new Date(lookup.asOf).toISOString(),
  candidates: answer.candidates,
  company: answer.company,
  evidence: {
    audit: { event_id: event?.eventId, hash: event?.hash, seq: event?.seq },
    response_sha256: lookup.answerSha256,
  },
  lookup_id: lookup.lookupId,
  match: answer.match,
  registry: lookup.registry,
  source: lookup.source,
  warnings: answer.warnings,
});
