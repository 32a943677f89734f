/** Forms as examples of the API. Nobody of that name has signed one. */

/** A Form W-8BEN of a resident of France. */
export const W8BEN_EXAMPLE = {
  fields: {
    address: { city: 'Lyon', country: 'FR', post_code: '69002', street: 'Rue Inventée 7' },
    birth: { country: 'FR', date: '1980-04-12' },
    citizenship: 'FR',
    ftin: '0701987765493',
    mailing_address: { city: 'Lyon', country: 'FR', post_code: '69003', street: 'Boîte 12' },
    name: 'Camille Delmaris',
    treaty: { article: '11', country: 'FR', rate_pct: '0' },
  },
  revision: '10-2021',
  signature_method: 'ink',
  signed_at: '2026-02-03',
  signer: { capacity: 'self', name: 'Camille Delmaris' },
  subject_ref: 'customer-4711',
  type: 'W-8BEN',
} as const;

/** The same as it is answered. */
export const FORM_EXAMPLE = {
  change: null,
  created_at: '2026-02-05T09:30:00.000Z',
  created_by: 'person:019a0b2c-7d4e-7000-8000-000000000001',
  cure_due: null,
  documentary_evidence: false,
  entity_ref: null,
  explanation: null,
  fields: W8BEN_EXAMPLE.fields,
  findings: [],
  form_id: '019a0b2c-7d4e-7000-8000-000000000000',
  giin_check: null,
  holder_due: null,
  notes: [],
  received_at: '2026-02-05',
  revision: '10-2021',
  signature_method: 'ink',
  signed_at: '2026-02-03',
  signer: W8BEN_EXAMPLE.signer,
  status: 'valid',
  subject_ref: 'customer-4711',
  supersedes: null,
  tins: [{ country: 'FR', pointer: '/fields/ftin', state: 'valid' }],
  type: 'W-8BEN',
  valid_until: '2029-12-31',
} as const;
