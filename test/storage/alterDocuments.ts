/** Text replaced in the documents of a table, as whoever can write the database does it. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { withDatabase } from './mongo/withDatabase.ts';

/** Answers how many records have changed. */
export type AlterDocuments = (table: string, from: string, to: string) => Promise<number>;

/** Of an embedded installation, running or not; what forbids it is taken away meanwhile. */
export const alterSqlite =
  (dataDir: string): AlterDocuments =>
  async (table, from, to) => {
    const file = join(dataDir, 'store', 'compliance.sqlite');
    const database = new DatabaseSync(file, { timeout: 10_000 });
    try {
      const text = `UPDATE "${table}" SET document = replace(document, ?1, ?2)
        WHERE instr(document, ?1) > 0`;
      const triggers = database
        .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?")
        .all(table);
      for (const { name } of triggers) database.exec(`DROP TRIGGER "${name}"`);
      const { changes } = database.prepare(text).run(from, to);
      for (const { sql } of triggers) database.exec(String(sql));
      return Number(changes);
    } finally {
      database.close();
    }
  };

/** On a server. */
export const alterMongo =
  (url: string): AlterDocuments =>
  (table, from, to) =>
    withDatabase(url, async (db) => {
      const collection = db.collection<{ document: string }>(table);
      const found = (await collection.find().toArray()).filter(({ document }) =>
        document.includes(from),
      );
      for (const { _id, document } of found) {
        const next = { document: document.replaceAll(from, to) };
        await collection.updateOne({ _id }, { $set: next });
      }
      return found.length;
    });
