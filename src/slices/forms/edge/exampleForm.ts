/** A small form for the description of the API. */
export const EXAMPLE_FORM = {
  code: 'onboarding_individual',
  languages: ['fr', 'en'],
  schema: {
    steps: [
      {
        id: 'identity',
        title: { en: 'Your identity', fr: 'Votre identité' },
        fields: [
          {
            id: 'first_name',
            canonical: 'first_name',
            type: 'text',
            required: true,
            validation: { max_length: 100, pattern: "[\\p{L}' -]{1,100}" },
            i18n: {
              en: { error: 'Letters only', label: 'First name' },
              fr: { error: 'Lettres seulement', label: 'Prénom' },
            },
          },
          {
            id: 'nationality',
            canonical: 'nationality',
            type: 'country',
            required: true,
            i18n: { en: { label: 'Nationality' }, fr: { label: 'Nationalité' } },
          },
          {
            id: 'tax_id',
            canonical: 'tax_id',
            type: 'text',
            visible_if: { field: 'nationality', op: 'eq', value: 'TN' },
            validation: { check: 'rne_tn' },
            i18n: { en: { label: 'Unique identifier' }, fr: { label: 'Identifiant unique' } },
          },
        ],
      },
    ],
  },
};
