/** Transactions as goAML knows them: from whom, to whom, by what means, in which currency. */
import {
  type PartyContent,
  partiesOf,
  partyPointer,
  type ReportContent,
  SUBJECT_ID,
  type TransactionContent,
} from './content.ts';
import { dateLeaf, type Fact, leaf, leaves, node } from './facts.ts';
import { accountFacts, type LatinNames, organisationFacts, personFacts } from './partyFacts.ts';
import type { ProfileSettings } from './profile.ts';

/** What a report's facts are made of. */
export interface FactSource {
  readonly content: ReportContent;
  readonly profile: Pick<ProfileSettings, 'country' | 'currency'>;
  readonly latin: LatinNames;
}

const TRANSACTION = {
  comments: 'comments',
  internal_ref_number: 'internal_ref',
  transaction_description: 'description',
  transaction_location: 'location',
  transactionnumber: 'id',
  transmode_code: 'channel',
  transmode_comment: 'channel_comment',
} as const;

const TRANSACTION_WANTED = {
  ...Object.fromEntries(
    Object.entries(TRANSACTION).map(([element, member]) => [element, `/${member}`]),
  ),
  amount_local: '/local_amount',
  date_transaction: '/date',
  t_from: '/counterparty',
  t_from_my_client: '/party',
  t_to: '/counterparty',
  t_to_my_client: '/party',
};

/** Facts of parties and their accounts: the same object wherever one takes part. */
export type HolderFacts = Map<string, readonly Fact[]>;

/** The transaction at this place of the draft. */
export function transactionFacts(
  source: FactSource,
  place: number,
  holders: HolderFacts,
): readonly Fact[] {
  const { content, profile } = source;
  const transaction = content.transactions[place];
  if (transaction === undefined) return [];
  const at = `/transactions/${place}`;
  const { amount, currency, direction, local_amount, party = SUBJECT_ID } = transaction;
  const isLocal = currency === profile.currency;
  const own = { account: transaction.account, accountAt: `${at}/account`, id: party };
  const other = {
    account: transaction.counterparty_account,
    accountAt: `${at}/counterparty_account`,
    id: transaction.counterparty,
  };
  const [from, to] = direction === 'debit' ? [own, other] : [other, own];
  const members: Record<string, readonly Fact[]> = {
    ...leaves(transaction, at, TRANSACTION),
    amount_local: isLocal ? leaf(amount, `${at}/amount`) : leaf(local_amount, `${at}/local_amount`),
    date_transaction: dateLeaf(transaction.date, `${at}/date`),
    value_date: dateLeaf(transaction.value_date, `${at}/value_date`),
    ...sideFacts(source, {
      at,
      holders,
      side: 'from',
      transaction,
      who: from,
      isOwn: from === own,
    }),
    ...sideFacts(source, { at, holders, side: 'to', transaction, who: to, isOwn: to === own }),
  };
  return node(members, { at, wanted: TRANSACTION_WANTED });
}

interface Side {
  readonly at: string;
  readonly holders: HolderFacts;
  readonly side: 'from' | 'to';
  readonly transaction: TransactionContent;
  readonly who: {
    readonly id: string;
    readonly account: string | undefined;
    readonly accountAt: string;
  };
  readonly isOwn: boolean;
}

function sideFacts(source: FactSource, of: Side): Record<string, readonly Fact[]> {
  const { content, latin, profile } = source;
  const { at, holders, isOwn, side, transaction, who } = of;
  const party = partiesOf(content).find(({ id }) => id === who.id);
  if (party === undefined) return {};
  const place = partyPointer(content, who.id);
  const { channel, conductor, country, funds } = transaction;
  const inCountry = isOwn
    ? leaf(party.residence ?? party.incorporation_country ?? profile.country, `${place}/residence`)
    : leaf(country, `${at}/country`);
  const members: Record<string, readonly Fact[]> = {
    ...holderFacts(source, { holders, party, place, side, who }),
    [`${side}_country`]: inCountry,
    [`${side}_foreign_currency`]: foreignFacts(source, transaction, at),
    [`${side}_funds_code`]: leaf(
      funds ?? channel,
      `${at}/${funds === undefined ? 'channel' : 'funds'}`,
    ),
    ...(isOwn &&
      conductor !== undefined &&
      side === 'from' && { t_conductor: conductorFacts(content, conductor, latin) }),
  };
  const wanted = { [`${side}_funds_code`]: `=${at}/funds` };
  const name = party.is_customer ? `t_${side}_my_client` : `t_${side}`;
  return { [name]: node(members, { at: place, wanted }) };
}

/** Through the account that the transaction names, or the party's first; else the party itself. */
function holderFacts(
  { latin }: FactSource,
  of: {
    readonly holders: HolderFacts;
    readonly party: PartyContent;
    readonly place: string;
    readonly side: string;
    readonly who: Side['who'];
  },
): Record<string, readonly Fact[]> {
  const { holders, party, place, side, who } = of;
  const once = (key: string, make: () => readonly Fact[]): readonly Fact[] => {
    const known = holders.get(key) ?? make();
    holders.set(key, known);
    return known;
  };
  const accounts = party.accounts ?? [];
  const named = accounts.findIndex(
    ({ account, iban }) => account === who.account || iban === who.account,
  );
  const index = who.account === undefined ? 0 : named;
  const account = accounts[index];
  if (account !== undefined) {
    const holder = { at: place, latin, party };
    const key = `${place}/accounts/${index}`;
    return { [`${side}_account`]: once(key, () => accountFacts(account, key, holder)) };
  }
  // No account that its party is said to have: it stands in no element, and is told as left out.
  const unlisted = leaf(who.account, who.accountAt);
  return party.kind === 'person'
    ? { [`${side}_person`]: once(place, () => personFacts(party, place, latin)), unlisted }
    : { [`${side}_entity`]: once(place, () => organisationFacts(party, place, latin)), unlisted };
}

function conductorFacts(content: ReportContent, id: string, latin: LatinNames): readonly Fact[] {
  const party = partiesOf(content).find((one) => one.id === id);
  return party?.kind === 'person' ? personFacts(party, partyPointer(content, id), latin) : [];
}

/** What the amount was, where that is not in the currency of the FIU. */
function foreignFacts(
  { profile }: FactSource,
  { amount, currency, exchange_rate }: TransactionContent,
  at: string,
): readonly Fact[] {
  if (currency === profile.currency) return [];
  return node(
    {
      foreign_amount: leaf(amount, `${at}/amount`),
      foreign_currency_code: leaf(currency, `${at}/currency`),
      foreign_exchange_rate: leaf(exchange_rate, `${at}/exchange_rate`),
    },
    { at, wanted: { foreign_exchange_rate: '/exchange_rate' } },
  );
}
