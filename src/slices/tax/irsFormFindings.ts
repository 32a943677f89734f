/** What is odd about Forms W-9, W-8BEN and W-8BEN-E, line by line. */
import { FIGURES } from './classificationTables.ts';
import type { Findings, FormContext } from './formFindings.ts';
import { CHAPTER_4 } from './formRules.ts';
import type { FormFields, FormInput } from './taxForm.ts';
import { readUsTin } from './usTin.ts';

const US = 'US';

export function irsFormFindings(form: FormInput, context: FormContext, found: Findings): void {
  const { fields, type } = form;
  if (type === 'W-9') {
    w9Findings(form, context, found);
    return;
  }
  addressFindings(fields, found);
  treatyFindings(fields, found);
  if (type === 'W-8BEN') w8benFindings(fields, context, found);
  else w8benEFindings(fields, found);
}

function w9Findings({ fields, signed_at }: FormInput, context: FormContext, found: Findings): void {
  const { certified, classification, tin } = fields;
  found.need(fields, ['name', 'classification', 'address', 'tin', 'certified']);
  found.when(certified === false, '/fields/certified', 'not-certified', 'error');
  const isPerson = classification === 'individual';
  for (const name of ['exempt_payee_code', 'fatca_exemption_code'] as const) {
    const isThere = fields[name] !== undefined;
    found.when(isThere && isPerson, `/fields/${name}`, 'exempt-code-of-person', 'error');
    found.when(isThere && !isPerson, `/fields/${name}`, 'exempt-code', 'warning');
  }
  const period = Number((signed_at ?? context.today).slice(0, 4));
  const read = tin === undefined ? undefined : readUsTin(tin, { period });
  const isOfPerson = read?.state === 'valid' && !read.kinds.includes('ein');
  const isCompany = classification !== undefined && !isPerson && classification !== 'other';
  found.when(isCompany && isOfPerson, '/fields/tin', 'tin-of-person', 'warning');
  const { subject } = context;
  const isForeign =
    subject?.kind === 'entity'
      ? subject.organised_in !== US
      : (subject?.evidence ?? []).includes('w8ben');
  const contradicts = context.hasForeignForm === true || isForeign;
  found.when(contradicts, '', 'foreign-status-contradicts', 'warning');
}

function w8benFindings(fields: FormFields, { subject }: FormContext, found: Findings): void {
  found.need(fields, ['name', 'citizenship', 'address']);
  found.when(fields.birth?.date === undefined, '/fields/birth/date', 'missing', 'error');
  found.when(!hasNumber(fields), '/fields/ftin', 'missing', 'error');
  found.when(fields.citizenship === US, '/fields/citizenship', 'us-citizen', 'error');
  if (subject?.kind === 'entity') {
    found.add('', 'holder-is-entity', 'error');
    return;
  }
  const isUs = subject?.us_citizen || subject?.us_tax_resident || subject?.green_card;
  found.when(isUs === true, '', 'us-person-on-record', 'error');
  const phones = subject?.phone_countries ?? [];
  const isOnly = phones.length > 0 && phones.every((one) => one === US);
  found.when(isOnly, '', 'us-phone', 'cure');
}

const hasNumber = ({ ftin, ftin_not_required: isFree, us_tin: usTin }: FormFields): boolean =>
  ftin !== undefined || isFree === true || usTin !== undefined;

function addressFindings({ address, mailing_address: mailing }: FormFields, found: Findings): void {
  const isAbsent = address?.po_box === undefined;
  found.when(address?.country === US, '/fields/address/country', 'us-address', 'cure');
  found.when(!isAbsent, '/fields/address/po_box', 'po-box', 'cure');
  found.when(address?.care_of === true, '/fields/address/care_of', 'care-of', 'cure');
  found.when(mailing?.country === US, '/fields/mailing_address/country', 'us-address', 'cure');
}

/** A resident alone has the benefits of a treaty. */
function treatyFindings({ address, treaty }: FormFields, found: Findings): void {
  if (treaty === undefined) return;
  const isElsewhere = address !== undefined && treaty.country !== address.country;
  found.when(isElsewhere, '/fields/treaty/country', 'treaty-country', 'cure');
  found.when(treaty.article === undefined, '/fields/treaty/article', 'missing', 'error');
}

const GOVERNMENTS: ReadonlySet<string> = new Set([
  'government_controlled_entity',
  'government_integral_part',
  'central_bank',
]);
const TERRITORIAL: ReadonlySet<string> = new Set(['TERRITORY_FI', 'TERRITORY_NFFE']);

function w8benEFindings(fields: FormFields, found: Findings): void {
  const { chapter_3_status: third, chapter_4_status: code = '', organised_in: where } = fields;
  const needed = ['name', 'organised_in', 'chapter_3_status', 'chapter_4_status', 'address'];
  found.need(fields, needed);
  found.when(where === US, '/fields/organised_in', 'us-organised', 'error');
  found.when(!hasNumber(fields), '/fields/ftin', 'missing', 'warning');
  const status = CHAPTER_4[code];
  if (status === undefined) return;
  const at = '/fields/chapter_4_status';
  const lacksGiin = status.giin === true && fields.giin === undefined;
  found.when(lacksGiin, '/fields/giin', 'giin-missing', 'error');
  const parts = [...new Set(fields.parts ?? [])].join();
  found.when(parts !== (status.part ?? ''), '/fields/parts', 'part-disagrees', 'error');
  const lacksSponsor = status.sponsor === true && fields.sponsor_name === undefined;
  found.when(lacksSponsor, '/fields/sponsor_name', 'missing', 'error');
  const isOdd =
    (code === 'FOREIGN_GOVERNMENT' && !GOVERNMENTS.has(third ?? '')) ||
    (code === 'INTERNATIONAL_ORG' && third !== 'international_organisation');
  found.when(isOdd && third !== undefined, at, 'chapter-3-disagrees', 'error');
  const isThere = where !== undefined && FIGURES.territories.includes(where);
  found.when(TERRITORIAL.has(code) && !isThere, at, 'no-territory', 'error');
  if (status.owners === true) ownerFindings(fields, found);
}

/** A passive entity names its US owners, or certifies that it has none (lines 40b and 40c). */
function ownerFindings({ no_us_owners: hasNone, owners = [] }: FormFields, found: Findings): void {
  found.when(owners.length === 0 && hasNone !== true, '/fields/owners', 'owners-missing', 'error');
  found.when(owners.length > 0 && hasNone === true, '/fields/owners', 'owners-disagree', 'error');
  for (const [at, owner] of owners.entries()) {
    const place = `/fields/owners/${at}`;
    found.when(owner.us_tin === undefined, `${place}/us_tin`, 'missing', 'error');
    found.when(owner.address === undefined, `${place}/address`, 'missing', 'error');
  }
}
