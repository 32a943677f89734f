/** Parties and transactions of a draft, from transactions of the tenant's log. */
import type { Agent, Party, Transaction } from '#slices/monitoring';
import {
  type Account,
  type PartyContent,
  type ReportContent,
  SUBJECT_ID,
  type TransactionContent,
} from './content.ts';
import type { AlertDraft, LoggedParts } from './ports.ts';

/** What a draft begins with. */
export type DraftParts = Pick<ReportContent, 'counterparties' | 'transactions'> & {
  readonly subject?: PartyContent;
};

/** The subject is whom the alert names, else the party whose account the first one is of. */
export function draftParts(
  logged: readonly LoggedParts[],
  alert: Pick<AlertDraft, 'names'> | undefined,
): DraftParts {
  const parties = new Map<string, PartyContent>();
  const transactions = logged.flatMap(({ transaction }) =>
    transaction === undefined ? [] : [transaction],
  );
  const [first] = transactions;
  const own = first && sidesOf(first).own;
  const name = alert?.names[0] ?? own?.party?.name;
  const subject: PartyContent | undefined =
    name === undefined && own === undefined
      ? undefined
      : {
          ...partyOf(SUBJECT_ID, own?.party, own?.agent),
          is_customer: true,
          ...(name !== undefined && { name }),
          ...(first !== undefined && own?.party?.account === undefined && accountsOf(first)),
        };
  return {
    ...(subject !== undefined && { subject }),
    transactions: transactions.map((one) => transactionOf(one, parties, first)),
    counterparties: [...parties.values()],
  };
}

interface LoggedSide {
  readonly party: Party | undefined;
  readonly agent: Agent | undefined;
}

/** The account's own side, and the other; a payment between others is told from the payer. */
function sidesOf(of: Transaction): { readonly own: LoggedSide; readonly other: LoggedSide } {
  const debtor = { agent: of.debtor_agent, party: of.debtor };
  const creditor = { agent: of.creditor_agent, party: of.creditor };
  return of.direction === 'credit'
    ? { other: debtor, own: creditor }
    : { other: creditor, own: debtor };
}

const accountsOf = ({ account_id }: Transaction) => ({ accounts: [{ account: account_id }] });

function transactionOf(
  of: Transaction,
  parties: Map<string, PartyContent>,
  first: Transaction | undefined,
): TransactionContent {
  const { other, own } = sidesOf(of);
  const counterparty = idOf(other, parties);
  const isSubjects = of.account_id === first?.account_id;
  const account = accountNumber(own.party);
  const otherAccount = accountNumber(other.party);
  const country = countryOf(other);
  const { remittance = [], value_date } = of;
  return {
    amount: of.amount,
    counterparty,
    currency: of.currency,
    date: of.occurred_at.slice(0, 10),
    direction: of.direction === 'credit' ? 'credit' : 'debit',
    id: of.tx_id,
    ...(!isSubjects && { party: idOf(own, parties) }),
    ...(account !== undefined && { account }),
    ...(country !== undefined && { country }),
    ...(of.channel !== undefined && { channel: of.channel }),
    ...(otherAccount !== undefined && { counterparty_account: otherAccount }),
    ...(remittance.length > 0 && { description: remittance.join('\n') }),
    ...(value_date !== undefined && { value_date: value_date.slice(0, 10) }),
  };
}

/** One party however often it is paid: by its account, else by its name. */
function idOf(side: LoggedSide, parties: Map<string, PartyContent>): string {
  const { party } = side;
  const key = JSON.stringify([party?.name, accountNumber(party)]);
  const known = parties.get(key);
  if (known !== undefined) return known.id;
  const id = `p${parties.size + 1}`;
  parties.set(key, partyOf(id, party, side.agent));
  return id;
}

const accountNumber = (party: Party | undefined): string | undefined =>
  party?.account?.iban ?? party?.account?.other;

function partyOf(id: string, party: Party | undefined, agent: Agent | undefined): PartyContent {
  const { address, birth_place, country_of_residence, dob, name, type } = party ?? {};
  const account = accountOf(party, agent);
  const lines = address?.lines?.join(', ') ?? address?.street;
  return {
    id,
    is_customer: false,
    kind: type === 'organisation' ? 'organisation' : 'person',
    ...(name !== undefined && { name }),
    ...(dob !== undefined && { birth_date: dob }),
    ...(birth_place !== undefined && { birth_place }),
    ...(country_of_residence !== undefined && { residence: country_of_residence }),
    ...(account !== undefined && { accounts: [account] }),
    ...(lines !== undefined &&
      address?.country !== undefined && {
        addresses: [
          {
            address: lines,
            country: address.country,
            ...(address.town !== undefined && { city: address.town }),
            ...(address.post_code !== undefined && { zip: address.post_code }),
          },
        ],
      }),
  };
}

function accountOf(party: Party | undefined, agent: Agent | undefined): Account | undefined {
  const account = accountNumber(party);
  if (account === undefined) return undefined;
  const { bic, name } = agent ?? {};
  return {
    account,
    ...(party?.account?.iban !== undefined && { iban: party.account.iban }),
    ...(bic !== undefined && { swift: bic }),
    ...(name !== undefined && { institution_name: name }),
  };
}

/** Residence, address, bank: the first that is known. */
function countryOf({ agent, party }: LoggedSide): string | undefined {
  return (
    party?.country_of_residence ??
    party?.address?.country ??
    agent?.country ??
    agent?.bic?.slice(4, 6) ??
    party?.account?.iban?.slice(0, 2)
  );
}
