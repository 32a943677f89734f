/** A SQLite store in a folder of its own, gone when the test ends. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { TABLES } from '../../../src/app/tables.ts';
import { openStorage } from '../../../src/storage/index.ts';
import { createTestClock, type StoreHarness } from '../contract/harness.ts';

export async function makeSqliteHarness(): Promise<StoreHarness & { dataDir: string }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'storage-sqlite-'));
  const clock = createTestClock();
  return {
    clock,
    dataDir,
    open: (tables = TABLES) => openStorage({ clock, dataDir, tables }),
    async alter(table, from, to) {
      const file = join(dataDir, 'store', 'compliance.sqlite');
      const database = new DatabaseSync(file, { timeout: 10_000 });
      try {
        const text = `UPDATE "${table}" SET document = replace(document, ?1, ?2)
          WHERE instr(document, ?1) > 0`;
        return Number(database.prepare(text).run(from, to).changes);
      } finally {
        database.close();
      }
    },
    dispose: () => rm(dataDir, { recursive: true, force: true }),
  };
}
