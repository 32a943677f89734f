/** A report to look at: all of it is invented. */
const DAY_MS = 86_400_000;
const DAY_CHARS = 'YYYY-MM-DD'.length;

/** Cash at four branches, sent on: with all that the shipped profile wants. */
export function exampleReport(now: number): object {
  const day = (before: number): string =>
    new Date(now - before * DAY_MS).toISOString().slice(0, DAY_CHARS);
  return {
    action: 'The account was restricted, and further payments wait.',
    counterparties: [
      { id: 'p1', is_customer: false, kind: 'person', name: 'Ann Lorand', residence: 'FR' },
    ],
    narrative:
      'Cash was paid in at four branches within two days, always just below the threshold, ' +
      'and was sent abroad on the third.',
    report_code: 'STR',
    subject: {
      birth_date: '1971-03-14',
      is_customer: true,
      kind: 'person',
      name: 'Tarek Velmorani',
      residence: 'TN',
    },
    transactions: ['9400.00', '9650.00', '9200.00', '9800.00'].map((amount, at) => ({
      amount,
      counterparty: 'p1',
      country: 'FR',
      currency: 'EUR',
      date: day(4 - at),
      direction: 'debit',
      id: `T-${at + 1}`,
    })),
  };
}
