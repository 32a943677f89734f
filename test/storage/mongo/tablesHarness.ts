/** A MongoDB store with declared tables, in a database of its own on the shared test server. */
import assert from 'node:assert/strict';
import type { AnyTable, ChainId, TableChange } from '#core/kernel';
import { openStorage, type Storage, type TransactionMode } from '../../../src/storage/index.ts';
import { append } from '../contract/harness.ts';
import type { OpenTables, TablesStore } from '../contract/twins.ts';
import { type MongoHarness, mongoHarness } from './harness.ts';
import type { MongoTestServer } from './server.ts';

/** Another process on the same data. */
export function openDeclared(
  { clock, url }: MongoHarness,
  transactions: TransactionMode,
  tables: readonly AnyTable[],
): Promise<Storage> {
  return openStorage({ clock, dataDir: '/nonexistent', mongodbUrl: url, tables, transactions });
}

/** What a storage that was opened with tables has. */
export function tablesIn({ tables }: Storage) {
  assert(tables !== undefined);
  return tables;
}

/** A group of one event and these changes; answers where it is stale. */
export async function commitTo(
  storage: Storage,
  chainId: string,
  changes: readonly TableChange[],
): Promise<'appended' | number> {
  const { result } = await append(storage, { chain: chainId as ChainId, changes });
  if (result.kind === 'stale') return result.changeIndex;
  assert.equal(result.kind, 'appended');
  return 'appended';
}

/** As the contract of tables opens a store. */
export function openMongoTables(
  server: () => MongoTestServer,
  transactions: TransactionMode,
): OpenTables {
  return async (tables) => {
    const harness = await mongoHarness(server, transactions)();
    return {
      dispose: harness.dispose,
      open: async (): Promise<TablesStore> => {
        const storage = await openDeclared(harness, transactions, tables);
        return {
          append: (chainId, changes) => commitTo(storage, chainId, changes),
          close: storage.close,
          eventCount: async (chainId) => (await storage.audit.head(chainId as ChainId)).seq,
          tables: tablesIn(storage),
        };
      },
    };
  };
}
