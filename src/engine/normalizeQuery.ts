/**
 * A query as given → all that scoring reads (decisions 2.3). Plain JSON and deterministic: it is
 * the event's `query_normalized`, and a replay starts from it.
 */
import { ARABIC_VARIANTS_MAX, arabicSpellings, hasArabic } from './arabicVariants.ts';
import type { Deadline } from './deadline.ts';
import { foldReadings } from './foldName.ts';
import type { NormalizedQuery, RawQuery } from './ports.ts';

/** Given transliterations that count; the rest is cut off. */
export const TRANSLITERATIONS_MAX = 20;

/**
 * Normalises a query.
 *
 * `names` has the folded name, its romanised form, and every given and generated transliteration:
 * distinct, in this order. Where no type is given, single letters at the end are read both as
 * initials and as a legal form. `variants` has the given transliterations, then the generated ones.
 * A name that folds to nothing (only punctuation) has no names; the caller refuses it.
 *
 * Costs up to some milliseconds for each name of 512 code points. The deadline is looked at between
 * names and words; throws EngineError `deadline-exceeded`.
 */
export function normalizeQuery(query: RawQuery, deadline?: Deadline): NormalizedQuery {
  const reading = query.schema && (query.schema === 'Person' ? 'person' : 'entity');
  const folded = foldReadings(query.name, reading, deadline);
  const given = query.transliterations
    .slice(0, TRANSLITERATIONS_MAX)
    .flatMap((name) => foldReadings(name, reading, deadline));
  const natives = distinct([...folded, ...given].map(({ native }) => native));
  const variants = distinct([
    ...given.map(({ latin }) => latin),
    ...firstVariants(natives, deadline),
  ]);
  return {
    names: distinct([...natives, ...folded.map(({ latin }) => latin), ...variants]),
    variants,
    ...(query.dob === undefined ? {} : { dob: query.dob }),
    ...(query.dobRange === undefined ? {} : { dob_range: query.dobRange }),
    ...(query.nationality === undefined ? {} : { nationality: query.nationality.toUpperCase() }),
    ...(query.schema === undefined ? {} : { schema: query.schema }),
  };
}

/**
 * The first ARABIC_VARIANTS_MAX variants of all names together, as an event of any age has them: a
 * variant of two names counts twice. No name after the last one that counts is spelt.
 */
function firstVariants(natives: readonly string[], deadline: Deadline | undefined): string[] {
  const variants: string[] = [];
  for (const native of natives) {
    const missing = ARABIC_VARIANTS_MAX - variants.length;
    if (missing === 0) break;
    if (hasArabic(native)) variants.push(...arabicSpellings(native, missing, deadline));
  }
  return variants;
}

function distinct(names: readonly string[]): string[] {
  return [...new Set(names)].filter((name) => name !== '');
}
