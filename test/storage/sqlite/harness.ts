/** A SQLite store in a folder of its own, gone when the test ends. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AnyTable } from '#core/kernel';
import { TABLES } from '../../../src/app/tables.ts';
import { openStorage } from '../../../src/storage/index.ts';
import { alterSqlite } from '../alterDocuments.ts';
import { createTestClock, type StoreHarness } from '../contract/harness.ts';
import { layOutStore } from './layOutStore.ts';

type SqliteHarness = StoreHarness & { readonly dataDir: string };

/** The store has its tables before it is opened. */
export async function makeSqliteHarness(): Promise<SqliteHarness> {
  const harness = await makeNewSqliteHarness();
  let laidOut: Promise<void> | undefined;
  return {
    ...harness,
    open: async (tables: readonly AnyTable[] = TABLES) => {
      laidOut ??= layOutStore(harness.dataDir, tables);
      await laidOut;
      return harness.open(tables);
    },
  };
}

/** The first who opens the store makes its file. */
export async function makeNewSqliteHarness(): Promise<SqliteHarness> {
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
