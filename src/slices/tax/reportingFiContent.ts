/** What is stated of an institution that reports, and whether it can go into a report. */
import { DomainError, type Violation } from '#core/kernel';
import { type ObjectShape, type Shape, shapeOf, violationsOf } from '#slices/monitoring';
import type { PartyAddress } from './account.ts';
import { ADDRESS_SHAPE } from './checkAccount.ts';
import { isCountry } from './checkInputs.ts';
import { readGiin } from './giin.ts';
import { JURISDICTIONS_MAX } from './limits.ts';
import { IGA_MODELS } from './taxSubject.ts';

/** What an institution is to the IRS; 603 ended in 2016. */
export const FILER_CATEGORIES = [
  'FATCA601',
  'FATCA602',
  'FATCA604',
  'FATCA605',
  'FATCA606',
  'FATCA607',
  'FATCA608',
  'FATCA609',
  'FATCA610',
  'FATCA611',
] as const;
/** Categories that stand on the sponsor. */
export const OF_SPONSORS: ReadonlySet<string> = new Set(['FATCA607', 'FATCA608']);
/** How the identifiers of a CRS message are built. */
export const PROFILES = ['oecd-exchange', 'domestic-generic'] as const;

/** An organisation as reports name it. */
export interface ReportingOrganisation {
  readonly name: string;
  readonly country: string;
  readonly address: PartyAddress;
}

/** A number that a country has given an institution. */
export interface InstitutionNumber {
  readonly value: string;
  readonly country: string;
  readonly type?: string;
}

/** What a report says of the institution, and by which rules it is made. */
export interface ReportingFiContent extends ReportingOrganisation {
  readonly iga_model: (typeof IGA_MODELS)[number];
  readonly profile: (typeof PROFILES)[number];
  /** Beside the GIIN, for CRS. */
  readonly numbers?: readonly InstitutionNumber[];
  /** Who sends, where it is not the institution: its GIIN. */
  readonly sender_giin?: string;
  readonly sponsor?: ReportingOrganisation & { readonly giin: string };
  readonly contact?: string;
  readonly reportable_jurisdictions?: readonly string[];
}

const { form, list, object, text, words } = shapeOf;
const NAME_CHARS_MAX = 200;
const NUMBERS_MAX = 10;
const GIIN_FORM = form(/^[0-9A-Z]{6}[.][0-9A-Z]{5}[.][A-Z]{2}[.][0-9]{3}$/, 'a GIIN');
const country: Shape = { kind: 'country' };
const organisation = { address: ADDRESS_SHAPE, country, name: text(NAME_CHARS_MAX) };

/** An institution as it is stated. */
export const FI_SHAPE: ObjectShape = object(
  {
    ...organisation,
    contact: text(NAME_CHARS_MAX),
    iga_model: words(IGA_MODELS),
    numbers: list(
      object({ country, type: text(NAME_CHARS_MAX), value: text(NAME_CHARS_MAX) }, [
        'country',
        'value',
      ]),
      NUMBERS_MAX,
    ),
    profile: words(PROFILES),
    reportable_jurisdictions: list(country, JURISDICTIONS_MAX),
    sender_giin: GIIN_FORM,
    sponsor: object({ ...organisation, giin: GIIN_FORM }, ['giin', 'name', 'country', 'address']),
  },
  ['name', 'country', 'address', 'iga_model', 'profile'],
);

/** Throws `giin-invalid`, `reporting-fi-invalid`. */
export function readFiContent(giin: string, value: unknown): ReportingFiContent {
  const number = readGiin(giin);
  if (!number.isValid) {
    const detail = `expected ${number.expected}`;
    throw refused('giin-invalid', [{ code: 'giin-invalid', detail, pointer: '/giin' }]);
  }
  const byShape = violationsOf(value, FI_SHAPE);
  if (byShape.length > 0) throw refused('reporting-fi-invalid', byShape);
  const content = value as ReportingFiContent;
  const found = contentFaults(content);
  if (found.length > 0) throw refused('reporting-fi-invalid', found);
  return content;
}

const refused = (
  code: 'giin-invalid' | 'reporting-fi-invalid',
  violations: readonly Violation[],
): DomainError => new DomainError(code, { violations });

function contentFaults(content: ReportingFiContent): readonly Violation[] {
  const { numbers = [], sender_giin: sender, sponsor } = content;
  const countries: readonly (readonly [string, string])[] = [
    ['/country', content.country],
    ['/address/country', content.address.country],
    ...numbers.map((one, at) => [`/numbers/${at}/country`, one.country] as const),
    ...(content.reportable_jurisdictions ?? []).map(
      (code, at) => [`/reportable_jurisdictions/${at}`, code] as const,
    ),
    ...(sponsor === undefined
      ? []
      : ([
          ['/sponsor/country', sponsor.country],
          ['/sponsor/address/country', sponsor.address.country],
        ] as const)),
  ];
  const found: Violation[] = countries
    .filter(([, code]) => !isCountry(code))
    .map(([pointer]) => ({ code: 'format', detail: 'expected a country of ISO 3166-1', pointer }));
  const places = [
    ['/address/city', content.address],
    ['/sponsor/address/city', sponsor?.address],
  ] as const;
  for (const [pointer, address] of places) {
    if (address === undefined || address.city !== undefined) continue;
    found.push({ code: 'missing', detail: 'expected this member', pointer });
  }
  for (const [pointer, value] of [
    ['/sender_giin', sender],
    ['/sponsor/giin', sponsor?.giin],
  ] as const) {
    const giin = value === undefined ? undefined : readGiin(value);
    if (giin === undefined || giin.isValid) continue;
    found.push({ code: 'giin-invalid', detail: `expected ${giin.expected}`, pointer });
  }
  return found;
}
