/**
 * Wrapped data keys of a backup, apart from it: one file beside all backups, in its latest state
 * only. A key that is destroyed is then gone from every backup, however old; in the copies of the
 * store themselves there is none.
 */
import { createReadStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { draftOf } from '#platform/draftFile';
import { BackupRefusal } from './manifest.ts';

const TABLE = 'data_key';
const ROWS_A_WRITE = 1_000;

type Row = Readonly<Record<string, SQLOutputValue>>;

/** Moves them to the file, which they replace; false: a store of a former release has none. */
export async function takeKeysOut(store: string, file: string): Promise<boolean> {
  const database = new DatabaseSync(store);
  try {
    if (!hasTable(database)) return false;
    await writeKeys(database, file);
    // VACUUM: the pages that held them are not copied on.
    database.exec(`PRAGMA secure_delete = ON; DELETE FROM ${TABLE}; VACUUM`);
    return true;
  } finally {
    database.close();
    await rm(`${store}-journal`, { force: true });
  }
}

async function writeKeys(database: DatabaseSync, file: string): Promise<void> {
  const draft = draftOf(file, 'tmp');
  const keys = await open(draft, 'wx', 0o600);
  let count = 0;
  try {
    let text = '';
    for (const row of database.prepare(`SELECT * FROM ${TABLE}`).iterate()) {
      text += `${JSON.stringify(row)}\n`;
      if (++count % ROWS_A_WRITE !== 0) continue;
      await keys.writeFile(text);
      text = '';
    }
    await keys.writeFile(text);
    await keys.sync();
    await rename(draft, file);
  } finally {
    await keys.close();
    await rm(draft, { force: true });
  }
}

/** Brings them back into a restored store, all or none. */
export async function putKeysBack(store: string, file: string): Promise<number> {
  const database = new DatabaseSync(store);
  try {
    database.exec('BEGIN IMMEDIATE');
    let count = 0;
    for await (const line of createInterface({ input: createReadStream(file) })) {
      const row = JSON.parse(line) as Row;
      const names = Object.keys(row);
      const places = names.map(() => '?').join(', ');
      database
        .prepare(`INSERT OR REPLACE INTO ${TABLE} (${names.join(', ')}) VALUES (${places})`)
        .run(...Object.values(row));
      count += 1;
    }
    database.exec('COMMIT');
    return count;
  } finally {
    database.close();
  }
}

/** Throws BackupRefusal where there is no such file. */
export async function refuseMissing(file: string): Promise<void> {
  const handle = await open(file, 'r').catch((cause: unknown) => {
    const refusal = new BackupRefusal(
      `${file}: expected the wrapped data keys of the last \`backup create\`; see --data-keys`,
    );
    throw Object.assign(refusal, { cause });
  });
  await handle.close();
}

function hasTable(database: DatabaseSync): boolean {
  const found = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?");
  return found.get(TABLE) !== undefined;
}
