/**
 * Payments that meet the list that ships (config/demo/entities.jsonl): a party, a name in free text
 * and a bank that is named by its BIC alone. Rules of the pack are in shadow until two persons sign
 * one, so these are what a newcomer sees an alert of.
 */

/** Payments of one account, in the order of time. */
export function listedPayments({
  account,
  prefix,
  until,
}: {
  readonly account: string;
  readonly prefix: string;
  /** The day after theirs, YYYY-MM-DD. */
  readonly until: string;
}): readonly Readonly<Record<string, unknown>>[] {
  const end = Date.parse(`${until}T00:00:00Z`);
  const somebody = {
    account: { other: 'B-1' },
    address: { country: 'TN' },
    name: 'Feneri Kemulme',
  };
  return [
    { creditor: { ...somebody, dob: '1971-03-14', name: 'Tarek Velmorani', type: 'person' } },
    { creditor: somebody, remittance: ['INV 4711 GOODS OF QUELLMAR ORVAND TRADING LTD'] },
    { creditor: somebody, creditor_agent: { bic: 'QUELZZ22' } },
  ].map((members, at) => ({
    account_id: account,
    amount: '1250.00',
    channel: 'wire',
    currency: 'EUR',
    customer_id: `C-${account}`,
    debtor: { account: { other: account }, address: { country: 'TN' }, name: 'Galyra Pelstryl' },
    direction: 'debit',
    occurred_at: new Date(end - (3 - at) * HOUR_MS).toISOString(),
    tx_id: `${prefix}-L${at + 1}`,
    ...members,
  }));
}

const HOUR_MS = 3_600_000;
