/**
 * Global Intermediary Identification Numbers of the IRS, such as 98Q96B.00000.LE.250: the financial
 * institution, its place in a group, a category, and a country as ISO 3166-1 numeric.
 * The letter O is never used. `TA` stands for tax authorities, which are no institutions.
 */
import { whereNumeric } from 'iso-3166-1';

const FORM = /^[0-9A-NP-Z]{6}\.[0-9A-NP-Z]{5}\.([A-Z]{2})\.([0-9]{3})$/;
/** Lead, single or member of a group, branch, sponsor, and kinds of sponsored entities. */
const CATEGORIES: ReadonlySet<string> = new Set([
  'LE',
  'SL',
  'ME',
  'BR',
  'SP',
  'SF',
  'SD',
  'SS',
  'SB',
]);
/** Kosovo has no numeric code of ISO; the IRS uses this one. */
const KOSOVO = ['383', 'XK'] as const;
const AUTHORITY = 'TA';

/** A number of the right form. */
export interface Giin {
  readonly value: string;
  readonly category: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
}

/** The number, or what was expected of it. */
export type GiinResult =
  | { readonly isValid: true; readonly giin: Giin }
  | { readonly isValid: false; readonly expected: string };

/** Never throws. Authorities are valid where the caller takes them: in tests of IDES. */
export function readGiin(value: string, { takesAuthorities = false } = {}): GiinResult {
  const [, category = '', numeric = ''] = FORM.exec(value) ?? [];
  if (category === '') return refused('six, five, two and three characters with dots, and no O');
  const isKnown = CATEGORIES.has(category) || (takesAuthorities && category === AUTHORITY);
  if (!isKnown) return refused(`a category of ${[...CATEGORIES].join(', ')}`);
  const country = numeric === KOSOVO[0] ? KOSOVO[1] : whereNumeric(numeric)?.alpha2;
  if (country === undefined) return refused('a numeric country of ISO 3166-1 at the end');
  return { giin: { category, country, value }, isValid: true };
}

const refused = (expected: string): GiinResult => ({ expected, isValid: false });
