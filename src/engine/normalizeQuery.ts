/**
 * A query as given → all that scoring reads (decisions 2.3). Plain JSON and deterministic: it is
 * the event's `query_normalized`, and a replay starts from it.
 */
import { ARABIC_VARIANTS_MAX, arabicVariants, hasArabic } from './arabicVariants.ts';
import { foldReadings } from './foldName.ts';
import type { NormalizedQuery, RawQuery } from './ports.ts';

/** Given transliterations that count; the rest is cut off. */
const TRANSLITERATIONS_MAX = 20;

/**
 * Normalises a query.
 *
 * `names` has the folded name, its romanised form, and every given and generated transliteration:
 * distinct, in this order. Where no type is given, single letters at the end are read both as
 * initials and as a legal form. `variants` has the given transliterations, then the generated ones.
 * A name that folds to nothing (only punctuation) has no names; the caller refuses it.
 */
export function normalizeQuery(query: RawQuery): NormalizedQuery {
  const reading = query.schema && (query.schema === 'Person' ? 'person' : 'entity');
  const folded = foldReadings(query.name, reading);
  const given = query.transliterations
    .slice(0, TRANSLITERATIONS_MAX)
    .flatMap((name) => foldReadings(name, reading));
  const natives = distinct([...folded, ...given].map(({ native }) => native));
  const generated = natives.filter(hasArabic).flatMap(arabicVariants).slice(0, ARABIC_VARIANTS_MAX);
  const variants = distinct([...given.map(({ latin }) => latin), ...generated]);
  return {
    names: distinct([...natives, ...folded.map(({ latin }) => latin), ...variants]),
    variants,
    ...(query.dob === undefined ? {} : { dob: query.dob }),
    ...(query.dobRange === undefined ? {} : { dob_range: query.dobRange }),
    ...(query.nationality === undefined ? {} : { nationality: query.nationality.toUpperCase() }),
    ...(query.schema === undefined ? {} : { schema: query.schema }),
  };
}

function distinct(names: readonly string[]): string[] {
  return [...new Set(names)].filter((name) => name !== '');
}
