/**
 * OFAC's idList, which holds identifiers and much that identifies nobody (directives, dates,
 * websites): the first go into `identifiers`, the rest into `properties` under the name given here.
 * Everything is kept; an identifier's country and dates stand beside it in `properties`.
 */
import { identifierMap } from '../entityParts.ts';
import { imoNumber } from '../imoNumber.ts';
import type { Properties } from '../properties.ts';
import { parseOfacDate } from './dates.ts';
import { addFact, FLAG_PROPERTIES, factOf } from './facts.ts';
import type { OfacFields } from './layout.ts';

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
  const fact = factOf(type);
  if (knownTypes.size < KNOWN_TYPES_MAX) knownTypes.set(published, { type, fact });
  return { type, fact };
}

type Pair = readonly [key: string, number: string];

/** The identifiers; what is said beside them, and what identifies nobody, goes to `properties`. */
export function mapIds(
  ids: readonly OfacFields[],
  properties: Properties,
  note: (kind: string) => void,
): Record<string, string> {
  const identifiers: Pair[] = [];
  for (const id of ids) {
    const { type, fact } = typeOf(id.idType ?? 'Unspecified');
    const number = id.idNumber ?? '';
    if (fact !== '') {
      const isFlag = FLAG_PROPERTIES.includes(fact);
      const published = number === '' && isFlag ? (id.idCountry ?? '') : number;
      const value = isDated(type) ? isoDate(published) : published;
      const isAll = addFact(properties, fact, { type, value }) && !hasMore(id);
      if (!isAll) properties.add('identifier_details', describe(type, number, id));
      continue;
    }
    properties.add('identifier_details', describe(type, number, id));
    if (number === '') {
      note('identifier-without-number');
      continue;
    }
    const imo = number.length > MARKED_IMO_CHARS_MIN ? imoNumber(number) : undefined;
    identifiers.push(imo ? ['IMO', imo] : [type, number]);
  }
  const [only] = identifiers;
  return only && identifiers.length === 1 ? { [only[0]]: only[1] } : identifierMap(identifiers);
}

/** More than a type and a number. */
const hasMore = ({ idNumber, idCountry, issueDate, expirationDate, note }: OfacFields): boolean =>
  Boolean(issueDate || expirationDate || note || (idNumber && idCountry));

const isDated = (type: string): boolean => /\bdate\b/i.test(type);

/** A day, month or year as SDN_ADVANCED has it; `circa 1975` and other words stay as published. */
function isoDate(text: string): string {
  return /^\d/.test(text) ? (parseOfacDate(text) ?? text) : text;
}

function describe(type: string, number: string, id: OfacFields): string {
  let text = number === '' ? type : `${type}: ${number}`;
  if (id.idCountry) text += `; ${id.idCountry}`;
  if (id.issueDate) text += `; issued ${isoDate(id.issueDate)}`;
  if (id.expirationDate) text += `; expires ${isoDate(id.expirationDate)}`;
  if (id.note) text += `; ${id.note}`;
  return text;
}
