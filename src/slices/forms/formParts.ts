/** The ports of forms and submissions, built from whatever process holds the installation. */
import { type Principal, personOf } from '#core/identity';
import { type CaseMeans, casePartsOf } from '#slices/customers';
import { editingLock } from '#slices/policies';
import countries from '../../../config/tables/countries.json' with { type: 'json' };
import type { MatchesOf } from './evaluateForm.ts';
import { linearPatterns } from './linearPattern.ts';
import type { FormPorts } from './ports.ts';
import { signedForms } from './signedForms.ts';
import { signedSubmissions } from './signedSubmissions.ts';
import type { SubmissionPorts } from './submitForm.ts';

/** What forms are written and evaluated with. */
export interface FormParts extends FormPorts {
  readonly matchesOf: MatchesOf;
  readonly isCountry: (code: string) => boolean;
}

/** One for the process. */
export const formPartsOf = (process: CaseMeans): FormParts => process.once(openForms);

/** What submissions are taken with: forms beside cases; one for the process. */
export const submissionPartsOf = (process: CaseMeans): SubmissionPorts =>
  process.once(openSubmissions);

function openForms(process: CaseMeans): FormParts {
  const { clock, commit, identity, keyRing, random, storage } = process;
  const { audit, tables } = storage;
  return {
    clock,
    commit,
    countries: Object.keys(countries).sort(),
    editingLock: process.ask(editingLock),
    isCountry: (code) => Object.hasOwn(countries, code),
    listPersons: (tenantId) => identity.listPersons(tenantId),
    matchesOf: linearPatterns(),
    random,
    signed: signedForms({ audit, clock, keyRing }),
    tables,
  };
}

function openSubmissions(process: CaseMeans): SubmissionPorts {
  const { audit, tables } = process.storage;
  const { keyRing } = process;
  return {
    ...formPartsOf(process),
    cases: casePartsOf(process),
    findSubmission: signedSubmissions({ audit, keyRing, tables }),
  };
}

/** Who acts, as entries name them: the person where there is one, else the account or key. */
export async function submitterOf(
  { listPersons }: Pick<SubmissionPorts, 'listPersons'>,
  of: Principal,
) {
  const person = personOf(of, await listPersons(of.tenantId));
  if (person !== undefined) return `person:${person.id}` as const;
  return of.kind === 'api-key' ? (`key:${of.id}` as const) : (`${of.kind}:${of.id}` as const);
}
