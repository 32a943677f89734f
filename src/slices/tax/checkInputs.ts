/** What a schema does not see of a holder: countries that are none, a GIIN, days that are none. */

import { whereAlpha2 } from 'iso-3166-1';
import { DomainError, type Violation } from '#core/kernel';
import { readGiin } from './giin.ts';
import type { ClassificationInputs, EntitySubject, IndividualSubject } from './taxSubject.ts';

const CODE = 'classification-invalid';
/** Kosovo has no code of ISO; reports know it as XK. */
const BESIDE_ISO: ReadonlySet<string> = new Set(['XK']);

type Found = readonly (readonly [string, string | undefined])[];

/** Throws `classification-invalid` with a pointer to each fault. */
export function checkInputs(inputs: ClassificationInputs, on: string): void {
  const { begun_on, institution, subject } = inputs;
  const countries: Found = [
    ['/institution/country', institution.country],
    ...listed('/institution/reportable_jurisdictions', institution.reportable_jurisdictions),
    ...(subject.kind === 'individual' ? ofIndividual(subject) : ofEntity(subject)),
  ];
  const violations: Violation[] = countries
    .filter(([, country]) => country !== undefined && !isCountry(country))
    .map(([pointer]) => ({ code: CODE, detail: 'expected a country of ISO 3166-1', pointer }));
  if (!isDay(begun_on) || begun_on > on) {
    const detail = 'expected a day that is not in the future';
    violations.push({ code: CODE, detail, pointer: '/begun_on' });
  }
  if (subject.kind === 'entity' && subject.giin !== undefined) {
    const giin = readGiin(subject.giin);
    if (!giin.isValid) {
      const detail = `expected ${giin.expected}`;
      violations.push({ code: 'giin-invalid', detail, pointer: '/subject/giin' });
    }
  }
  if (violations.length > 0) throw new DomainError(CODE, { violations });
}

export const isCountry = (code: string): boolean =>
  BESIDE_ISO.has(code) || whereAlpha2(code)?.alpha2 === code;

const isDay = (day: string): boolean => {
  const at = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
};

const listed = (pointer: string, values: readonly string[] = []): Found =>
  values.map((value, place) => [`${pointer}/${place}`, value] as const);

const ofIndividual = (subject: IndividualSubject): Found => [
  ['/subject/birth_country', subject.birth_country],
  ...(subject.addresses ?? []).map(
    ({ country }, place) => [`/subject/addresses/${place}/country`, country] as const,
  ),
  ...listed('/subject/phone_countries', subject.phone_countries),
  ...listed('/subject/standing_instructions_to', subject.standing_instructions_to),
  ...listed('/subject/attorney_countries', subject.attorney_countries),
  ...listed('/subject/residences_on_record', subject.residences_on_record),
  ...listed('/subject/self_certification/residences', subject.self_certification?.residences),
];

const ofEntity = (subject: EntitySubject): Found => [
  ['/subject/organised_in', subject.organised_in],
  ...listed('/subject/residences', subject.residences),
  ...(subject.persons ?? []).flatMap(({ residences }, place) =>
    listed(`/subject/persons/${place}/residences`, residences),
  ),
];
