/**
 * A book holds the accounts of an institution and a period. They come in segments, each a sealed
 * blob that is never written again; a row for each account says in which segment it holds. The book
 * has a digest over all segments and a sum over all rows, and is signed with each change: whoever
 * reads a book from end to end knows whether a row was changed, put back or left out.
 */
import { createHash } from 'node:crypto';
import type { TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import type { TaxPorts } from './ports.ts';
import { digestOfRecord } from './signedTable.ts';
import {
  type AccountBook,
  type AccountPlace,
  type AccountSegment,
  type AccountShelf,
  accountBookTable,
} from './tables.ts';

const SUM_BITS = 512n;
const SUM_HEX_CHARS = 128;
const SUM_MASK = (1n << SUM_BITS) - 1n;

/** Which book. */
export type BookName = Pick<AccountBook, 'tenantId' | 'giin' | 'period'>;

/** As entries name it. */
export const bookTarget = ({ giin, period }: Pick<BookName, 'giin' | 'period'>) =>
  `tax-accounts:${giin}/${period}`;

/** SHA-256 hex of all of a book: it stands for every account that holds. */
export const bookDigest = digestOfRecord<AccountBook>('tax-account-book-v1');

/** Name of the shelf of an epoch. */
export const shelfName = ({ giin, period }: Pick<BookName, 'giin' | 'period'>, epoch: number) =>
  `${giin}/${period}/${epoch}`;

/** Name of the data key of a shelf. */
export const shelfKey = ({ tenantId }: { readonly tenantId: TenantId }, shelf: string) => ({
  keyId: `tax-accounts/${tenantId}/${shelf}`,
  tenantId,
});

/** A shelf with nothing on it. */
export const emptyShelf = (epoch: number): AccountShelf => ({
  accounts: 0,
  epoch,
  segmentChain: '0'.repeat(64),
  segments: 0,
  sum: '0'.repeat(SUM_HEX_CHARS),
});

/** The book as it was signed; undefined where no account ever came. Throws `state-altered`. */
export async function findBook(
  { signedBooks, tables }: Pick<TaxPorts, 'signedBooks' | 'tables'>,
  { giin, period, tenantId }: BookName,
): Promise<AccountBook | undefined> {
  const found = await tables.find(accountBookTable, { giin, period, tenantId });
  return found && (await signedBooks.require(found));
}

/** The chain with one segment more. */
export const chainWith = (chain: string, segment: AccountSegment): string =>
  sha256Hex(`tax-account-segments-v1\0${chain}\0${canonicalJson(segment as never)}`);

/** The part of an account's place that counts. */
export type PlaceOf = Pick<AccountPlace, 'accountRef' | 'segmentNo' | 'position'>;

/** A sum that places are added to and taken from, in any order. */
export class PlaceSum {
  #value: bigint;
  readonly #shelf: string;

  constructor(shelf: string, from: string) {
    this.#shelf = shelf;
    this.#value = BigInt(`0x${from}`);
  }

  add(place: PlaceOf): void {
    this.#value = (this.#value + this.#of(place)) & SUM_MASK;
  }

  take(place: PlaceOf): void {
    this.#value = (this.#value - this.#of(place)) & SUM_MASK;
  }

  get hex(): string {
    return this.#value.toString(16).padStart(SUM_HEX_CHARS, '0');
  }

  #of({ accountRef, position, segmentNo }: PlaceOf): bigint {
    const of = canonicalJson([this.#shelf, accountRef, segmentNo, position]);
    return BigInt(`0x${createHash('sha512').update(`tax-account-place-v1\0${of}`).digest('hex')}`);
  }
}
