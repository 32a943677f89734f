/**
 * OFAC's idList, which has identifiers and much that identifies no one (directives, dates,
 * websites). The former go into `identifiers`, the rest into `properties` under the name given
 * here. Everything is kept; an identifier's country and dates stand beside it in `properties`.
 */
import { identifierMap } from '../entityParts.ts';
import { imoNumber } from '../imoNumber.ts';
import type { Properties } from '../properties.ts';
import { parseOfacDate } from './dates.ts';
import { addFact, FLAG_PROPERTIES, factOf, NAMING_PROPERTIES } from './facts.ts';
import type { OfacFields } from './layout.ts';
import { memoizedByName } from './memoizeByName.ts';
import { sortedOnce } from './sortedOnce.ts';

/** `IMO` and seven digits. */
const MARKED_IMO_CHARS_MIN = 9;

/** A type as published, and what becomes of it. */
interface IdType {
  readonly type: string;
  /** The property of a type that is a fact; '' of one that identifies. */
  readonly fact: string;
}

const typeOf = memoizedByName((published: string): IdType => {
  const type = published.replace(/:$/, '').trim();
  return { type, fact: factOf(type) };
});

export interface MappedIds {
  readonly identifiers: Record<string, string>;
  /** Whether flags, owners or operators were among the ids. */
  readonly isTelling: boolean;
}

type Pair = readonly [key: string, number: string];

/** The identifiers. Statements beside them, and all that identifies no one, go to `properties`. */
export function mapIds(
  ids: readonly OfacFields[],
  properties: Properties,
  note: (kind: string) => void,
): MappedIds {
  const identifiers: Pair[] = [];
  let isTelling = false;
  for (const id of ids) {
    const { type, fact } = typeOf(id.idType ?? 'Unspecified');
    const number = id.idNumber ?? '';
    if (fact !== '') {
      const isFlag = FLAG_PROPERTIES.includes(fact);
      isTelling ||= isFlag || NAMING_PROPERTIES.includes(fact);
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
  return { identifiers: named(identifiers), isTelling };
}

/** Most have few, each of another type. */
function named(pairs: readonly Pair[]): Record<string, string> {
  const [first, second] = pairs;
  if (first === undefined) return {};
  if (second === undefined) return { [first[0]]: first[1] };
  const types = sortedOnce(pairs.map(([type]) => type));
  if (types.length < pairs.length) return identifierMap(pairs);
  const sorted = [...pairs].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted);
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
