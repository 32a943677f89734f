/**
 * Indicia: what in an institution's files points to a country. Those of the United States are the
 * seven of the intergovernmental agreements (Annex I, II.B.1), those of other jurisdictions the six
 * of the Common Reporting Standard (section III.B.2). Evidence only ever cures one; it adds none.
 */
import { FIGURES } from './classificationTables.ts';
import { isAbove } from './money.ts';
import type { ClassificationInputs, IndividualSubject } from './taxSubject.ts';

export const REGIMES = ['FATCA', 'CRS'] as const;
export const INDICIUM_STATES = ['open', 'cured', 'confirmed'] as const;

/** One indicium. */
export interface Indicium {
  readonly regime: (typeof REGIMES)[number];
  readonly code: string;
  readonly country: string;
  /** Confirmed: its time was over before it was cured. */
  readonly state: (typeof INDICIUM_STATES)[number];
  readonly cure_due: string;
}

const US = 'US';
const SOLE = new Set<string>(['care_of', 'hold_mail']);

/** Whether there is a care-of or hold-mail address, and no other. */
export const isHeldMailOnly = ({ addresses = [] }: IndividualSubject): boolean =>
  addresses.length > 0 && addresses.every(({ kind }) => SOLE.has(kind));

const isHighValue = ({ account }: ClassificationInputs): boolean =>
  isAbove(account.balance_usd, FIGURES.floors.high_value);

/** Codes of US indicia in these files. */
function usCodes(subject: IndividualSubject, inputs: ClassificationInputs): readonly string[] {
  const { addresses = [], attorney_countries = [], phone_countries = [] } = subject;
  const { standing_instructions_to = [] } = subject;
  const isLower = inputs.account.opened === 'preexisting' && !isHighValue(inputs);
  const counts = ({ country, kind }: (typeof addresses)[number]): boolean =>
    !(isLower && kind === 'care_of' && country !== US);
  const found: readonly (readonly [string, boolean])[] = [
    ['US_PERSON_ON_RECORD', subject.us_person_on_record === true],
    ['US_BIRTHPLACE', subject.birth_country === US],
    ['US_ADDRESS', addresses.some(({ country, kind }) => country === US && !SOLE.has(kind))],
    ['US_PHONE', phone_countries.length > 0 && phone_countries.every((one) => one === US)],
    ['US_STANDING_INSTRUCTIONS', standing_instructions_to.includes(US)],
    ['US_ATTORNEY', attorney_countries.includes(US)],
    ['US_HOLD_MAIL', isHeldMailOnly(subject) && addresses.some(counts)],
  ];
  return found.filter(([, isFound]) => isFound).map(([code]) => code);
}

/** Codes of indicia of one other jurisdiction in these files. */
function crsCodes(
  subject: IndividualSubject,
  { account, institution }: ClassificationInputs,
  country: string,
): readonly string[] {
  const { addresses = [], attorney_countries = [], phone_countries = [] } = subject;
  const { residences_on_record = [], standing_instructions_to = [] } = subject;
  const hasLocalPhone = phone_countries.includes(institution.country);
  const isIn = (one: { readonly country: string }): boolean => one.country === country;
  const found: readonly (readonly [string, boolean])[] = [
    ['RESIDENT_ON_RECORD', residences_on_record.includes(country)],
    ['ADDRESS', addresses.some((one) => isIn(one) && !SOLE.has(one.kind))],
    ['PHONE', !hasLocalPhone && phone_countries.includes(country)],
    [
      'STANDING_INSTRUCTIONS',
      account.product !== 'depository' && standing_instructions_to.includes(country),
    ],
    ['ATTORNEY', attorney_countries.includes(country)],
    ['HOLD_MAIL', isHeldMailOnly(subject) && addresses.some(isIn)],
  ];
  return found.filter(([, isFound]) => isFound).map(([code]) => code);
}

/** Whether one of each group is there. */
export const isCured = (code: string, evidence: readonly string[]): boolean =>
  (FIGURES.cures[code] ?? []).every((group) => group.some((one) => evidence.includes(one)));

/** All indicia of an individual, by regime, then in the order of the rules. */
export function indiciaOf(
  subject: IndividualSubject,
  inputs: ClassificationInputs,
  { due, on }: { readonly due: string; readonly on: string },
): readonly Indicium[] {
  const { evidence = [], self_certification: certificate } = subject;
  const stateOf = (isDone: boolean): Indicium['state'] =>
    isDone ? 'cured' : on >= due ? 'confirmed' : 'open';
  const us = usCodes(subject, inputs).map(
    (code): Indicium => ({
      code,
      country: US,
      cure_due: due,
      regime: 'FATCA',
      state: stateOf(isCured(code, evidence)),
    }),
  );
  const { country: home, reportable_jurisdictions: all } = inputs.institution;
  const others = [...new Set(all)].filter((one) => one !== home).sort();
  const isCertified = certificate?.is_reasonable === true;
  const crs = others.flatMap((country) =>
    crsCodes(subject, inputs, country).map(
      (code): Indicium => ({
        code,
        country,
        cure_due: due,
        regime: 'CRS',
        state: stateOf(isCertified && !certificate.residences.includes(country)),
      }),
    ),
  );
  return [...us, ...crs];
}
