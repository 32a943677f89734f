/** Accounts into a book, some hundreds in a commit: a later one of a reference takes its place. */
import { type Asker, type EventDraft, entry, type IdempotencyRecord, overwrite } from '#core/audit';
import { type DataKey, dataKeyTable, putSealed } from '#core/blobs';
import { chainOf, DomainError, type TableChange } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import type { ReportedAccount } from './account.ts';
import {
  type BookName,
  bookDigest,
  bookTarget,
  chainWith,
  emptyShelf,
  findBook,
  PlaceSum,
  shelfKey,
  shelfName,
} from './accountBooks.ts';
import type { TaxPorts } from './ports.ts';
import {
  type AccountBook,
  type AccountPlace,
  type AccountSegment,
  accountBookTable,
  accountPlaceTable,
  accountSegmentTable,
} from './tables.ts';

/** Accounts of one commit. */
export const SEGMENT_ACCOUNTS_MAX = 500;
const SALT_BYTES = 16;
/** What the blob of a segment is sealed for. */
export const SEGMENT_LABEL = 'tax-account-segment';

/** What goes with the accounts in their commit. */
export interface BesideAccounts {
  readonly changes: readonly TableChange[];
  /** Members of the entry. */
  readonly members: Readonly<Record<string, number | string>>;
}

/** Whose accounts, and what goes with them. */
export interface TakeAccounts extends BookName, Asker {
  /** Checked, at most SEGMENT_ACCOUNTS_MAX. */
  readonly accounts: readonly ReportedAccount[];
  /** The import that they are of; while one runs, no others are taken. */
  readonly importId?: string;
  readonly beside?: BesideAccounts;
  readonly idempotency?: () => IdempotencyRecord;
}

/** Throws `import-running`, `state-altered`, and StaleChange where an import is another's now. */
export async function takeAccounts(ports: TaxPorts, ask: TakeAccounts): Promise<AccountBook> {
  const accounts = lastOfEach(ask.accounts);
  const content = contentOf(ports, accounts);
  return overwrite(() => takeOnce(ports, { ...ask, accounts }, content), {
    // The hold and the record of an import stand first: another worker has it.
    mayRepeat: ({ changeIndex }) => ask.importId === undefined || changeIndex > 1,
  });
}

interface SegmentContent {
  readonly bytes: Buffer;
  readonly hash: string;
}

async function takeOnce(
  ports: TaxPorts,
  ask: TakeAccounts,
  content: SegmentContent,
): Promise<AccountBook> {
  const now = ports.clock.now();
  const before = await findBook(ports, ask);
  requireFree(before, ask.importId);
  const book = before ?? newBook(ask, now);
  const onto = book.staged ?? book.shelf;
  const shelf = shelfName(ask, onto.epoch);
  const { changes: keyChanges, key } = await keyOf(ports, ask, shelf);
  const segment: AccountSegment = {
    accounts: ask.accounts.length,
    blob: await putSealed(ports, content.bytes, { label: SEGMENT_LABEL, secret: key.secret }),
    contentHash: content.hash,
    createdAt: now,
    segmentNo: onto.segments,
    shelf,
    tenantId: ask.tenantId,
  };
  const placed = await placesOf(ports, { accounts: ask.accounts, from: onto.sum, segment });
  const filled = {
    ...onto,
    accounts: onto.accounts + placed.more,
    segmentChain: chainWith(onto.segmentChain, segment),
    segments: onto.segments + 1,
    sum: placed.sum,
  };
  const next: AccountBook = {
    ...book,
    ...(book.staged === undefined ? { shelf: filled } : { staged: filled }),
    updatedAt: now,
    version: (before?.version ?? 0) + 1,
  };
  await ports.commit(chainOf(ask.tenantId), {
    bus: [],
    changes: [
      ...(ask.beside?.changes ?? []),
      accountBookTable.put(next, before?.version ?? 0),
      ...keyChanges,
      accountSegmentTable.insert(segment),
      ...placed.changes,
    ],
    events: [takenEntry(ports, ask, { book: next, segment })],
    ...(ask.idempotency !== undefined && { idempotency: ask.idempotency }),
  });
  return next;
}

function requireFree(book: AccountBook | undefined, importId: string | undefined): void {
  if (book?.importId === importId) return;
  const detail =
    book?.importId === undefined
      ? 'the import of these accounts has ended'
      : `the import ${book.importId} of this institution and period has not ended`;
  throw new DomainError('import-running', { detail });
}

/** A book before its first account. */
export const newBook = (
  { giin, period, tenantId }: BookName,
  now: AccountBook['createdAt'],
): AccountBook => ({
  createdAt: now,
  epochs: 1,
  giin,
  period,
  shelf: emptyShelf(0),
  tenantId,
  updatedAt: now,
  version: 0,
});

async function keyOf(
  { dataKeys }: Pick<TaxPorts, 'dataKeys'>,
  name: BookName,
  shelf: string,
): Promise<{ readonly key: DataKey; readonly changes: readonly TableChange[] }> {
  const named = shelfKey(name, shelf);
  const key = await dataKeys.find(named);
  if (key !== undefined) return { changes: [], key };
  const made = dataKeys.make(named, { seeds: [] });
  return { changes: [dataKeyTable.insert(made.record)], key: made.key };
}

/** The rows as they become, and what they change in the sum. */
async function placesOf(
  { tables }: Pick<TaxPorts, 'tables'>,
  of: {
    readonly accounts: readonly ReportedAccount[];
    readonly from: string;
    readonly segment: AccountSegment;
  },
): Promise<{
  readonly changes: readonly TableChange[];
  readonly more: number;
  readonly sum: string;
}> {
  const { accounts, from, segment } = of;
  const { segmentNo, shelf, tenantId } = segment;
  const keys = accounts.map(({ account_ref: accountRef }) => ({ accountRef, shelf, tenantId }));
  const found = await tables.findMany(accountPlaceTable, keys);
  const known = new Map(found.map((place) => [place.accountRef, place]));
  const sum = new PlaceSum(shelf, from);
  const changes = accounts.map(({ account_ref: accountRef }, position) => {
    const before = known.get(accountRef);
    if (before !== undefined) sum.take(before);
    const version = (before?.version ?? 0) + 1;
    const place: AccountPlace = { accountRef, position, segmentNo, shelf, tenantId, version };
    sum.add(place);
    return accountPlaceTable.put(place, before?.version ?? 0);
  });
  return { changes, more: accounts.length - found.length, sum: sum.hex };
}

/** The accounts, each in a line behind a salt: without it a digest would tell who guesses. */
function contentOf(
  { random }: Pick<TaxPorts, 'random'>,
  accounts: readonly ReportedAccount[],
): SegmentContent {
  const salt = Buffer.from(random.bytes(SALT_BYTES)).toString('base64');
  const lines = [canonicalJson({ salt }), ...accounts.map((one) => canonicalJson(one as never))];
  const bytes = Buffer.from(lines.join('\n'));
  return { bytes, hash: sha256Hex(bytes) };
}

function lastOfEach(accounts: readonly ReportedAccount[]): readonly ReportedAccount[] {
  const last = new Map<string, ReportedAccount>();
  for (const account of accounts) {
    last.delete(account.account_ref);
    last.set(account.account_ref, account);
  }
  return [...last.values()];
}

function takenEntry(
  ports: Pick<TaxPorts, 'clock' | 'random'>,
  { actor, beside, ip }: TakeAccounts,
  { book, segment }: { readonly book: AccountBook; readonly segment: AccountSegment },
): EventDraft {
  return entry(ports, {
    action: 'tcr.accounts.taken',
    actor,
    at: book.updatedAt,
    members: {
      ...beside?.members,
      accounts: segment.accounts,
      book_digest: bookDigest(book),
      segment_no: segment.segmentNo,
    },
    target: bookTarget(book),
    ...(ip !== undefined && { ip }),
  });
}
