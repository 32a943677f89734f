/**
 * Payments of ordinary life, and in them what rules look for: cash below a threshold, money that
 * goes on at once, and a party of the shipped list. All of it is invented.
 */
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Days of ordinary life before the ones that are looked for. */
const DAYS = 45;

type Sent = Readonly<Record<string, unknown>>;

const OTHERS = ['Librairie du Port', 'Galyra Pelstryl', 'Épicerie Sidra', 'مكتبة الياسمين'];

/** In the order of time, the last ones a few hours before `at`. Ids begin with the time. */
export function examplePayments(at: number): readonly Sent[] {
  const prefix = `EX-${at.toString(36)}`;
  const begins = at - DAYS * DAY_MS;
  const sent: { readonly at: number; readonly members: Sent }[] = [];
  for (let day = 0; day < DAYS; day += 1) {
    const account = `A-${1 + (day % 3)}`;
    const isSalary = day % 15 === 0;
    sent.push({
      at: begins + day * DAY_MS + 9 * HOUR_MS,
      members: payment(account, {
        amount: isSalary ? '2100.00' : `${20 + ((day * 37) % 160)}.50`,
        channel: isSalary ? 'wire' : 'card',
        direction: isSalary ? 'credit' : 'debit',
        other: { address: { country: 'TN' }, name: OTHERS[day % OTHERS.length] ?? '' },
      }),
    });
  }
  for (const [place, amount] of ['9400.00', '9650.00', '9200.00', '9800.00'].entries()) {
    sent.push({
      at: at - (30 - place * 5) * HOUR_MS,
      members: payment('A-9', { amount, channel: 'cash', direction: 'credit' }),
    });
  }
  sent.push(
    {
      at: at - 8 * HOUR_MS,
      members: payment('A-9', {
        amount: '37000.00',
        channel: 'wire',
        direction: 'debit',
        other: { address: { country: 'KP' }, name: 'Korvun Dasmel Shipping' },
      }),
    },
    {
      at: at - 3 * HOUR_MS,
      members: payment('A-2', {
        amount: '1250.00',
        channel: 'wire',
        direction: 'debit',
        other: {
          address: { country: 'TN' },
          dob: '1971-03-14',
          name: 'Tarek Velmorani',
          type: 'person',
        },
      }),
    },
    {
      at: at - 2 * HOUR_MS,
      members: {
        ...payment('A-3', {
          amount: '860.00',
          channel: 'wire',
          direction: 'debit',
          other: { address: { country: 'FR' }, name: 'Feneri Kemulme' },
        }),
        remittance: ['INV 4711 GOODS OF QUELLMAR ORVAND TRADING LTD'],
      },
    },
  );
  return sent
    .sort((one, other) => one.at - other.at)
    .map(({ at: time, members }, place) => ({
      ...members,
      occurred_at: new Date(time).toISOString(),
      tx_id: `${prefix}-${String(place + 1).padStart(3, '0')}`,
    }));
}

function payment(
  account: string,
  {
    amount,
    channel,
    direction,
    other,
  }: {
    readonly amount: string;
    readonly channel: string;
    readonly direction: 'credit' | 'debit';
    readonly other?: Sent;
  },
): Sent {
  const own = {
    account: { other: account },
    address: { country: 'TN' },
    name: `Invented customer of ${account}`,
  };
  const sides =
    direction === 'debit'
      ? { creditor: other, debtor: own }
      : { creditor: own, ...(other !== undefined && { debtor: other }) };
  return {
    account_id: account,
    amount,
    channel,
    currency: 'EUR',
    customer_id: `C-${account}`,
    direction,
    ...sides,
  };
}
