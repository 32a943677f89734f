/**
 * Words of a query and hits on the wire, which every slice that screens shares (interface.md 2.2).
 * Edges alone import this: what describes bodies is not loaded into threads.
 */
import { type TProperties, Type } from 'typebox';
import { faultOf, inWords } from '#core/kernel';
import { LISTS_MAX, NAME_CODE_POINTS_MAX, TRANSLITERATIONS_MAX } from './limits.ts';
import {
  MONTH_RANGE_PATTERN,
  monthRangeFault,
  PARTIAL_DATE_PATTERN,
  partialDateFault,
  QUERY_YEARS,
} from './queryDates.ts';

export const COUNTRY_CODE = 'an ISO 3166-1 alpha-2 code in use';

export const Name = (description: string) =>
  Type.String({ description, maxLength: NAME_CODE_POINTS_MAX, minLength: 1 });

export const PartialDate = Type.String({
  description:
    'Date of birth, or of foundation: YYYY-MM-DD; YYYY-MM or YYYY where that is known; years ' +
    QUERY_YEARS,
  examples: ['1961-05-14'],
  maxLength: 10,
  ...faultOf(PARTIAL_DATE_PATTERN, partialDateFault),
});

export const DateRange = Type.String({
  description: `First and last month of a range: YYYY-MM:YYYY-MM; years ${QUERY_YEARS}`,
  examples: ['1960-01:1962-12'],
  maxLength: 15,
  ...faultOf(MONTH_RANGE_PATTERN, monthRangeFault),
});

export const Nationality = Type.String({
  description: 'ISO 3166-1 alpha-2',
  examples: ['TN'],
  maxLength: 2,
  ...inWords(COUNTRY_CODE, '^[A-Z]{2}$'),
});

export const ListCodes = Type.Array(Type.String({ maxLength: 32, minLength: 1 }), {
  description:
    'List codes (OFAC, UN, EU, HMT, BCT_LOCAL) or source ids; without it every list in force',
  examples: [['OFAC', 'UN']],
  maxItems: LISTS_MAX,
  minItems: 1,
  uniqueItems: true,
});

export const Transliterations = (description: string) =>
  Type.Array(Name('A Latin spelling of the name'), {
    description,
    maxItems: TRANSLITERATIONS_MAX,
  });

const Score = Type.Number({ maximum: 1, minimum: 0 });
const ScoreOrAbsent = Type.Union([Score, Type.Null()], {
  description: 'null where the attribute is missing on either side',
});

const candidateWith = <Facts extends TProperties>(facts: Facts) =>
  Type.Object({
    ftm_id: Type.String(),
    primary_name: Type.String(),
    schema: Type.String(),
    categories: Type.Array(Type.String()),
    source_lists_hits: Type.Array(
      Type.Object({ added_at: Type.String(), list: Type.String(), version: Type.String() }),
    ),
    ...facts,
    finalScore: Score,
    nameScore: Score,
    phoneticScore: ScoreOrAbsent,
    dobScore: ScoreOrAbsent,
    nationalityScore: ScoreOrAbsent,
    aliasUnfoldScore: ScoreOrAbsent,
    sourceTypeBoost: Score,
    matched_name: Type.String({
      description: 'The name on the list that nameScore was reached with',
    }),
  });

/** A hit of an answer; `facts` are what the lists say of the party. */
export const hitWith = <Facts extends TProperties>(facts: Facts) =>
  Type.Object({
    candidate: candidateWith(facts),
    directScore: Type.Number({
      description: 'Score before the boost: compared with the thresholds',
    }),
    typology: Type.String(),
    rcaHits: Type.Array(
      Type.Object({
        depth: Type.Integer({ maximum: 2, minimum: 1 }),
        pathTypes: Type.Array(Type.String()),
        rcaScore: Score,
        sanctionedTargetFtmId: Type.String(),
      }),
    ),
    merged: Type.Optional(
      Type.Array(
        Type.Object({
          source: Type.String({ description: 'Source id of the list' }),
          ftm_id: Type.String(),
          primary_name: Type.String(),
          categories: Type.Array(Type.String()),
          finalScore: Score,
          typology: Type.Union([Type.String(), Type.Null()], {
            description: 'null where its own score is under its threshold',
          }),
          reason: Type.String({ enum: ['identifier', 'name-and-date-of-birth'] }),
          evidence: Type.Array(Type.String(), {
            description: 'What is equal: an identifier, or the day and both names',
          }),
        }),
        {
          description:
            'Entries of other lists that are the same one, whose sources stand in ' +
            'source_lists_hits too; absent where there are none',
        },
      ),
    ),
  });
export const ExplainFlag = Type.Boolean({
  default: false,
  description:
    'Whether each hit says why it has its score: made as it is read, and no part of the evidence',
});

const Words = (description: string) => Type.Array(Type.String(), { description });

/** Why a hit has its score; docs/matching.md says it at length. */
export const Explanation = Type.Union(
  [
    Type.Object(
      {
        query: Type.String({ description: 'The name of the query, as it was compared' }),
        entry: Type.String({ description: 'The name of the entry, as it was compared' }),
        words: Type.Array(
          Type.Object({
            query: Type.String(),
            entry: Type.String(),
            reason: Type.String({
              enum: [
                'same',
                'swapped',
                'typo',
                'transliteration',
                'spelling',
                'initial',
                'nickname',
                'shortened',
                'joined',
                'acronym',
              ],
            }),
            similarity: Type.Number({ maximum: 1, minimum: 0 }),
          }),
          { description: 'Words that stand for each other, and why' },
        ),
        left_over: Type.Object({
          query: Words('Words of the query without a partner'),
          entry: Words('Words of the entry without a partner'),
        }),
        bits: Type.Number({ description: 'Information of the words that both names have' }),
        terms: Type.Array(Type.Object({ term: Type.String(), z: Type.Number() }), {
          description:
            'What is added up, names first, then attributes and bounds; four decimals, and they ' +
            'sum to z to the last one',
        }),
        z: Type.Number({ description: 'The score is 1 / (1 + e^-z)' }),
        score: Type.Number({ description: 'directScore', maximum: 1, minimum: 0 }),
      },
      { title: 'Explanation' },
    ),
    Type.Null(),
  ],
  {
    description:
      'Where `explain` asked for it; null for re-ranker 1, whose components and weights say it ' +
      'all, and where the query is erased or the list version gone',
  },
);
