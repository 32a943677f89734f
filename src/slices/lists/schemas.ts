/**
 * Facts of a listed party on the wire, which every answer with hits shares. Edges alone import
 * this: what describes bodies is not loaded into threads.
 */
import { Type } from 'typebox';
import { AKAS_SHOWN_MAX, type ShownFacts } from './entryFacts.ts';

const texts = (description: string) =>
  Type.Union([Type.Array(Type.String()), Type.Null()], {
    description: `${description}; null where the version's text is gone`,
  });

/** In the order of ShownFacts. */
export const ENTRY_FACTS = {
  dates_of_birth: texts('YYYY, YYYY-MM, YYYY-MM-DD, or two of them with / between'),
  citizenships: texts('ISO 3166 alpha-2'),
  countries: texts('ISO 3166 alpha-2'),
  programmes: texts('Programmes or regimes under which the publisher lists it'),
  akas: texts(`The first ${AKAS_SHOWN_MAX} of its other names`),
  identifiers: texts('Kinds of its identifiers, without their numbers'),
} as const satisfies Record<keyof ShownFacts, unknown>;
