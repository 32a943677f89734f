/** Accounts of a book as a list, with whether and why each goes into a report. */
import { type ReportedAccount, type ReportRegime, reportabilityOf } from './account.ts';
import { type BookName, findBook, type PlaceOf } from './accountBooks.ts';
import type { TaxReadPorts } from './ports.ts';
import { accountsAfter } from './walkAccounts.ts';

/** Which; an absent member matches all. */
export interface ListAccounts extends BookName {
  readonly regime: ReportRegime;
  readonly reportable?: boolean;
  /** Continues behind this place. */
  readonly after?: Pick<PlaceOf, 'segmentNo' | 'position'>;
  readonly limit: number;
}

/** One page; `next` is absent on the last one. */
export interface AccountsPage {
  readonly accounts: readonly ReportedAccount[];
  readonly next?: Pick<PlaceOf, 'segmentNo' | 'position'>;
}

/** Accounts that a page of a filtered book looks at: a short page has a next one. */
const EXAMINED_MAX = 5_000;

/** Throws `state-altered` for a book that is not what was signed. */
export async function listAccounts(ports: TaxReadPorts, ask: ListAccounts): Promise<AccountsPage> {
  const { after, limit, regime, reportable } = ask;
  const book = await findBook(ports, ask);
  const accounts: ReportedAccount[] = [];
  let last = after;
  let examined = 0;
  if (book === undefined) return { accounts };
  for await (const { account, position, segmentNo } of accountsAfter(ports, book, after)) {
    const isFull = accounts.length === limit || examined === EXAMINED_MAX;
    if (isFull) return { accounts, ...(last !== undefined && { next: last }) };
    examined += 1;
    last = { position, segmentNo };
    const isWanted =
      reportable === undefined || reportabilityOf(account, regime).reportable === reportable;
    if (isWanted) accounts.push(account);
  }
  return { accounts };
}
