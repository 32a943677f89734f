/**
 * Words of a query on the wire, which every slice that screens shares (interface.md 2.2). Edges
 * alone import this: what describes bodies is not loaded into threads.
 */
import { Type } from 'typebox';
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
