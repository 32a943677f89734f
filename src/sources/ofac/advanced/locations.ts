/** Locations: addresses as one line each, and the countries that they name. */
import type { CountryLookup } from '#slices/lists';
import { compare, distinct } from '../../entityParts.ts';
import { childrenOf, childText, type XmlRecord } from '../../recordBuilder.ts';
import { memoizedByName } from '../memoizeByName.ts';
import { isTrue, type References } from './references.ts';

export interface AddressLine {
  /** '' of a location that is a country and no more. */
  readonly line: string;
  readonly countries: readonly string[];
  /** Parts without a place in a line: comments, other spellings, the codes of areas. */
  readonly details: readonly string[];
}

/** Parts in the order of an address; province and postal code share one place. */
const PARTS: readonly (readonly [RegExp, number])[] = [
  [/^address\s*1/i, 1],
  [/^address\s*2/i, 2],
  [/^address\s*3/i, 3],
  [/^city/i, 5],
  [/^(?:state|province)/i, 6],
  [/^postal/i, 6.5],
  [/^region/i, 7],
];
const OTHER = 4;
const placeInLine = memoizedByName(
  (type) => PARTS.find(([pattern]) => pattern.test(type))?.[1] ?? OTHER,
);
/** Such a part is a nationality or country where the location names no country. */
const UNKNOWN = /^unknown$/i;

/** The line, or the countries where there is none. */
export const placeOf = ({ line, countries }: AddressLine): string => line || countries.join(', ');

export function readLocation(
  location: XmlRecord,
  references: References,
  lookup: CountryLookup,
): AddressLine {
  const details = [childText(location, 'Comment')];
  const parts: Part[] = [];
  const countries = statedCountries(location, references);
  const isStated = countries.length > 0;
  for (const part of childrenOf(location, 'LocationPart')) {
    const type = references.text('LocPartType', part);
    const place = placeInLine(type);
    const values = [...childrenOf(part, 'LocationPartValue')];
    if (values.length > 1) {
      values.sort((a, b) => rankOf(b) - rankOf(a) || compare(textOfValue(a), textOfValue(b)));
    }
    for (const [index, value] of values.entries()) {
      const text = textOfValue(value);
      details.push(childText(value, 'Comment'));
      if (index > 0) details.push(text);
      else if (UNKNOWN.test(type) && !isStated && lookup(text)) countries.push(text);
      else if (text !== '') parts.push({ place, text });
    }
  }
  countries.sort();
  for (const area of childrenOf(location, 'LocationAreaCode')) {
    const id = area.attributes.get('AreaCodeID') ?? '';
    const description = references.attribute('AreaCode', id, 'Description');
    details.push(description ?? references.textOf('AreaCode', id));
  }
  const line = parts.length === 0 ? '' : [...linesOf(parts), ...countries].join(', ');
  // Areas are countries under another name more often than not.
  const isNew = (detail: string) => detail !== '' && !countries.includes(detail);
  return { line, countries, details: distinct(details.filter(isNew)) };
}

/** An area stands for its country where no country is given. */
function statedCountries(location: XmlRecord, references: References): string[] {
  const countries = childrenOf(location, 'LocationCountry').map((item) =>
    references.text('Country', item),
  );
  if (countries.length > 0) return distinct(countries);
  const ids = childrenOf(location, 'LocationAreaCode').flatMap((area) => {
    const id = area.attributes.get('AreaCodeID') ?? '';
    return references.attribute('AreaCode', id, 'CountryID') ?? [];
  });
  return distinct(ids.map((id) => references.textOf('Country', id)));
}

const textOfValue = (value: XmlRecord): string => childText(value, 'Value');

/** The main spelling of a part; an empty one is none. */
const rankOf = (value: XmlRecord): number =>
  2 * Number(textOfValue(value) !== '') + Number(isTrue(value, 'Primary'));

interface Part {
  readonly place: number;
  readonly text: string;
}

/** By place, then text; parts of one place are one line. */
function linesOf(parts: readonly Part[]): string[] {
  const sorted = [...parts].sort((a, b) => a.place - b.place || compare(a.text, b.text));
  const byLine = Map.groupBy(sorted, ({ place }) => Math.floor(place));
  return [...byLine.values()].map((line) => line.map(({ text }) => text).join(' '));
}
