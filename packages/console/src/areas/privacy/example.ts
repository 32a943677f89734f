/** In a sandbox: two invented persons, one who asks for a copy, and one for the erasure. */
import { change } from '../../http.ts';
import type { Step } from '../../parts/example.tsx';

const WANTED = ['export', 'erase'] as const;

export function privacyExample(): readonly Step[] {
  const mark = Date.now().toString(36);
  return WANTED.flatMap((action): readonly Step[] => {
    const external_ref = `example-${action}-${mark}`;
    let requestId = '';
    return [
      () =>
        change('POST', '/v1/kyc/cases', {
          external_ref,
          locale: 'fr-TN',
          subject: { country_residence: 'TN', dob: '1990-05-17' },
          subject_type: 'individual',
          workflow_code: 'individual_standard',
        }),
      async () => {
        const made = await change<{ request_id: string }>('POST', '/v1/privacy/dsar', {
          action,
          identity: { method: 'in_person' },
          requester: { relation: 'self' },
          subject: { external_ref },
        });
        requestId = made.request_id;
      },
      () => change('POST', `/v1/privacy/dsar/${requestId}/identity`, { verified: true }),
    ];
  });
}
