/**
 * The database of an installation in the hands of whoever can write it, on either store: what a
 * test changes by it has no entry, and the service knows nothing of it.
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Config } from '#platform/config';
import { type AlterDocuments, alterMongo, alterSqlite } from './alterDocuments.ts';
import { withDatabase } from './mongo/withDatabase.ts';

export interface Forger {
  /** Text replaced in every document of a table; throws where none has it. */
  alter(table: string, from: string, to: string): Promise<void>;
  /** Documents of a table that have this text are taken away; throws where none has it. */
  remove(table: string, text: string): Promise<void>;
  /** Processes that read the lists look at once, as after a publication. */
  tellOfLists(): Promise<void>;
  /** Whether any document still has one of these words. */
  holds(words: readonly string[]): Promise<boolean>;
}

export function forgerOf({ dataDir, mongodb }: Pick<Config, 'dataDir' | 'mongodb'>): Forger {
  return mongodb === undefined ? ofSqlite(dataDir) : ofMongo(mongodb.url);
}

const altering = (alter: AlterDocuments): Forger['alter'] => {
  return async (table, from, to) => requireSome(await alter(table, from, to), table, from);
};

function requireSome(count: number, table: string, text: string): void {
  if (count === 0) throw new Error(`${table}: nothing has ${text}`);
}

function ofSqlite(dataDir: string): Forger {
  const within = <Value>(work: (database: DatabaseSync) => Value): Value => {
    const file = join(dataDir, 'store', 'compliance.sqlite');
    const database = new DatabaseSync(file, { timeout: 10_000 });
    try {
      return work(database);
    } finally {
      database.close();
    }
  };
  return {
    alter: altering(alterSqlite(dataDir)),
    // The test that asks looks at the files themselves.
    holds: async () => false,
    async remove(table, text) {
      const sql = `DELETE FROM "${table}" WHERE instr(document, ?) > 0`;
      const { changes } = within((database) => database.prepare(sql).run(text));
      requireSome(Number(changes), table, text);
    },
    async tellOfLists() {
      const sql = 'UPDATE publication_counter SET publications = publications + 1';
      within((database) => database.prepare(sql).run());
    },
  };
}

function ofMongo(url: string): Forger {
  return {
    alter: altering(alterMongo(url)),
    holds: (words) =>
      withDatabase(url, async (db) => {
        for (const { name } of await db.listCollections().toArray()) {
          for await (const document of db.collection(name).find()) {
            const text = JSON.stringify(document);
            if (words.some((word) => text.includes(word))) return true;
          }
        }
        return false;
      }),
    remove: (table, text) =>
      withDatabase(url, async (db) => {
        const documents = await db.collection<{ document: string }>(table).find().toArray();
        const found = documents.filter(({ document }) => document.includes(text));
        requireSome(found.length, table, text);
        for (const { _id } of found) await db.collection(table).deleteOne({ _id });
      }),
    tellOfLists: () =>
      withDatabase(url, async (db) => {
        const state = db.collection<{ _id: string; no: number }>('store_state');
        await state.updateOne({ _id: 'publications' }, { $inc: { no: 1 } }, { upsert: true });
      }),
  };
}
