/**
 * OFAC's idList, which holds identifiers and much that identifies nobody (directives, dates,
 * websites): the first go into `identifiers`, the rest into `properties` under the name given here.
 * Everything is kept; an identifier's country and dates stand beside it in `properties`.
 */
import { imoNumber } from '../imoNumber.ts';
import type { OfacFields } from './read.ts';

/** Types that are facts about the entity, and the property that each becomes. */
const FACTS: readonly (readonly [RegExp, string])[] = [
  [/^Gender\b/i, 'gender'],
  [/^Website\b/i, 'websites'],
  [/^E-?mail\b/i, 'emails'],
  [/^(?:Phone|Telephone|Fax)\b/i, 'phones'],
  [/^Nationality of Registration\b/i, 'nationality_of_registration'],
  [/^(?:Organization|Target) Type\b/i, 'organization_type'],
  [/^Organization Established Date\b/i, 'established'],
  [
    /^(?:Executive Order|CAATSA|Listing Date|Effective Date|Purchase\/Sales|Issuer Name)/i,
    'sanction_details',
  ],
  [
    /^(?:Additional Sanctions|Secondary sanctions|Transactions Prohibited|IFCA|Equity Ticker)/i,
    'sanction_details',
  ],
];
/** `IMO` and seven digits. */
const MARKED_IMO_CHARS_MIN = 9;

export interface MappedIds {
  readonly identifiers: Record<string, string>;
  /** Property name and value. */
  readonly properties: readonly (readonly [string, string])[];
}

/** A file has some hundred types and thousands of identifiers. */
const factByType = new Map<string, string>();
const KNOWN_TYPES_MAX = 1_000;

/** The property of a type that is a fact; '' of one that identifies. */
function factOf(type: string): string {
  const known = factByType.get(type);
  if (known !== undefined) return known;
  const fact = FACTS.find(([pattern]) => pattern.test(type))?.[1] ?? '';
  if (factByType.size < KNOWN_TYPES_MAX) factByType.set(type, fact);
  return fact;
}

export function mapIds(ids: readonly OfacFields[]): MappedIds {
  const identifiers: [string, string][] = [];
  const properties: [string, string][] = [];
  for (const id of ids) {
    const type = (id.idType ?? 'Unspecified').replace(/:$/, '').trim();
    const number = id.idNumber ?? '';
    const fact = factOf(type);
    if (fact !== '') {
      const isTyped = fact === 'sanction_details' || number === '';
      properties.push([fact, isTyped ? `${type}: ${number}` : number]);
      if (fact === 'nationality_of_registration' && number === '' && id.idCountry) {
        properties.push([fact, id.idCountry]);
      }
      continue;
    }
    const imo = number.length > MARKED_IMO_CHARS_MIN ? imoNumber(number) : undefined;
    identifiers.push(imo ? ['IMO', imo] : [type, number]);
    properties.push(['identifier_details', describe(type, number, id)]);
  }
  return { identifiers: nameApart(identifiers), properties };
}

/** `Passport`, then `Passport (2)`: one type may come several times, the map's keys may not. */
function nameApart(pairs: readonly (readonly [string, string])[]): Record<string, string> {
  const [only] = pairs;
  if (only === undefined) return {};
  if (pairs.length === 1) return { [only[0]]: only[1] };
  const byKey = new Map<string, string>();
  for (const [type, number] of pairs) {
    let key = type;
    for (let count = 2; byKey.has(key); count++) key = `${type} (${count})`;
    byKey.set(key, number);
  }
  const keys = [...byKey.keys()].sort();
  return Object.fromEntries(keys.map((key) => [key, byKey.get(key) ?? '']));
}

function describe(type: string, number: string, id: OfacFields): string {
  const parts = [`${type}: ${number}`];
  if (id.idCountry) parts.push(id.idCountry);
  if (id.issueDate) parts.push(`issued ${id.issueDate}`);
  if (id.expirationDate) parts.push(`expires ${id.expirationDate}`);
  if (id.note) parts.push(id.note);
  return parts.join('; ');
}
