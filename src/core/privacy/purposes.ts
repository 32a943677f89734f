/**
 * Why personal data is processed. A row a purpose, with the legal basis and whether it goes on for
 * a subject whose processing is restricted or who has opposed it (GDPR 18, 21): a legal duty does.
 */
export interface PurposeRow {
  readonly basis: 'contract' | 'duty' | 'interest';
  readonly whileRestricted: 'goes-on' | 'stops';
  readonly whileOpposed: 'goes-on' | 'stops';
}

/** Every purpose that some job has. A job without one cannot ask, and does not start. */
export const PURPOSES = {
  'batch-screening': { basis: 'duty', whileOpposed: 'goes-on', whileRestricted: 'goes-on' },
  monitoring: { basis: 'duty', whileOpposed: 'goes-on', whileRestricted: 'goes-on' },
  screening: { basis: 'duty', whileOpposed: 'goes-on', whileRestricted: 'goes-on' },
} as const satisfies Readonly<Record<string, PurposeRow>>;

/** The name of a purpose. */
export type Purpose = keyof typeof PURPOSES;
