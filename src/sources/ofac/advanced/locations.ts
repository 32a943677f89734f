/** Locations: addresses as one line each, and the countries that they name. */
import { childrenOf, childText, type XmlRecord } from '../../xml/index.ts';
import { isTrue, type References } from './references.ts';

export interface AddressLine {
  /** '' of a location that is a country and no more. */
  readonly line: string;
  readonly countries: readonly string[];
  /** What a line has no place for: comments, other spellings, the codes of areas. */
  readonly details: readonly string[];
}

/** Parts in the order of an address; region and postal code share one place. */
const PARTS: readonly (readonly [RegExp, number])[] = [
  [/^address\s*1/i, 1],
  [/^address\s*2/i, 2],
  [/^address\s*3/i, 3],
  [/^city/i, 5],
  [/^(?:state|province)/i, 6],
  [/^postal/i, 6],
  [/^region/i, 7],
];
const OTHER = 4;

export function readLocation(location: XmlRecord, references: References): AddressLine {
  const details = [childText(location, 'Comment')];
  const byPlace = new Map<number, string[]>();
  for (const part of childrenOf(location, 'LocationPart')) {
    const type = references.text('LocPartType', part);
    const place = PARTS.find(([pattern]) => pattern.test(type))?.[1] ?? OTHER;
    const values = childrenOf(part, 'LocationPartValue');
    const main = values.find((value) => isTrue(value, 'Primary')) ?? values[0];
    for (const value of values) {
      const text = childText(value, 'Value');
      details.push(childText(value, 'Comment'));
      if (text === '') continue;
      if (value !== main) details.push(text);
      else byPlace.set(place, [...(byPlace.get(place) ?? []), text]);
    }
  }
  const countries = childrenOf(location, 'LocationCountry').map((item) =>
    references.text('Country', item),
  );
  for (const area of childrenOf(location, 'LocationAreaCode')) {
    const id = area.attributes.get('AreaCodeID') ?? '';
    const description = references.attribute('AreaCode', id, 'Description');
    details.push(description ?? references.textOf('AreaCode', id));
  }
  const lines = [...byPlace].sort(([a], [b]) => a - b).map(([, texts]) => texts.join(' '));
  const line = lines.length === 0 ? '' : [...lines, ...countries].join(', ');
  // Areas are countries under another name more often than not.
  const isNew = (detail: string) => detail !== '' && !countries.includes(detail);
  return { line, countries, details: [...new Set(details.filter(isNew))] };
}
