/**
 * A financial account as an institution states it for one period. Members are named as on the wire;
 * amounts have two decimals, days are `YYYY-MM-DD`, countries alpha-2. The codes are those of the
 * XML schemas of the IRS and the OECD.
 */

/** Codes of names: other, individual, alias, nick, aka, dba, legal, at birth. */
export const NAME_TYPES = [
  'OECD202',
  'OECD203',
  'OECD204',
  'OECD205',
  'OECD206',
  'OECD207',
  'OECD208',
] as const;
/** Codes of addresses: residential or business, residential, business, registered, unspecified. */
export const ADDRESS_TYPES = ['OECD301', 'OECD302', 'OECD303', 'OECD304', 'OECD305'] as const;
/** IBAN, other number, ISIN, other of securities, other, e-money. */
export const ACCOUNT_NUMBER_TYPES = [
  'OECD601',
  'OECD602',
  'OECD603',
  'OECD604',
  'OECD605',
  'OECD606',
] as const;
/** Depository, custodial, insurance or annuity, interest in an investment entity (CRS 3.0). */
export const ACCOUNT_TYPES = ['CRS1101', 'CRS1102', 'CRS1103', 'CRS1104'] as const;
/** New and preexisting accounts (CRS 3.0). */
export const DD_PROCEDURES = ['CRS1201', 'CRS1202'] as const;
export const PAYMENT_TYPES = ['dividends', 'interest', 'gross_proceeds', 'other'] as const;
export const PARTY_KINDS = ['individual', 'organisation'] as const;
/** Controlling persons by what they do; 809 to 813 are of CRS 3.0. */
export const PERSON_ROLES = Array.from({ length: 13 }, (_, at) => `CRS${801 + at}`);
export const EQUITY_INTERESTS = Array.from({ length: 10 }, (_, at) => `CRS${401 + at}`);
export const FATCA_HOLDERS = ['FATCA101', 'FATCA102', 'FATCA103', 'FATCA104', 'FATCA105'] as const;
export const FATCA_POOLS = [
  'FATCA201',
  'FATCA202',
  'FATCA203',
  'FATCA204',
  'FATCA205',
  'FATCA206',
] as const;
export const CRS_HOLDERS = ['CRS101', 'CRS102', 'CRS103'] as const;
/** The account has no number. */
export const NO_NUMBER = 'NANUM';

/** A name: of a person `first` and `last`, of an organisation `name`. */
export interface PartyName {
  readonly type?: (typeof NAME_TYPES)[number];
  readonly first?: string;
  readonly middle?: string;
  readonly last?: string;
  readonly name?: string;
}

/** An address, fixed where it has a city. */
export interface PartyAddress {
  readonly country: string;
  readonly type?: (typeof ADDRESS_TYPES)[number];
  readonly street?: string;
  readonly building?: string;
  readonly suite?: string;
  readonly floor?: string;
  readonly district?: string;
  readonly po_box?: string;
  readonly post_code?: string;
  readonly city?: string;
  readonly subentity?: string;
  readonly free?: string;
}

/** A tax number with the country that gave it. */
export interface PartyTin {
  readonly value: string;
  readonly country: string;
  readonly type?: string;
}

/** A person or an organisation. */
export interface TaxParty {
  readonly kind: (typeof PARTY_KINDS)[number];
  readonly names: readonly PartyName[];
  readonly residence_countries: readonly string[];
  readonly tins?: readonly PartyTin[];
  readonly addresses: readonly PartyAddress[];
  readonly birth?: { readonly date?: string; readonly city?: string; readonly country?: string };
  readonly nationalities?: readonly string[];
}

/** Who controls or owns the holder. */
export interface AccountPerson {
  readonly person_ref?: string;
  readonly party: TaxParty;
  readonly roles?: readonly string[];
  /** Reports that the person belongs into; absent: where the person lives and pays tax says it. */
  readonly regimes?: readonly ReportRegime[];
  /** Absent: not reported, which no new report may say. */
  readonly self_cert?: boolean;
}

/** A payment of the period. */
export interface AccountPayment {
  readonly type: (typeof PAYMENT_TYPES)[number];
  readonly amount: string;
  readonly currency: string;
}

/** What an account is under FATCA. */
export interface FatcaStanding {
  readonly reportable: boolean;
  readonly holder_type?: (typeof FATCA_HOLDERS)[number];
  readonly pool_type?: (typeof FATCA_POOLS)[number];
}

/** What an account is under CRS. */
export interface CrsStanding {
  readonly reportable_jurisdictions: readonly string[];
  readonly holder_type?: (typeof CRS_HOLDERS)[number];
}

/** An account of one period. */
export interface ReportedAccount {
  readonly account_ref: string;
  readonly account_number: string;
  readonly account_number_type?: (typeof ACCOUNT_NUMBER_TYPES)[number];
  readonly account_type?: (typeof ACCOUNT_TYPES)[number];
  readonly dd_procedure?: (typeof DD_PROCEDURES)[number];
  readonly opened_at?: string;
  readonly closed?: boolean;
  readonly dormant?: boolean;
  readonly undocumented?: boolean;
  readonly joint_holders?: number;
  readonly balance: { readonly amount: string; readonly currency: string };
  readonly payments?: readonly AccountPayment[];
  readonly holder: TaxParty;
  readonly controlling_persons?: readonly AccountPerson[];
  readonly self_cert?: boolean;
  readonly equity_interest_types?: readonly string[];
  /** Its result stands for `fatca` and `crs` where these are absent. */
  readonly classification_id?: string;
  readonly fatca?: FatcaStanding;
  readonly crs?: CrsStanding;
}

export const REPORT_REGIMES = ['FATCA', 'CRS'] as const;
/** One of REPORT_REGIMES. */
export type ReportRegime = (typeof REPORT_REGIMES)[number];

/** Whether an account goes into a report, and why. */
export interface Reportability {
  readonly reportable: boolean;
  readonly reasons: readonly string[];
}

/** An account that nobody has classified is not reportable, and says so: nothing is guessed. */
export function reportabilityOf(
  { classification_id: id, crs, fatca, undocumented = false }: ReportedAccount,
  regime: ReportRegime,
): Reportability {
  const by = id === undefined ? 'stated' : 'classified';
  if (regime === 'FATCA') {
    if (fatca === undefined) return { reasons: ['unclassified'], reportable: false };
    const { holder_type: holder, pool_type: pool, reportable } = fatca;
    if (pool !== undefined) return { reasons: [by, pool], reportable: true };
    return { reasons: [by, ...(holder === undefined ? [] : [holder])], reportable };
  }
  if (crs === undefined) return { reasons: ['unclassified'], reportable: false };
  const { holder_type: holder, reportable_jurisdictions: where } = crs;
  return {
    reasons: [
      by,
      ...(holder === undefined ? [] : [holder]),
      ...where,
      ...(undocumented ? ['undocumented'] : []),
    ],
    // Where such a holder lives is unknown: the institution's own authority is told.
    reportable: where.length > 0 || undocumented,
  };
}
