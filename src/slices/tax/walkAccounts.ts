/** The accounts of a book, from its first segment on, some hundreds in memory at a time. */
import { openSealed } from '#core/blobs';
import { DomainError } from '#core/kernel';
import { sha256Hex } from '#platform/crypto';
import type { ReportedAccount } from './account.ts';
import {
  bookTarget,
  chainWith,
  emptyShelf,
  type PlaceOf,
  PlaceSum,
  shelfKey,
  shelfName,
} from './accountBooks.ts';
import type { TaxPorts } from './ports.ts';
import {
  type AccountBook,
  type AccountSegment,
  accountBookTable,
  accountPlaceTable,
  accountSegmentTable,
} from './tables.ts';
import { SEGMENT_LABEL } from './takeAccounts.ts';

const SEGMENTS_TOGETHER = 100;

/** An account with its place. */
export interface PlacedAccount extends Omit<PlaceOf, 'accountRef'> {
  readonly account: ReportedAccount;
}

type WalkPorts = Pick<TaxPorts, 'blobs' | 'dataKeys' | 'tables'>;

/**
 * Every account that holds, in the order of segments. Throws `state-altered` at the end where the
 * book is not what was signed, `state-conflict` where it has changed: until then what was read is
 * worth nothing.
 */
export async function* walkAccounts(
  ports: WalkPorts,
  book: AccountBook,
): AsyncGenerator<readonly PlacedAccount[]> {
  const name = shelfName(book, book.shelf.epoch);
  const sum = new PlaceSum(name, emptyShelf(0).sum);
  let chain = emptyShelf(0).segmentChain;
  let segments = 0;
  let accounts = 0;
  for await (const { held, segment } of segmentsFrom(ports, book, 0)) {
    chain = chainWith(chain, segment);
    segments += 1;
    accounts += held.length;
    for (const { account, position, segmentNo } of held) {
      sum.add({ accountRef: account.account_ref, position, segmentNo });
    }
    yield held;
  }
  const { shelf } = book;
  const isWhole =
    chain === shelf.segmentChain &&
    segments === shelf.segments &&
    accounts === shelf.accounts &&
    sum.hex === shelf.sum;
  if (isWhole) return;
  const now = await ports.tables.find(accountBookTable, book);
  if (now?.version !== book.version) {
    throw new DomainError('state-conflict', { detail: 'the accounts have changed meanwhile' });
  }
  const detail = `${bookTarget(book)}: its accounts are not those that were signed`;
  throw new DomainError('state-altered', { detail });
}

/** Accounts behind a place, for lists: what is shown is what is stored. */
export async function* accountsAfter(
  ports: WalkPorts,
  book: AccountBook,
  after: Pick<PlaceOf, 'segmentNo' | 'position'> | undefined,
): AsyncGenerator<PlacedAccount> {
  for await (const { held } of segmentsFrom(ports, book, after?.segmentNo ?? 0)) {
    for (const one of held) {
      const isBehind = after?.segmentNo !== one.segmentNo || one.position > after.position;
      if (isBehind) yield one;
    }
  }
}

async function* segmentsFrom(
  ports: WalkPorts,
  book: AccountBook,
  first: number,
): AsyncGenerator<{ readonly segment: AccountSegment; readonly held: readonly PlacedAccount[] }> {
  const { tenantId } = book;
  const shelf = shelfName(book, book.shelf.epoch);
  if (book.shelf.segments === 0) return;
  const key = await ports.dataKeys.find(shelfKey(book, shelf));
  if (key === undefined) throw new DomainError('blob-damaged', { detail: 'accounts: no key' });
  // Segments that came since the book was read are not its own.
  const to = book.shelf.segments;
  for (let from = first; from < to; from += SEGMENTS_TOGETHER) {
    const { records } = await ports.tables.page(accountSegmentTable, {
      equal: { shelf, tenantId },
      from,
      index: 'key',
      isWhole: true,
      limit: SEGMENTS_TOGETHER,
      to: Math.min(to, from + SEGMENTS_TOGETHER),
    });
    for (const segment of records) {
      yield { held: await heldOf(ports, segment, key.secret), segment };
    }
  }
}

async function heldOf(
  { blobs, tables }: WalkPorts,
  segment: AccountSegment,
  secret: Uint8Array,
): Promise<readonly PlacedAccount[]> {
  const { blob, contentHash, segmentNo, shelf, tenantId } = segment;
  const bytes = await blobs.get(blob);
  const plain = bytes && (await openSealed(bytes, { label: SEGMENT_LABEL, secret }));
  if (plain === undefined || sha256Hex(plain) !== contentHash) {
    throw new DomainError('blob-damaged', { detail: `accounts of segment ${segmentNo} are gone` });
  }
  const [, ...lines] = plain.toString().split('\n');
  const accounts = lines.map((line) => JSON.parse(line) as ReportedAccount);
  const keys = accounts.map(({ account_ref: accountRef }) => ({ accountRef, shelf, tenantId }));
  const places = await tables.findMany(accountPlaceTable, keys);
  const placeOf = new Map(places.map((place) => [place.accountRef, place]));
  return accounts.flatMap((account, position) => {
    const place = placeOf.get(account.account_ref);
    const isHeld = place?.segmentNo === segmentNo && place.position === position;
    return isHeld ? [{ account, position, segmentNo }] : [];
  });
}
