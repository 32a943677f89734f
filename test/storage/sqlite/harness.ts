/** A SQLite store in a folder of its own, gone when the test ends. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TABLES } from '../../../src/app/tables.ts';
import { openStorage } from '../../../src/storage/index.ts';
import { alterSqlite } from '../alterDocuments.ts';
import { createTestClock, type StoreHarness } from '../contract/harness.ts';

export async function makeSqliteHarness(): Promise<StoreHarness & { dataDir: string }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'storage-sqlite-'));
  const clock = createTestClock();
  return {
    clock,
    dataDir,
    open: (tables = TABLES) => openStorage({ clock, dataDir, tables }),
    alter: alterSqlite(dataDir),
    dispose: () => rm(dataDir, { recursive: true, force: true }),
  };
}
