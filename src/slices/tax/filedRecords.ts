/**
 * What an authority has on file of an institution, a period and a receiver, record by record, and
 * what may be sent of it. What was filed is the ledger: records of accepted messages in the order
 * in which they were accepted, and the errors that were answered. A correction names the latest
 * version and no other, so that the authority refuses none (tax.md 5.2 and 5.4).
 *
 * Records lie in a table in a file without a name, which the system removes however the process
 * ends: memory holds the pages in use, and does not grow with the accounts that were ever filed.
 * Reads and writes are synchronous: this is for a worker, not for the gateway.
 */
import { mkdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { draftOf, removeAbandonedDrafts } from '#platform/draftFile';
import type { ReportRegime } from './account.ts';

/** What a record says of the one before it. */
export type FiledType = 'amended' | 'corrected' | 'new' | 'resent' | 'void';

/** Digits of DocTypeIndic; amendments are known to FATCA alone, resent institutions to CRS. */
export const TYPE_DIGITS: Readonly<Record<FiledType, string>> = {
  amended: '4',
  corrected: '2',
  new: '1',
  resent: '0',
  void: '3',
};

/** One record of an accepted message. */
export interface FiledRecord {
  readonly docRefId: string;
  readonly messageRefId: string;
  readonly type: FiledType;
  readonly corrDocRefId?: string;
  /** The declaration that filed it. */
  readonly origin: string;
  /** Institution or sponsor: it stands in each message, and is there as long as accounts are. */
  readonly isFrame?: boolean;
  /** A digest of what it says. */
  readonly said?: string;
}

/** A record that is on file, in its latest version. */
export interface LiveRecord {
  readonly docRefId: string;
  readonly messageRefId: string;
  readonly isInError: boolean;
  /** The declaration that filed its first version. */
  readonly origin: string;
  /** A digest of what it says; institutions and sponsors have none. */
  readonly said?: string;
}

/** What a correction names. */
export interface Corrected {
  readonly docRefId: string;
  /** FATCA requires it, CRS forbids it. */
  readonly messageRefId?: string;
}

/** Codes of records that the IRS has not taken: the version before them stays. */
const NOT_TAKEN: ReadonlySet<string> = new Set([
  ...['8002', '8004', '8005', '8006', '8008', '8010', '8011', '8012'],
  ...['8014', '8016', '8017', '8018', '8020', '8021'],
]);

/** Nothing of it outlives the process, so nothing is made durable. `cache_size` is in KiB. */
const SETUP = `
  PRAGMA journal_mode = OFF;
  PRAGMA synchronous = OFF;
  PRAGMA cache_size = -16384;
  CREATE TABLE record (
    doc_ref TEXT PRIMARY KEY,
    message INTEGER NOT NULL,
    origin INTEGER NOT NULL,
    is_in_error INTEGER NOT NULL,
    said TEXT,
    next TEXT
  ) WITHOUT ROWID;
  BEGIN;
`;
/** In `next`: nothing took its place. */
const VOIDED = '';

type Row = NonNullable<ReturnType<StatementSync['get']>>;

/** The versions of all records of one ledger. To be closed. */
export class RecordLedger {
  readonly #regime: ReportRegime;
  readonly #database: DatabaseSync;
  readonly #find: StatementSync;
  readonly #put: StatementSync;
  readonly #follow: StatementSync;
  /** Messages and declarations, which are few; rows name them by their number. */
  readonly #names: string[] = [];
  readonly #numbers = new Map<string, number>();

  constructor(regime: ReportRegime, directory: string) {
    this.#regime = regime;
    this.#database = openNameless(directory);
    this.#find = this.#database.prepare('SELECT * FROM record WHERE doc_ref = ?');
    this.#put = this.#database.prepare(
      'INSERT OR REPLACE INTO record VALUES (?, ?, ?, ?, ?, NULL)',
    );
    this.#follow = this.#database.prepare('UPDATE record SET next = ? WHERE doc_ref = ?');
  }

  close(): void {
    this.#database.close();
  }

  /** A record was accepted, with the code of its error where it has one. */
  file(record: FiledRecord, errorCode?: string): void {
    const { corrDocRefId, docRefId, isFrame = false, messageRefId, said = null, type } = record;
    const isVoid = type === 'void' && !isFrame;
    if (type === 'resent' || (errorCode !== undefined && NOT_TAKEN.has(errorCode))) return;
    const former = corrDocRefId === undefined ? undefined : this.live(corrDocRefId);
    const origin = this.#numberOf(former?.origin ?? record.origin);
    if (corrDocRefId !== undefined) this.#follow.run(isVoid ? VOIDED : docRefId, corrDocRefId);
    if (isVoid) return;
    const isInError = errorCode === undefined ? 0 : 1;
    this.#put.run(docRefId, this.#numberOf(messageRefId), origin, isInError, said);
  }

  /** The record where it is the latest version and not voided. */
  live(docRefId: string): LiveRecord | undefined {
    const row = this.#find.get(docRefId);
    return row === undefined || row.next !== null ? undefined : this.#recordOf(row);
  }

  /** The latest version of a record, whichever version is named; undefined once it was voided. */
  latest(docRefId: string): LiveRecord | undefined {
    let row = this.#find.get(docRefId);
    while (row !== undefined && row.next !== null) {
      row = row.next === VOIDED ? undefined : this.#find.get(row.next ?? null);
    }
    return row && this.#recordOf(row);
  }

  /**
   * What a record of this type must name of that one; undefined where it would be refused: nothing
   * is on file, an error is amended, or what has none is corrected.
   */
  plan(docRefId: string, type: 'amended' | 'corrected' | 'void'): Corrected | undefined {
    const found = this.live(docRefId);
    if (found === undefined) return undefined;
    if (this.#regime === 'CRS') return type === 'amended' ? undefined : { docRefId };
    if (type === 'corrected' && !found.isInError) return undefined;
    if (type === 'amended' && found.isInError) return undefined;
    return { docRefId, messageRefId: found.messageRefId };
  }

  /** All that are on file. */
  *all(): Generator<LiveRecord> {
    const rows = this.#database.prepare('SELECT * FROM record WHERE next IS NULL');
    for (const row of rows.iterate()) yield this.#recordOf(row);
  }

  /** How many are on file that say something: accounts, pools and nil reports. */
  countSaid(): number {
    const sql = 'SELECT count(*) AS count FROM record WHERE next IS NULL AND said IS NOT NULL';
    return Number(this.#database.prepare(sql).get()?.count);
  }

  #recordOf({ doc_ref: docRefId, is_in_error: error, message, origin, said }: Row): LiveRecord {
    return {
      docRefId: String(docRefId),
      isInError: error === 1,
      messageRefId: this.#names[Number(message)] ?? '',
      origin: this.#names[Number(origin)] ?? '',
      ...(said !== null && { said: String(said) }),
    };
  }

  #numberOf(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.#numbers.set(name, this.#names.length);
    return this.#names.push(name) - 1;
  }
}

function openNameless(directory: string): DatabaseSync {
  mkdirSync(directory, { mode: 0o700, recursive: true });
  removeAbandonedDrafts(directory);
  const path = draftOf(join(directory, 'tax-ledger'), 'tmp');
  const database = new DatabaseSync(path);
  database.exec(SETUP);
  // Without a journal there is no other file beside it.
  unlinkSync(path);
  return database;
}
