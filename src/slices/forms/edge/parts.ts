/** The ports of forms, built from the installation of a process; one for each. */
import { type FormPorts, linearPatterns, type MatchesOf, signedForms } from '#slices/forms';
import { editingLock } from '#slices/policies';
import countries from '../../../../config/tables/countries.json' with { type: 'json' };
import type { SliceProcess } from '../../processes.ts';

/** What forms are written and evaluated with. */
export interface FormParts extends FormPorts {
  readonly matchesOf: MatchesOf;
  readonly isCountry: (code: string) => boolean;
}

export const formPartsOf = (process: SliceProcess): FormParts => process.once(open);

function open(process: SliceProcess): FormParts {
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
