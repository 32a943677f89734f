/**
 * OFAC's idList, which holds identifiers and much that identifies nobody (directives, dates,
 * websites): the first go into `identifiers`, the rest into `properties` under the name given here.
 * Everything is kept; an identifier's country and dates stand beside it in `properties`.
 */
import { identifierMap } from '../entityParts.ts';
import { imoNumber } from '../imoNumber.ts';
import type { Properties } from '../properties.ts';
import type { OfacFields } from './layout.ts';

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

/** A type as published, and what becomes of it. */
interface IdType {
  readonly type: string;
  /** The property of a type that is a fact; '' of one that identifies. */
  readonly fact: string;
}

/** A file has some hundred types and thousands of identifiers. */
const knownTypes = new Map<string, IdType>();
const KNOWN_TYPES_MAX = 1_000;

function typeOf(published: string): IdType {
  const known = knownTypes.get(published);
  if (known !== undefined) return known;
  const type = published.replace(/:$/, '').trim();
  const fact = FACTS.find(([pattern]) => pattern.test(type))?.[1] ?? '';
  if (knownTypes.size < KNOWN_TYPES_MAX) knownTypes.set(published, { type, fact });
  return { type, fact };
}

type Pair = readonly [key: string, number: string];

/** The identifiers; what is said beside them, and what identifies nobody, goes to `properties`. */
export function mapIds(ids: readonly OfacFields[], properties: Properties): Record<string, string> {
  const identifiers: Pair[] = [];
  for (const id of ids) {
    const { type, fact } = typeOf(id.idType ?? 'Unspecified');
    const number = id.idNumber ?? '';
    if (fact !== '') {
      const isTyped = fact === 'sanction_details' || number === '';
      properties.add(fact, isTyped ? `${type}: ${number}` : number);
      if (fact === 'nationality_of_registration' && number === '') {
        properties.add(fact, id.idCountry);
      }
      continue;
    }
    const imo = number.length > MARKED_IMO_CHARS_MIN ? imoNumber(number) : undefined;
    identifiers.push(imo ? ['IMO', imo] : [type, number]);
    properties.add('identifier_details', describe(type, number, id));
  }
  const [only] = identifiers;
  return only && identifiers.length === 1 ? { [only[0]]: only[1] } : identifierMap(identifiers);
}

function describe(type: string, number: string, id: OfacFields): string {
  let text = `${type}: ${number}`;
  if (id.idCountry) text += `; ${id.idCountry}`;
  if (id.issueDate) text += `; issued ${id.issueDate}`;
  if (id.expirationDate) text += `; expires ${id.expirationDate}`;
  if (id.note) text += `; ${id.note}`;
  return text;
}
