/** Invented customers: with papers that fit, listed, without papers, and a company. */
import type { Consent, DocumentKind } from './types.ts';

export interface ExampleCase {
  readonly consents: readonly Consent[];
  readonly external_ref: string;
  readonly locale: string;
  readonly papers: readonly { readonly kind: DocumentKind; readonly lines: readonly string[] }[];
  readonly subject: object;
  readonly subject_type: 'business' | 'individual';
  readonly workflow_code: string;
}

const passport = (name: string, zone: readonly string[]): ExampleCase['papers'][number] => ({
  kind: 'passport',
  lines: ['PASSPORT - INVENTED', name, '', '', '', '', '', '', '', ...zone],
});

/** `at` tells them from those of another time. */
export const examplesOf = (at: number): readonly ExampleCase[] => {
  const ref = (name: string): string => `example-${name}-${at.toString(36)}`;
  return [
    {
      consents: ['identity_verification'],
      external_ref: ref('amira'),
      locale: 'fr-TN',
      papers: [
        passport('BEN SALAH AMIRA', [
          'P<TUNBEN<SALAH<<AMIRA<<<<<<<<<<<<<<<<<<<<<<<',
          'K7401836<5TUN9005178F3409305<<<<<<<<<<<<<<02',
        ]),
      ],
      subject: {
        address: { city: 'Tunis', country: 'TN', line1: '12 rue des Orangers' },
        country_residence: 'TN',
        dob: '1990-05-17',
        expected_turnover: { amount: '3000.00', currency: 'TND' },
        full_name: 'Amira Ben Salah',
        full_name_ar: 'أميرة بن صالح',
        national_id: 'K7401836',
        nationality: 'TN',
        occupation: 'Architect',
      },
      subject_type: 'individual',
      workflow_code: 'individual_standard',
    },
    {
      consents: ['identity_verification'],
      external_ref: ref('tarek'),
      locale: 'fr-TN',
      papers: [
        passport('VELMORANI TAREK', [
          'P<TUNVELMORANI<<TAREK<<<<<<<<<<<<<<<<<<<<<<<',
          'K2219047<1TUN7103140M3302141<<<<<<<<<<<<<<04',
        ]),
      ],
      subject: {
        country_residence: 'TN',
        dob: '1971-03-14',
        full_name: 'Tarek Velmorani',
        national_id: 'K2219048',
        nationality: 'TN',
        occupation: 'Merchant',
      },
      subject_type: 'individual',
      workflow_code: 'individual_standard',
    },
    {
      consents: [],
      external_ref: ref('sami'),
      locale: 'ar-TN',
      papers: [],
      subject: { dob: '2002-06-05', full_name: 'Sami Haddad', nationality: 'TN' },
      subject_type: 'individual',
      workflow_code: 'individual_standard',
    },
    {
      consents: ['identity_verification'],
      external_ref: ref('company'),
      locale: 'en-GB',
      papers: [
        {
          kind: 'registry_extract',
          lines: ['REGISTRY EXTRACT - INVENTED', 'MAISON DES OLIVIERS SARL', 'NO. B-2017-00421'],
        },
      ],
      subject: {
        beneficial_owners: [
          { dob: '1975-09-01', name: 'Selmira Velmorani', nationality: 'TN', share: 60 },
          { dob: '1982-02-11', name: 'Youssef Karoui', nationality: 'TN', share: 40 },
        ],
        country_residence: 'TN',
        incorporated_on: '2017-04-03',
        legal_form: 'SARL',
        legal_name: 'Maison des Oliviers SARL',
        officers: [{ name: 'Youssef Karoui', nationality: 'TN', role: 'manager' }],
        registration_number: 'B-2017-00421',
        tax_id: '1234567A',
      },
      subject_type: 'business',
      workflow_code: 'business_standard',
    },
  ];
};
