/**
 * Why personal data is processed. A row a purpose, with the legal basis and whether it goes on for
 * a subject whose processing is restricted or who has opposed it (GDPR 18, 21): a legal duty does.
 */
export interface PurposeRow {
  readonly basis: 'consent' | 'contract' | 'duty' | 'interest';
  readonly whileRestricted: 'goes-on' | 'stops';
  readonly whileOpposed: 'goes-on' | 'stops';
}

const duty = { basis: 'duty', whileOpposed: 'goes-on', whileRestricted: 'goes-on' } as const;
const interest = { basis: 'interest', whileOpposed: 'stops', whileRestricted: 'stops' } as const;
const consent = { basis: 'consent', whileOpposed: 'stops', whileRestricted: 'stops' } as const;

/** Every purpose that some job has. A job without one cannot ask, and does not start. */
export const PURPOSES = {
  audit: duty,
  'automatic-approval': { basis: 'contract', whileOpposed: 'stops', whileRestricted: 'stops' },
  'backtest-cohort': interest,
  'batch-screening': duty,
  biometrics: consent,
  'case-work': { basis: 'contract', whileOpposed: 'goes-on', whileRestricted: 'goes-on' },
  marketing: consent,
  monitoring: duty,
  'onboarding-reminder': interest,
  privacy: duty,
  'registry-lookup': interest,
  reporting: duty,
  rescreening: duty,
  retention: duty,
  'risk-evaluation': duty,
  screening: duty,
  'shadow-evaluation': interest,
  statistics: interest,
  'tax-reporting': duty,
  webhooks: duty,
} as const satisfies Readonly<Record<string, PurposeRow>>;

/** The name of a purpose. */
export type Purpose = keyof typeof PURPOSES;

/** What a subject has asked for, as far as it stops anything. */
export interface SubjectFlags {
  readonly processingRestricted: boolean;
  readonly opposed: boolean;
}

/** Whether a purpose goes on for whom these flags hold. */
export function goesOn(purpose: Purpose, flags: SubjectFlags): boolean {
  const row: PurposeRow = PURPOSES[purpose];
  return (
    (!flags.processingRestricted || row.whileRestricted === 'goes-on') &&
    (!flags.opposed || row.whileOpposed === 'goes-on')
  );
}

/** Whether it goes on whatever a subject has asked for, so that nobody need be looked up. */
export const isUnstoppable = (purpose: Purpose): boolean =>
  goesOn(purpose, { opposed: true, processingRestricted: true });
