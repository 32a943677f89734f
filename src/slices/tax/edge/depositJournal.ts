/**
 * The journal of one deposit, as a file beside its package. SQLite keeps it, because its lock is
 * the system's: it is held by one process, and gone with it however that ends.
 */
import { DatabaseSync } from 'node:sqlite';
import { DomainError } from '#core/kernel';
import type { DepositJournal, DepositState } from '#slices/tax';

const SETUP = `
  PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA journal_mode = DELETE;
  PRAGMA synchronous = FULL;
  BEGIN EXCLUSIVE;
  CREATE TABLE IF NOT EXISTS deposit (one INTEGER PRIMARY KEY CHECK (one = 1), state TEXT NOT NULL);
  COMMIT;
`;
/** SQLITE_BUSY. */
const BUSY = 5;

/** Throws `deposit-running` where another process has it. */
export function openJournal(file: string): DepositJournal & { close(): void } {
  const database = new DatabaseSync(file);
  try {
    database.exec(SETUP);
  } catch (error) {
    database.close();
    const isBusy = error instanceof Error && 'errcode' in error && error.errcode === BUSY;
    throw isBusy ? new DomainError('deposit-running', { detail: `${file} is in use` }) : error;
  }
  return {
    close: () => database.close(),
    read() {
      const row = database.prepare('SELECT state FROM deposit').get();
      return row === undefined ? undefined : (JSON.parse(String(row.state)) as DepositState);
    },
    write(state) {
      const sql =
        'INSERT INTO deposit VALUES (1, ?) ON CONFLICT DO UPDATE SET state = excluded.state';
      database.prepare(sql).run(JSON.stringify(state));
    },
  };
}
