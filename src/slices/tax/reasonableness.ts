/**
 * Whether a self-certification is reasonable: what is on file of the holder and points to a country
 * that it does not name. One that is contradicted does not count until somebody has an explanation.
 */
import type { IndividualSubject } from './taxSubject.ts';

/** What points elsewhere. */
export interface Contradiction {
  readonly code: 'address' | 'phone' | 'record';
  readonly country: string;
}

const SOLE: ReadonlySet<string> = new Set(['care_of', 'hold_mail']);

/** `home` is the country of the institution: a telephone there points nowhere else. */
export function contradictionsOf(
  residences: readonly string[],
  subject: IndividualSubject,
  home: string | undefined,
): readonly Contradiction[] {
  const { addresses = [], phone_countries: phones = [], residences_on_record = [] } = subject;
  const isOther = (country: string): boolean => !residences.includes(country);
  const hasNear = phones.some((one) => one === home || !isOther(one));
  return [
    ...addresses
      .filter(({ country, kind }) => !SOLE.has(kind) && isOther(country))
      .map(({ country }) => ({ code: 'address', country }) as const),
    ...(hasNear ? [] : phones.map((country) => ({ code: 'phone', country }) as const)),
    ...residences_on_record
      .filter(isOther)
      .map((country) => ({ code: 'record', country }) as const),
  ];
}
