/** A listed entry on the wire (interface.md 2.12, decisions 2.13). */
import { Type } from 'typebox';
import { CURSOR_CHARS_MAX, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '#platform/limits';
import { LOOKUP_TEXT_CHARS_MAX } from '#slices/screening';
import { Nullable } from '../../../api/nullable.ts';

const texts = (description?: string) =>
  Type.Array(Type.String(), description === undefined ? {} : { description });

const ListCode = Type.String({
  description: 'Code of a list (OFAC, UN, EU, HMT, BCT_LOCAL), or source id',
  maxLength: 32,
  minLength: 1,
});

export const EntitiesQuery = Type.Object(
  {
    q: Type.String({
      description: 'Words of a name, or their beginnings, in any script and order',
      maxLength: LOOKUP_TEXT_CHARS_MAX,
      minLength: 1,
    }),
    list: Type.Optional(ListCode),
    cursor: Type.Optional(Type.String({ maxLength: CURSOR_CHARS_MAX, minLength: 1 })),
    limit: Type.Optional(
      Type.Integer({ default: PAGE_LIMIT_DEFAULT, maximum: PAGE_LIMIT_MAX, minimum: 1 }),
    ),
  },
  { additionalProperties: false },
);

export const EntitiesPage = Type.Object({
  data: Type.Array(
    Type.Object({
      ftm_id: Type.String(),
      list: Type.String({ description: 'Source id' }),
      primary_name: Type.String(),
      matched_name: Type.String({ description: 'The name on the list that has the words' }),
      schema: Type.String(),
      categories: texts('SAN, PEP, RCA, SI, DI'),
      relevance: Type.Number({ description: '1: these words whole, and no others' }),
    }),
    { description: 'By relevance, then ftm_id' },
  ),
  notice: Type.String({ description: 'Says that this is no screening' }),
  truncated: Type.Boolean({
    description: 'A word has more entries than are looked through: type more of it',
  }),
  next_cursor: Nullable('string'),
});

export const EntityQuery = Type.Object(
  {
    list: Type.Optional(ListCode),
    list_version: Type.Optional(
      Type.String({
        description: 'As it stood then: label of a version (v<date>.<letter>), or its list_digest',
        maxLength: 64,
        minLength: 1,
      }),
    ),
  },
  { additionalProperties: false },
);

const Association = Type.Object({
  target_ftm_id: Type.String(),
  type: Type.String({ enum: ['FAMILY', 'BUSINESS', 'ADDRESS', 'EMPLOYER', 'OWNER'] }),
  label: Type.String(),
  strength: Type.Number({ description: '1.0 direct, 0.5 reported, 0.3 weak' }),
});

const Entity = Type.Object(
  {
    ftm_id: Type.String(),
    schema: Type.String(),
    primary_name: Type.String(),
    primary_name_folded: Type.String(),
    akas: texts(),
    dates_of_birth: texts('YYYY, YYYY-MM, YYYY-MM-DD, or two of them with / between'),
    places_of_birth: texts(),
    citizenships: texts('ISO 3166 alpha-2'),
    countries: texts('ISO 3166 alpha-2'),
    identifiers: Type.Record(Type.String(), Type.String()),
    categories: texts('SAN, PEP, RCA, SI, DI'),
    source_lists_hits: Type.Array(
      Type.Object({ added_at: Type.String(), list: Type.String(), version: Type.String() }),
    ),
    addresses: texts(),
    associations: Type.Array(Association),
    flattened_associated_sanctioned: Type.Array(
      Type.Object({
        target_ftm_id: Type.String(),
        depth: Type.Integer({ maximum: 2, minimum: 1 }),
        path_types: texts(),
        path_decay: Type.Number(),
      }),
    ),
    programmes: texts('Programmes or regimes under which the publisher lists it'),
    first_seen_at: Type.String(),
    last_seen_at: Type.String(),
    properties: Type.Record(Type.String(), texts(), {
      description: 'What the publisher says and list format v1 has no member for',
    }),
  },
  { description: 'The whole entry, list format v1', title: 'ListEntity' },
);

export const EntityResult = Type.Object({
  ftm_id: Type.String(),
  list: Type.String({ description: 'Source id' }),
  list_version: Type.String({ description: 'v<date>.<letter>' }),
  list_digest: Type.String({ description: 'SHA-256, 64 hex characters' }),
  release_date: Type.String({ description: 'Date of the publisher’s release' }),
  in_force: Type.Boolean({ description: 'Screenings use this version now' }),
  entity: Entity,
  sources: Type.Array(
    Type.Object({
      list: Type.String({ description: 'Source id' }),
      ftm_id: Type.String(),
      reason: Nullable('string', {
        description: 'Why it is the same entry; null for the entry itself',
      }),
      evidence: texts('What is equal: an identifier, or the day and both names'),
    }),
    {
      description:
        'The entry itself, then those of other lists in force that are the same one; of a ' +
        'version that is not in force the entry alone',
    },
  ),
  relations: Type.Array(
    Type.Object({
      ...Association.properties,
      target_primary_name: Nullable('string', {
        description: 'null where the list has no such entry',
      }),
    }),
  ),
  history: Type.Array(
    Type.Object({
      list_version: Type.String(),
      release_date: Type.String(),
      published_at: Type.String({ format: 'date-time' }),
      change: Type.String({ enum: ['added', 'updated', 'removed'] }),
      members: Type.Union([texts(), Type.Null()], {
        description: 'Members that differ, of the latest changes; null where not compared',
      }),
    }),
    { description: 'What this list did with the entry, the latest first' },
  ),
  history_from: Nullable('string', {
    description: 'The oldest version that was looked at; null: none keeps what it changed',
  }),
});
