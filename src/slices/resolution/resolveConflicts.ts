/**
 * What speaks against two entities being one, and always decides: another kind, gender, date of
 * birth or nationality. A fact that one side lacks is no conflict. Dates are sets: one pair that
 * can be the same day is enough, since publishers list every date that was ever used.
 */
import { type Facts, shareNameWord } from './resolveFacts.ts';

/** Years that two lists' dates of one person may be apart where an identifier is equal. */
const YEARS_APART_MAX = 1;

export type Conflict = 'kind' | 'gender' | 'date of birth' | 'nationality';

/**
 * Conflicts that count beside an equal identifier: nationalities change, and dates are noted with
 * errors.
 */
export function conflictOf(a: Facts, b: Facts): Conflict | undefined {
  if (!isSameKind(a.kind, b.kind) && !isSameShip(a, b)) return 'kind';
  if (a.gender !== undefined && b.gender !== undefined && a.gender !== b.gender) return 'gender';
  const isFar = (x: string, y: string): boolean => yearsApart(x, y) > YEARS_APART_MAX;
  return everyPair(a.dates, b.dates, isFar) ? 'date of birth' : undefined;
}

/** Conflicts that count beside an equal name. */
export function strictConflictOf(a: Facts, b: Facts): Conflict | undefined {
  const conflict = conflictOf(a, b);
  if (conflict !== undefined) return conflict;
  if (everyPair(a.dates, b.dates, (x, y) => !mayBeSame(x, y))) return 'date of birth';
  const isOther = (x: string, y: string): boolean => x !== y;
  return everyPair(a.nationalities, b.nationalities, isOther) ? 'nationality' : undefined;
}

function isSameKind(a: Facts['kind'], b: Facts['kind']): boolean {
  if (a === b) return true;
  const isParty = (kind: Facts['kind']): boolean => kind !== 'vessel' && kind !== 'aircraft';
  return (a === 'either' || b === 'either') && isParty(a) && isParty(b);
}

/**
 * Whether both are one ship. Some publishers list ships among the bodies; a body's own IMO number
 * is of another series.
 */
function isSameShip(a: Facts, b: Facts): boolean {
  const kinds = [a.kind, b.kind];
  if (!kinds.includes('vessel') || kinds.includes('person') || kinds.includes('aircraft')) {
    return false;
  }
  const numbers = new Set(imoNumbers(a));
  return imoNumbers(b).some((key) => numbers.has(key)) && shareNameWord(a, b);
}

const imoNumbers = ({ identifiers }: Facts): readonly string[] =>
  identifiers.map(({ key }) => key).filter((key) => key.startsWith('imo:'));

/** False where a side has none. */
function everyPair(
  a: readonly string[],
  b: readonly string[],
  holds: (x: string, y: string) => boolean,
): boolean {
  return a.length > 0 && b.length > 0 && a.every((x) => b.every((y) => holds(x, y)));
}

/** Whether two dates may be the same day: `1970`, `1970-02`, `1970-02-01` and ranges of such. */
function mayBeSame(a: string, b: string): boolean {
  if (!a.includes('/') && !b.includes('/')) return a.startsWith(b) || b.startsWith(a);
  return yearsApart(a, b) === 0;
}

function yearsApart(a: string, b: string): number {
  const [firstOfA, lastOfA] = years(a);
  const [firstOfB, lastOfB] = years(b);
  return Math.max(0, firstOfA - lastOfB, firstOfB - lastOfA);
}

function years(date: string): [first: number, last: number] {
  const [from = '', to = from] = date.split('/');
  return [Number(from.slice(0, 4)), Number(to.slice(0, 4))];
}
