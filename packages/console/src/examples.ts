/** Customers of a sandbox who resemble parties of the shipped list. All of them are invented. */
export const EXAMPLES: readonly Readonly<Record<string, string>>[] = [
  { dob: '1971-03-14', name: 'Tarek Velmorani', nationality: 'TN', type: 'Person' },
  { dob: '1989-11-02', name: 'Tariq Velmorany', nationality: 'FR', type: 'Person' },
  { name: 'طارق فلموراني', type: 'Person' },
  { dob: '1964', name: 'Ilvana Dostrekova', nationality: 'KZ', type: 'Person' },
  { dob: '1975-09', name: 'Selmira Velmorani', nationality: 'TN', type: 'Person' },
  { name: 'Quellmar Orvand Trading', type: 'Company' },
  { name: 'Halmisia Zanradrosk', type: 'Person' },
  { name: 'Gorstedan Gorbozhoran', type: 'Person' },
  { dob: '2001-07-30', name: 'Torvalin Gorkilunari', type: 'Person' },
  { name: 'Delrasia Fenrafali', type: 'Person' },
  { name: 'Navlolin Lunkifali', type: 'Person' },
  { name: 'Amina Nowhere', type: 'Person' },
];
