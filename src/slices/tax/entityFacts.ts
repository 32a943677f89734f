/** What the tables ask about an entity. */
import { FIGURES } from './classificationTables.ts';
import type { Facts } from './decisionTable.ts';
import { readGiin } from './giin.ts';
import { formFact, reportable } from './individualFacts.ts';
import { isAbove } from './money.ts';
import type { ClassificationInputs, ControllingPerson, EntitySubject } from './taxSubject.ts';

/** Percent of an owner that the regulations count, and of a person who controls. */
const OWNER_PCT = 10;
const CONTROL_PCT = 25;

const yesNo = (is: boolean | undefined): 'no' | 'yes' => (is ? 'yes' : 'no');

/** What both tables are asked about. */
export interface EntityAsk {
  readonly subject: EntitySubject;
  readonly inputs: ClassificationInputs;
}

export function entityFatcaFacts({ inputs, subject }: EntityAsk): Facts {
  return {
    account: subject.financial_account === false ? 'other' : 'financial',
    deemed: subject.deemed_compliant ?? 'none',
    documents: subject.documented ? 'present' : 'missing',
    excepted: yesNo(subject.excepted_from_specified),
    exempt_owner: subject.exempt_owner ?? 'none',
    floor: floorOf(inputs),
    form: formFact(inputs, 'FATCA'),
    institution: yesNo(subject.institution !== undefined),
    nffe: subject.nffe ?? 'none',
    organised: organised(subject.organised_in),
    registration: registrationOf({ inputs, subject }),
    us_owners: yesNo(usOwners({ inputs, subject }).length > 0),
  };
}

function organised(country: string): string {
  if (country === 'US') return 'us';
  return FIGURES.territories.includes(country) ? 'territory' : 'foreign';
}

/** A status that is shown by a GIIN is none without a good one. */
function registrationOf({ inputs, subject }: EntityAsk): string {
  if (subject.registration === undefined || !isGiinGood({ inputs, subject })) return 'none';
  return subject.registration;
}

/** Whether a status is claimed that a GIIN would show, and none does. */
export const lacksGiin = ({ inputs, subject }: EntityAsk): boolean =>
  subject.registration !== undefined && !isGiinGood({ inputs, subject });

/** A GIIN of the right form, and not known to be absent from the list of the IRS. */
const isGiinGood = ({ inputs, subject: { giin } }: EntityAsk): boolean =>
  giin !== undefined && readGiin(giin).isValid && inputs.giin_check?.state !== 'not_listed';

const floorOf = ({ account }: ClassificationInputs): string =>
  account.floors_elected === true &&
  account.opened === 'preexisting' &&
  !isAbove(account.balance_usd, FIGURES.floors.entity)
    ? 'below'
    : 'above';

/**
 * US persons who own more than ten percent by the regulations, or control more than a quarter by
 * the agreements; of an owner-documented institution all of them.
 */
export function usOwners({ inputs, subject }: EntityAsk): readonly ControllingPerson[] {
  const isByAgreement = inputs.institution.iga_model !== 'non_iga';
  const floor = isByAgreement ? CONTROL_PCT : OWNER_PCT;
  const isAll = subject.deemed_compliant === 'owner_documented';
  return (subject.persons ?? []).filter(
    ({ ownership_pct, us_person }) =>
      us_person && (isAll || ownership_pct === undefined || ownership_pct > floor),
  );
}

export function entityCrsFacts({ inputs, subject }: EntityAsk): Facts {
  return {
    active: subject.crs_active ?? 'none',
    documents: subject.documented ? 'present' : 'missing',
    floor: floorOf(inputs),
    form: formFact(inputs, 'CRS'),
    income: subject.income ?? 'unknown',
    institution:
      subject.institution === undefined
        ? 'no'
        : subject.crs_nonreporting
          ? 'nonreporting'
          : 'reporting',
    managed: yesNo(subject.institution === 'investment' && subject.managed_by_institution),
    participating: yesNo(subject.in_participating_jurisdiction),
    persons: reportablePersons({ inputs, subject }).length > 0 ? 'reportable' : 'none',
    resident: reportable(subject.residences, inputs).length > 0 ? 'reportable' : 'elsewhere',
  };
}

/** Persons of an entity who live in a reportable jurisdiction. */
export const reportablePersons = ({ inputs, subject }: EntityAsk): readonly ControllingPerson[] =>
  (subject.persons ?? []).filter(({ residences }) => reportable(residences, inputs).length > 0);
