/** What is odd about a form: what it lacks, what contradicts it, what has to be cured in time. */
import { certificateFindings } from './certificateFindings.ts';
import { daysAfter } from './days.ts';
import { type CheckedTin, Findings, type FormContext } from './formFindings.ts';
import { FORM_FIGURES, lastDayOf, revisionsOf } from './formRules.ts';
import { irsFormFindings } from './irsFormFindings.ts';
import { type FormFinding, type FormInput, isOfEntity } from './taxForm.ts';
import { readTin } from './tin.ts';

/** A form as it was looked at. */
export interface CheckedForm {
  readonly findings: readonly FormFinding[];
  readonly tins: readonly CheckedTin[];
  /** It counts: nothing that it needs is missing or wrong. */
  readonly isComplete: boolean;
  readonly validUntil?: string;
  /** Until when what is to be cured has to be. */
  readonly cureDue?: string;
}

/** Pure; `form` has passed `readForm`. */
export function checkForm(form: FormInput, context: FormContext): CheckedForm {
  const found = new Findings();
  const tins = tinsOf(form, context);
  signatureFindings(form, found);
  const isOfPerson = context.subject?.kind === 'individual';
  found.when(isOfPerson && isOfEntity(form.type), '', 'holder-is-individual', 'error');
  if (form.type.startsWith('W-')) irsFormFindings(form, context, found);
  else certificateFindings(form, { ...context, tins }, found);
  giinFindings(form, context, found);
  for (const { country, pointer, state } of tins) {
    found.when(country !== 'US' && state === 'invalid', pointer, 'tin-doubtful', 'warning');
  }
  const { signed_at: signed } = form;
  const last = signed === undefined ? undefined : lastDayOf(form, signed);
  const findings = found.all;
  const isToCure = findings.some(({ severity }) => severity === 'cure');
  return {
    findings,
    isComplete: findings.every(({ severity }) => severity !== 'error'),
    tins,
    ...(last !== undefined && { validUntil: last }),
    ...(isToCure && {
      cureDue: daysAfter(form.received_at ?? context.today, FORM_FIGURES.cureDays),
    }),
  };
}

function tinsOf({ fields, signed_at }: FormInput, { today }: FormContext): readonly CheckedTin[] {
  const period = Number((signed_at ?? today).slice(0, 4));
  const country = fields.address?.country;
  const named: readonly (readonly [string, string | undefined, string | undefined])[] = [
    ['/fields/tin', 'US', fields.tin],
    ['/fields/us_tin', 'US', fields.us_tin],
    ['/fields/ftin', country, fields.ftin],
    ...(fields.owners ?? []).map(
      (one, at) => [`/fields/owners/${at}/us_tin`, 'US', one.us_tin] as const,
    ),
    ...(fields.controlling_persons ?? []).map(
      (one, at) => [`/fields/controlling_persons/${at}/us_tin`, 'US', one.us_tin] as const,
    ),
    ...(fields.residences ?? []).map(
      (one, at) => [`/fields/residences/${at}/tin`, one.country, one.tin] as const,
    ),
  ];
  return named.flatMap(([pointer, of, value]) =>
    of === undefined || value === undefined
      ? []
      : [{ country: of, pointer, state: readTin({ country: of, period, value }).state }],
  );
}

const OF_PERSONS: ReadonlySet<string> = new Set([
  'self',
  'attorney',
  'parent_or_guardian',
  'executor',
]);
const OF_NOBODY_ELSE: ReadonlySet<string> = new Set(['self', 'parent_or_guardian', 'executor']);
const spoken = (name: string): string =>
  name.normalize('NFKC').toLowerCase().split(/\s+/u).sort().join(' ').trim();

function signatureFindings(form: FormInput, found: Findings): void {
  const { fields, revision, signed_at: signed, signer, type } = form;
  found.when(signer === undefined, '/signer', 'signature-missing', 'error');
  found.when(signed === undefined, '/signed_at', 'signature-missing', 'error');
  const known = revisionsOf(type);
  found.when(known !== undefined && revision === undefined, '/revision', 'missing', 'warning');
  const until = known?.find((one) => one.revision === revision)?.until;
  const isOutdated = until !== undefined && signed !== undefined && signed > until;
  found.when(isOutdated, '/revision', 'revision-outdated', 'error');
  if (signer === undefined) return;
  const { capacity, name } = signer;
  const isEntity =
    isOfEntity(type) ||
    (type === 'W-9' && (fields.classification ?? 'individual') !== 'individual');
  const isOfEstate =
    fields.classification === 'trust_estate' || fields.chapter_3_status === 'estate';
  const isOdd = isEntity
    ? OF_NOBODY_ELSE.has(capacity) && !(isOfEstate && capacity === 'executor')
    : !OF_PERSONS.has(capacity);
  // The person certifies it, or the entity does (CRS, section VI.A.2.c).
  found.when(isOdd && type !== 'CRS-CONTROLLING-PERSON', '/signer/capacity', 'capacity', 'error');
  found.when(capacity === 'attorney', '/signer/capacity', 'power-of-attorney', 'warning');
  const isOther = fields.name !== undefined && spoken(name) !== spoken(fields.name);
  found.when(capacity === 'self' && isOther, '/signer/name', 'signer-name', 'warning');
}

function giinFindings({ fields }: FormInput, { giin }: FormContext, found: Findings): void {
  if (fields.giin === undefined) return;
  found.when(giin === undefined, '/fields/giin', 'giin-unchecked', 'warning');
  found.when(giin === 'list_stale', '/fields/giin', 'giin-list-stale', 'warning');
  found.when(giin === 'not_listed', '/fields/giin', 'giin-not-listed', 'cure');
}
