/**
 * Opens the store's file: pragmas, ownership check, migrations.
 *
 * WAL with synchronous=FULL: a commit is on disk when it returns, and readers never wait for it.
 * secure_delete: an erased open member is overwritten, not just unlinked.
 * Several processes may open a new file at once, so each step holds the write lock or is harmless
 * when repeated. After the opening, waiting for the lock is writeTogether's business (busy_timeout
 * 0): SQLite's own back-off sleeps up to 100 ms and lets a busy neighbour starve this process.
 */
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DomainError, type PlainTable } from '#core/kernel';
import type { Clock } from '#platform/clock';
import { isBusy, toStoreError } from './errors.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { sleepSync } from './sleepSync.ts';
import { areOutdated, prepareTables } from './table/schema.ts';

/** "CmpP": distinguishes our file from any other program's database. */
const APPLICATION_ID = 0x436d7050;
const OPEN_LOCK_WAIT_MS = 10_000;
const OPEN_RETRY_MS = 5;
/**
 * For the process that has the lock while it brings the file to this release: an index over all
 * evidence reads every event.
 */
const PREPARE_WAIT_MS = 3_600_000;
const WAITING = 'another process prepares the store for this release: waiting until it is done';
const READ_LOCK_WAIT_MS = 1_000;

export type Role = 'write' | 'read';

/** Throws `store-unavailable`, naming the file and the reason, for a file that cannot be ours. */
export function openDatabase(
  file: string,
  role: Role,
  clock: Clock,
  tables: readonly PlainTable[] = [],
  onWaiting: (why: string) => void = () => {},
): DatabaseSync {
  const open = () => openChecked(file, role, tables);
  try {
    return openPatiently(clock, { isBehind: () => isBehind(file, tables), onWaiting, open });
  } catch (error) {
    const known = toStoreError(error);
    if (!(known instanceof DomainError)) throw error;
    throw new DomainError('store-unavailable', {
      detail: `${file}: ${known.message}`,
      cause: error,
    });
  }
}

/** Changing to WAL and recovering a file answer "busy" at once, with any busy_timeout. */
function openPatiently(
  clock: Clock,
  ask: {
    readonly open: () => DatabaseSync;
    readonly isBehind: () => boolean;
    readonly onWaiting: (why: string) => void;
  },
): DatabaseSync {
  const begunMs = clock.monotonicMs();
  let waitMs = OPEN_LOCK_WAIT_MS;
  for (;;) {
    try {
      return ask.open();
    } catch (error) {
      if (!isBusy(error)) throw error;
      const isOver = clock.monotonicMs() - begunMs >= waitMs;
      if (isOver && (waitMs === PREPARE_WAIT_MS || !ask.isBehind())) throw error;
      if (isOver) {
        waitMs = PREPARE_WAIT_MS;
        ask.onWaiting(WAITING);
      }
      sleepSync(OPEN_RETRY_MS);
    }
  }
}

/** Whether the file is not what this release makes of it: who has the lock may be about to. */
function isBehind(file: string, tables: readonly PlainTable[]): boolean {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return pragma(database, 'user_version') < MIGRATIONS.length || areOutdated(database, tables);
  } catch (error) {
    if (!isBusy(error)) throw error;
    return false;
  } finally {
    database.close();
  }
}

function openChecked(file: string, role: Role, tables: readonly PlainTable[]): DatabaseSync {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const isNew = !existsSync(file);
  const database = new DatabaseSync(file, { timeout: OPEN_LOCK_WAIT_MS });
  try {
    if (isNew) chmodSync(file, 0o600);
    database.exec('PRAGMA page_size = 8192');
    assertOurs(database);
    database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA wal_autocheckpoint = 1000;
      PRAGMA journal_size_limit = 67108864;
      PRAGMA secure_delete = ON;
      PRAGMA recursive_triggers = ON;
      PRAGMA trusted_schema = OFF;
      PRAGMA cache_size = -16384;
      PRAGMA temp_store = MEMORY;
    `);
    migrate(database);
    if (role === 'write') prepareTables(database, tables);
    database.exec(
      role === 'write'
        ? 'PRAGMA busy_timeout = 0'
        : `PRAGMA query_only = ON; PRAGMA busy_timeout = ${READ_LOCK_WAIT_MS}`,
    );
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function pragma(database: DatabaseSync, name: string): number {
  const row = database.prepare(`PRAGMA ${name}`).get();
  const value = Object.values(row ?? {})[0];
  return typeof value === 'number' ? value : 0;
}

/** Before any write: a database of another program must stay as it was. */
function assertOurs(database: DatabaseSync): void {
  const applicationId = pragma(database, 'application_id');
  if (applicationId === APPLICATION_ID) return;
  const row = database.prepare('SELECT count(*) AS tables FROM sqlite_schema').get();
  if (applicationId === 0 && row?.tables === 0) return;
  throw new DomainError('store-unavailable', {
    detail: 'a SQLite database of another program (application_id differs)',
  });
}

function migrate(database: DatabaseSync): void {
  if (pragma(database, 'user_version') === MIGRATIONS.length) return;
  database.exec('BEGIN IMMEDIATE');
  // Read again under the lock: another process may have migrated meanwhile.
  const seen = pragma(database, 'user_version');
  if (seen > MIGRATIONS.length) {
    database.exec('ROLLBACK');
    throw new DomainError('store-unavailable', {
      detail:
        `written by a newer version of this program (schema ${seen}, ` +
        `this one knows ${MIGRATIONS.length}): upgrade, or restore a backup`,
    });
  }
  for (const migration of MIGRATIONS.slice(seen)) database.exec(migration);
  database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
  database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
  database.exec('COMMIT');
}
