/** What is odd about self-certifications of CRS, and what on file contradicts them. */
import type { CheckedTin, Findings, FormContext } from './formFindings.ts';
import { CRS_ENTITIES } from './formRules.ts';
import { contradictionsOf } from './reasonableness.ts';
import type { FormInput, FormResidence } from './taxForm.ts';
import { TIN_COUNTRIES } from './tin.ts';

export function certificateFindings(
  form: FormInput,
  context: FormContext & { readonly tins: readonly CheckedTin[] },
  found: Findings,
): void {
  const { explanation, fields, type } = form;
  const { address, residences = [] } = fields;
  found.need(fields, ['name', 'address', 'residences']);
  if (type === 'CRS-ENTITY') entityFindings(form, found);
  else found.when(fields.birth?.date === undefined, '/fields/birth/date', 'missing', 'error');
  if (type === 'CRS-CONTROLLING-PERSON') found.need(fields, ['roles']);
  for (const [at, one] of residences.entries()) {
    residenceFindings(one, `/fields/residences/${at}`, found);
    const isAgain = residences.findIndex(({ country }) => country === one.country) < at;
    found.when(isAgain, `/fields/residences/${at}/country`, 'repeated', 'error');
  }
  const countries = residences.map(({ country }) => country);
  // What the holder has explained is left for a person to weigh.
  const severity = explanation === undefined ? 'cure' : 'warning';
  const isElsewhere = address !== undefined && !countries.includes(address.country);
  found.when(isElsewhere, '/fields/address/country', 'address-elsewhere', severity);
  const { home, subject } = context;
  if (type !== 'CRS-INDIVIDUAL' || subject === undefined) return;
  if (subject.kind === 'entity') {
    found.add('', 'holder-is-entity', 'error');
    return;
  }
  for (const { code } of contradictionsOf(countries, subject, home)) {
    found.add('', `unreasonable-${code}`, severity);
  }
}

function residenceFindings(of: FormResidence, pointer: string, found: Findings): void {
  const { country, explanation, no_tin_reason: reason, tin } = of;
  found.when(tin === undefined && reason === undefined, `${pointer}/tin`, 'missing', 'error');
  const isBoth = tin !== undefined && reason !== undefined;
  found.when(isBoth, `${pointer}/no_tin_reason`, 'reason-and-number', 'warning');
  const isSilent = reason === 'B' && explanation === undefined;
  found.when(isSilent, `${pointer}/explanation`, 'missing', 'error');
  // A country whose numbers are checked gives some.
  const isOdd = reason === 'A' && TIN_COUNTRIES.includes(country);
  found.when(isOdd, `${pointer}/no_tin_reason`, 'reason-doubtful', 'warning');
}

function entityFindings({ fields }: FormInput, found: Findings): void {
  found.need(fields, ['entity_type']);
  const type = CRS_ENTITIES[fields.entity_type ?? ''];
  if (type?.persons === true) found.need(fields, ['controlling_persons']);
}
