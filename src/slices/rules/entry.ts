/**
 * A transaction as rules see it: its amount in the base currency, its sides, its countries, and
 * what was known of the customer when it happened. Made once, when the transaction is read from the
 * log, from what its segment pins; nothing of it depends on anything that comes later, but for a
 * reversal.
 */
import {
  type PartyRole,
  type PartyVerdict,
  type StreamedTransaction,
  TEXT_ROLES,
  type Transaction,
} from '#slices/monitoring';
import { type Int, minorOf, narrow } from './exactNumbers.ts';
import type { Entry, EntryFacts, EntryTexts, Money } from './series.ts';

export {
  byPosition,
  countsAt,
  type Entry,
  type EntryFacts,
  type EntryTexts,
  type Money,
  type Position,
} from './series.ts';

/** What an entry is made with. */
export interface EntryContext {
  /** That of `toBase`; 0: none. */
  readonly ratesVersion?: number;
  /** Digits after the point, by currency. */
  readonly exponentOf: (currency: string) => number | undefined;
  /** In minor units of the base currency at this date; undefined where no rate is known. */
  readonly toBase: (
    money: { readonly amount: string; readonly currency: string },
    date: string,
  ) => bigint | undefined;
  readonly factsOf: (
    customerId: string,
    at: number,
  ) =>
    | {
        readonly riskTier?: string;
        readonly residence?: string;
        readonly openedAt?: string;
        readonly expectedTurnover?: { readonly amount: string; readonly currency: string };
      }
    | undefined;
}

const LISTS = ['intermediaries', 'previous', 'reimbursement'] as const;
const PARTIES = ['debtor', 'creditor', 'ultimate_debtor', 'ultimate_creditor'] as const;
const AGENTS = ['debtor_agent', 'creditor_agent', 'instructing_agent', 'instructed_agent'] as const;
const BIC_COUNTRY = [4, 6] as const;
const IBAN_COUNTRY = /^[A-Z]{2}[0-9]{2}/;

/** Strings that many transactions share are kept once. */
const interned = new Map<string, string>();
const INTERNED_MAX = 200_000;

function intern(text: string): string {
  const known = interned.get(text);
  if (known !== undefined) return known;
  if (interned.size < INTERNED_MAX) interned.set(text, text);
  return text;
}

/** The transaction as rules see it. */
export function entryOf(
  {
    ingest,
    parties,
    receivedAt,
    text,
    tseq,
    txId,
  }: Pick<StreamedTransaction, 'ingest' | 'parties' | 'receivedAt' | 'text' | 'tseq' | 'txId'>,
  transaction: Transaction,
  context: EntryContext,
): Entry {
  const { amount, currency, occurred_at, reverses, status = 'settled' } = transaction;
  const at = Date.parse(occurred_at);
  const date = occurred_at.slice(0, 10);
  const base = context.toBase({ amount, currency }, date);
  const exponent = context.exponentOf(currency) ?? 2;
  const sides = {
    creditor: countryOf(transaction, 'creditor'),
    debtor: countryOf(transaction, 'debtor'),
  };
  const { facts, turnover } = factsOf(transaction, at, context);
  const isKnown = sides.creditor !== undefined && sides.debtor !== undefined;
  return {
    amount: monetary(base),
    at,
    countries: countriesOf(transaction),
    ...(isKnown && { crossBorder: sides.creditor !== sides.debtor }),
    facts,
    infoMissing: isInfoMissing(transaction),
    ...(ingest !== undefined && { ingest }),
    isCounted: reverses === undefined && status !== 'rejected',
    own: minorOf(amount, exponent),
    ownUnit: 10 ** exponent,
    receivedAt,
    ...(reverses !== undefined && { reverses }),
    series: {},
    terms: text?.terms.map(intern) ?? NO_TERMS,
    texts: textsOf(transaction, status, sides),
    tseq,
    txId,
    ...((base === undefined || turnover !== undefined) && {
      unrated: {
        ...(base === undefined && { amount: { amount, currency } }),
        ...(turnover !== undefined && { turnover }),
        ratesVersion: context.ratesVersion ?? 0,
      },
    }),
    verdicts: verdictsOf(parties),
  };
}

/** A converted amount as figures take it. */
export const monetary = (minor: bigint | undefined): Int | undefined =>
  minor === undefined ? undefined : narrow(minor);

function textsOf(
  transaction: Transaction,
  status: string,
  sides: { readonly creditor: string | undefined; readonly debtor: string | undefined },
): EntryTexts {
  const { account_id, channel, currency, customer_id, direction, product, purpose } = transaction;
  const isDebit = direction === 'debit';
  const other = isDebit ? transaction.creditor : transaction.debtor;
  const counterparty = direction === 'transit' ? undefined : partyKey(other);
  const country = isDebit ? sides.creditor : sides.debtor;
  const type = (isDebit ? transaction.debtor : transaction.creditor)?.type;
  return {
    account: intern(account_id),
    currency: intern(currency),
    direction,
    status,
    ...(channel !== undefined && { channel }),
    ...(counterparty !== undefined && { counterparty: intern(counterparty) }),
    ...(country !== undefined && { counterparty_country: intern(country) }),
    ...(customer_id !== undefined && { customer: intern(customer_id) }),
    ...(type !== undefined && { customer_type: type }),
    ...(product !== undefined && { product: intern(product) }),
    ...(purpose !== undefined && { purpose: intern(purpose) }),
  };
}

/** By what a party is told from others: its account, else its name. */
function partyKey(party: Transaction['debtor']): string | undefined {
  const account = party?.account?.iban ?? party?.account?.other ?? party?.account?.proxy;
  if (account !== undefined) return account;
  const name = party?.name?.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim();
  return name === undefined || name === '' ? undefined : `name:${name}`;
}

type Agent = NonNullable<Transaction['debtor_agent']>;

const bicCountry = (bic: string | undefined): string | undefined => bic?.slice(...BIC_COUNTRY);

const agentCountry = (agent: Agent | undefined): string | undefined =>
  agent?.country ?? bicCountry(agent?.bic);

const ibanCountry = (iban: string | undefined): string | undefined =>
  iban !== undefined && IBAN_COUNTRY.test(iban) ? iban.slice(0, 2) : undefined;

/** Where the money of a side is: its bank's country, else its account's, else its own. */
function countryOf(transaction: Transaction, side: 'debtor' | 'creditor'): string | undefined {
  const party = transaction[side];
  return (
    agentCountry(transaction[`${side}_agent`]) ??
    ibanCountry(party?.account?.iban) ??
    bicCountry(party?.bic) ??
    party?.address?.country ??
    party?.country_of_residence
  );
}

function countriesOf(transaction: Transaction): readonly string[] {
  const found = new Set<string>();
  const note = (country: string | undefined): void => {
    if (country !== undefined && country !== '') found.add(intern(country));
  };
  for (const role of PARTIES) {
    const party = transaction[role];
    if (party === undefined) continue;
    note(party.address?.country);
    note(party.country_of_residence);
    note(ibanCountry(party.account?.iban));
    note(bicCountry(party.bic));
    for (const { country } of party.ids ?? []) note(country);
  }
  for (const role of AGENTS) note(agentCountry(transaction[role]));
  for (const list of LISTS) for (const agent of transaction[list] ?? []) note(agentCountry(agent));
  return [...found].sort();
}

/** Name, account, and an address, an id or a date of birth: FATF's recommendation 16. */
function isInfoMissing({ creditor, debtor }: Transaction): boolean {
  const hasAccount = (party: Transaction['debtor']): boolean =>
    (party?.account?.iban ?? party?.account?.other ?? party?.account?.proxy) !== undefined;
  const hasName = (party: Transaction['debtor']): boolean => (party?.name ?? '') !== '';
  const isPlaced =
    debtor?.address !== undefined || (debtor?.ids ?? []).length > 0 || debtor?.dob !== undefined;
  const isWhole = [debtor, creditor].every((party) => hasName(party) && hasAccount(party));
  return !(isWhole && isPlaced);
}

const NO_TERMS: readonly string[] = [];
const QUIET: ReadonlySet<string> = new Set(['CLEAR', 'UNSCREENED']);
const TEXTS: ReadonlySet<string> = new Set(TEXT_ROLES);

/** Verdicts on parties alone: who is named in a text need not be one. */
const verdictsOf = (parties: readonly (PartyVerdict & { readonly role: PartyRole })[]) =>
  parties.length === 0
    ? NO_VERDICTS
    : [
        ...new Set(
          parties.flatMap(({ decision, role }) =>
            QUIET.has(decision) || TEXTS.has(role) ? [] : [decision],
          ),
        ),
      ].sort();
const NO_VERDICTS: readonly string[] = [];
const NO_FACTS: { readonly facts: EntryFacts; readonly turnover?: Money } = { facts: {} };

function factsOf(
  { customer_id }: Transaction,
  at: number,
  { factsOf: find, toBase }: EntryContext,
): { readonly facts: EntryFacts /** No rate is known for it. */; readonly turnover?: Money } {
  const found = customer_id === undefined ? undefined : find(customer_id, at);
  if (found === undefined) return NO_FACTS;
  const { expectedTurnover, openedAt, residence, riskTier } = found;
  const date = new Date(at).toISOString().slice(0, 10);
  const turnover = expectedTurnover && toBase(expectedTurnover, date);
  const opened = openedAt === undefined ? Number.NaN : Date.parse(`${openedAt}T00:00:00Z`);
  const facts = {
    ...(riskTier !== undefined && { riskTier }),
    ...(residence !== undefined && { residence }),
    ...(turnover !== undefined && { expectedTurnover: narrow(turnover) }),
    // In a zone east of UTC an account may be used before its day has begun there.
    ...(Number.isFinite(opened) && { age: Math.max(0, at - opened) }),
  };
  const isUnrated = expectedTurnover !== undefined && turnover === undefined;
  return { facts, ...(isUnrated && { turnover: expectedTurnover }) };
}
