/**
 * Invented transactions of an invented bank: ordinary life of its accounts, and typologies that are
 * planted in it, each with a label. The same seed gives the same transactions on any machine. A
 * newcomer sees alerts by them (`transactions demo`), and the bench measures recall and false
 * alarms.
 */

/** Typologies that are planted, by the ids of the rules that are to find them. */
export const PLANTED = [
  'TM-CASH-01',
  'TM-CASH-02',
  'TM-AMT-01',
  'TM-AMT-02',
  'TM-VEL-01',
  'TM-VEL-02',
  'TM-FLOW-01',
  'TM-FLOW-02',
  'TM-FLOW-03',
  'TM-FLOW-04',
  'TM-FLOW-05',
  'TM-ACC-01',
] as const;
/** One of PLANTED. */
export type PlantedTypology = (typeof PLANTED)[number];

/** What is generated. */
export interface GenerateAsk {
  readonly seed: number;
  readonly accounts: number;
  /** About so many of ordinary life; what is planted comes beside it. */
  readonly transactions: number;
  /** How often each typology is planted. */
  readonly planted: number;
  /** The day after the last one, YYYY-MM-DD. */
  readonly until: string;
  /** Beginning of all ids, so that two runs do not meet in one log; absent: `D`. */
  readonly prefix?: string;
}

/** A transaction as `json_service` takes it, and what it was planted for. */
export interface GeneratedTransaction {
  readonly transaction: Readonly<Record<string, unknown>>;
  /** `<rule>/<number of the plant>`. */
  readonly label?: string;
}

/** Days of ordinary life: rules look back up to half a year. */
export const GENERATED_DAYS = 210;

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const CURRENCY = 'EUR';
const HOME = 'TN';
const CENTS = 100;

/** One leg before it is written out. */
interface Leg {
  readonly at: number;
  readonly account: string;
  readonly other: string;
  readonly direction: 'debit' | 'credit';
  readonly cents: number;
  readonly channel: string;
  readonly country?: string;
  readonly label?: string;
}

/** A payment from one account to another. */
type Payment = Pick<Leg, 'at' | 'cents' | 'country' | 'label'> & {
  readonly from: string;
  readonly to: string;
  readonly channel?: string;
};

/** In the order of time. */
export function* generateTransactions(ask: GenerateAsk): Generator<GeneratedTransaction> {
  const bank = new Bank(ask);
  bank.live();
  for (const [kind, plant] of PLANTED.entries()) {
    for (let no = 0; no < ask.planted; no++) {
      bank.plant(plant, { account: kind * ask.planted + no, no });
    }
  }
  yield* bank.written();
}

class Bank {
  readonly #ask: GenerateAsk;
  readonly #random: () => number;
  readonly #end: number;
  readonly #legs: Leg[] = [];

  constructor(ask: GenerateAsk) {
    this.#ask = ask;
    this.#random = randomOf(ask.seed);
    this.#end = Date.parse(`${ask.until}T00:00:00Z`);
  }

  /** Salaries, rents and purchases; accounts in which something is planted live on besides. */
  live(): void {
    const { accounts, transactions } = this.#ask;
    const each = Math.max(1, Math.round(transactions / accounts));
    for (let account = 0; account < accounts; account++) {
      if (this.#isDormant(account)) continue;
      const salary = 90_000 + Math.round(this.#random() * 250_000);
      const rent = Math.round(salary * (0.2 + this.#random() * 0.15));
      for (let n = 0; n < each; n++) this.#ordinary(account, { n, rent, salary });
    }
  }

  #ordinary(
    account: number,
    { n, rent, salary }: { readonly n: number; readonly rent: number; readonly salary: number },
  ): void {
    const at = this.#end - this.#random() * GENERATED_DAYS * DAY_MS;
    const own = this.#own(account);
    const kind = n % 10;
    if (kind === 0) {
      const day = this.#end - (GENERATED_DAYS - ((n * 3) % GENERATED_DAYS)) * DAY_MS;
      this.#credit(own, `EMPLOYER-${account % 997}`, { at: day + (at % HOUR_MS), cents: salary });
      return;
    }
    if (kind === 1) {
      this.#debit(own, `LANDLORD-${account % 1_999}`, { at, cents: rent });
      return;
    }
    // Purchases are small and uneven, at a handful of shops.
    const cents = Math.round(300 + this.#random() ** 3 * 14_000) + 7;
    const shop = `SHOP-${account % 50}-${Math.floor(this.#random() * 4)}`;
    this.#debit(own, shop, { at, cents, channel: 'card' });
  }

  plant(typology: PlantedTypology, { account, no }: { account: number; no: number }): void {
    const place = {
      at: this.#end - (2 + this.#random() * 20) * DAY_MS,
      label: `${typology}/${no}`,
      no,
      own: this.#own(account),
    };
    PLANTS[typology](this, place);
  }

  /** A number from `low` on, below `high`. */
  between(low: number, high: number): number {
    return low + this.#random() * (high - low);
  }

  pay({ from, to, ...of }: Payment): void {
    const isOwn = (name: string): boolean => name.startsWith('A-') || name.startsWith('P-');
    if (isOwn(from)) this.#debit(from, to, of);
    if (isOwn(to)) this.#credit(to, from, of);
  }

  *written(): Generator<GeneratedTransaction> {
    const { prefix = 'D' } = this.#ask;
    const order = this.#legs.map((leg, at) => ({ at, leg })).sort(byTime);
    for (const [no, { leg }] of order.entries()) {
      const { label } = leg;
      const transaction = draftOf(leg, `${prefix}-${no + 1}`);
      yield { transaction, ...(label !== undefined && { label }) };
    }
  }

  #own(account: number): string {
    return `A-${this.#ask.seed}-${account}`;
  }

  /** Accounts of TM-ACC-01 have slept since before anything began, but for one payment. */
  #isDormant(account: number): boolean {
    const first = PLANTED.indexOf('TM-ACC-01') * this.#ask.planted;
    return account >= first && account < first + this.#ask.planted;
  }

  #debit(account: string, other: string, of: Omit<Payment, 'from' | 'to'>): void {
    this.#legs.push({ channel: 'wire', ...of, account, direction: 'debit', other });
  }

  #credit(account: string, other: string, of: Omit<Payment, 'from' | 'to'>): void {
    this.#legs.push({ channel: 'wire', ...of, account, direction: 'credit', other });
  }
}

interface Place {
  readonly at: number;
  readonly label: string;
  readonly no: number;
  readonly own: string;
}

type Plant = (bank: Bank, place: Place) => void;

const euros = (amount: number): number => Math.round(amount * CENTS);
const times = (count: number, each: (n: number) => void): void => {
  for (let n = 0; n < count; n++) each(n);
};

/** Each as the default pack describes it, clearly within its bounds and never on them. */
const PLANTS: Readonly<Record<PlantedTypology, Plant>> = {
  'TM-CASH-01': (bank, { at, label, own }) =>
    times(4, (n) =>
      bank.pay({
        at: at + n * 9 * HOUR_MS,
        cents: euros(bank.between(7_400, 9_700)),
        channel: 'cash',
        from: 'CASH',
        label,
        to: own,
      }),
    ),
  'TM-CASH-02': (bank, { at, label, no, own }) => {
    times(4, (n) => {
      const helper = `P-${label}-${n}`;
      const cents = euros(bank.between(2_000, 2_900));
      bank.pay({ at: at + n * HOUR_MS, cents, channel: 'cash', from: 'CASH', label, to: helper });
      bank.pay({ at: at + (24 + n) * HOUR_MS, cents, from: helper, label, to: own });
    });
    const cents = euros(bank.between(8_000, 8_400));
    bank.pay({ at: at + 40 * HOUR_MS, cents, country: 'AE', from: own, label, to: `ABROAD-${no}` });
  },
  'TM-AMT-01': (bank, { at, label, no, own }) =>
    times(6, (n) =>
      bank.pay({
        at: at + n * 30 * HOUR_MS,
        cents: euros(5_000 + 1_000 * Math.floor(bank.between(0, 5))),
        from: `ROUND-${no}-${n % 2}`,
        label,
        to: own,
      }),
    ),
  'TM-AMT-02': (bank, { at, label, no, own }) => {
    const cents = euros(bank.between(200, 900));
    times(6, (n) =>
      bank.pay({ at: at + n * 20 * HOUR_MS, cents, from: own, label, to: `SAME-${no}-${n % 3}` }),
    );
  },
  'TM-VEL-01': (bank, { at, label, no, own }) =>
    times(18, (n) =>
      bank.pay({
        at: at + n * 40 * MINUTE_MS,
        cents: euros(bank.between(20, 90)),
        from: own,
        label,
        to: `FAST-${no}-${n % 3}`,
      }),
    ),
  'TM-VEL-02': (bank, { at, label, no, own }) =>
    times(4, (n) =>
      bank.pay({
        at: at + n * 31 * HOUR_MS,
        cents: euros(bank.between(11_000, 14_500)),
        from: `TURN-${no}`,
        label,
        to: own,
      }),
    ),
  'TM-FLOW-01': (bank, { at, label, no, own }) => {
    const cents = euros(bank.between(9_000, 15_000));
    bank.pay({ at, cents, from: `IN-${no}`, label, to: own });
    const part = Math.round(cents * 0.49);
    times(2, (n) =>
      bank.pay({ at: at + (5 + n) * HOUR_MS, cents: part, from: own, label, to: `OUT-${no}-${n}` }),
    );
  },
  'TM-FLOW-02': (bank, { at, label, no, own }) => {
    let sum = 0;
    times(11, (n) => {
      const cents = euros(bank.between(400, 900));
      sum += cents;
      bank.pay({ at: at + n * 22 * HOUR_MS, cents, from: `SENDER-${no}-${n}`, label, to: own });
    });
    const cents = Math.round(sum * 0.85);
    bank.pay({ at: at + 11 * 24 * HOUR_MS, cents, from: own, label, to: `FUNNEL-${no}` });
  },
  'TM-FLOW-03': (bank, { at, label, no, own }) => {
    const cents = euros(bank.between(9_000, 14_000));
    bank.pay({ at, cents, from: `SOURCE-${no}`, label, to: own });
    times(10, (n) =>
      bank.pay({
        at: at + (3 + n * 11) * HOUR_MS,
        cents: Math.round(cents * bank.between(0.08, 0.095)),
        from: own,
        label,
        to: `RECEIVER-${no}-${n}`,
      }),
    );
  },
  'TM-FLOW-04': (bank, { at, label, own }) => {
    const ring = [own, ...[1, 2, 3].map((n) => `P-${label}-${n}`), own];
    let cents = euros(bank.between(8_000, 12_000));
    times(ring.length - 1, (n) => {
      const [from = own, to = own] = [ring[n], ring[n + 1]];
      bank.pay({ at: at + n * 26 * HOUR_MS, cents, from, label, to });
      cents = Math.round(cents * bank.between(0.93, 0.98));
    });
  },
  'TM-FLOW-05': (bank, { at, label, own }) => {
    const target = `P-${label}-target`;
    times(5, (n) => {
      const between = `P-${label}-${n}`;
      const cents = euros(bank.between(2_500, 4_500));
      bank.pay({ at: at + n * 5 * HOUR_MS, cents, from: own, label, to: between });
      const passed = Math.round(cents * 0.95);
      bank.pay({
        at: at + (48 + n * 5) * HOUR_MS,
        cents: passed,
        from: between,
        label,
        to: target,
      });
    });
  },
  'TM-ACC-01': (bank, { at, label, no, own }) => {
    const before = at - 195 * DAY_MS;
    bank.pay({ at: before, cents: euros(35), from: own, to: `SHOP-${no}` });
    times(3, (n) =>
      bank.pay({
        at: at + n * 9 * HOUR_MS,
        cents: euros(bank.between(2_500, 4_000)),
        from: `WAKE-${no}`,
        label,
        to: own,
      }),
    );
  },
};

const byTime = (
  one: { readonly at: number; readonly leg: Leg },
  other: { readonly at: number; readonly leg: Leg },
): number => one.leg.at - other.leg.at || one.at - other.at;

function draftOf(leg: Leg, txId: string): Readonly<Record<string, unknown>> {
  const { account, at, cents, channel, country = HOME, direction, other } = leg;
  const own = { account: { other: account }, address: { country: HOME }, name: nameOf(account) };
  const their = { account: { other }, address: { country }, name: nameOf(other) };
  const isDebit = direction === 'debit';
  return {
    account_id: account,
    amount: (cents / CENTS).toFixed(2),
    channel,
    creditor: isDebit ? their : own,
    currency: CURRENCY,
    customer_id: `C-${account}`,
    debtor: isDebit ? own : their,
    direction,
    occurred_at: new Date(Math.floor(at)).toISOString(),
    tx_id: txId,
  };
}

const FIRST = ['bel', 'dor', 'fen', 'gal', 'hov', 'jas', 'kem', 'lor', 'mip', 'nuv', 'pel', 'rys'];
const SECOND = ['ado', 'eri', 'ila', 'omu', 'une', 'yra', 'esi', 'avo'];
const LAST = ['brakt', 'denwo', 'frosp', 'gulme', 'hnavi', 'klurd', 'mosqe', 'stryl', 'twenz'];

/** An invented name, the same for the same account. */
function nameOf(account: string): string {
  let hash = 2_166_136_261;
  for (const sign of account) hash = Math.imul(hash ^ sign.charCodeAt(0), 16_777_619) >>> 0;
  const pick = (of: readonly string[], shift: number): string =>
    of[Math.floor(hash / 2 ** shift) % of.length] ?? '';
  const given = pick(FIRST, 0) + pick(SECOND, 4);
  const family = pick(FIRST, 8) + pick(LAST, 12) + pick(SECOND, 17);
  const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
  return `${capital(given)} ${capital(family)}`;
}

/** Numbers in [0, 1), the same for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
