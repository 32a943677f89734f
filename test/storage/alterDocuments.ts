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
      // What became of a chunk stands beside its document, as a former layout had it.
      const columns = database
        .prepare("SELECT name FROM pragma_table_info(?) WHERE name IN ('document', 'result')")
        .all(table)
        .map(({ name }) => String(name));
      const triggers = database
        .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?")
        .all(table);
      for (const { name } of triggers) database.exec(`DROP TRIGGER "${name}"`);
      let changed = 0;
      for (const column of columns) {
        const text = `UPDATE "${table}" SET "${column}" = replace("${column}", ?1, ?2)
          WHERE instr("${column}", ?1) > 0`;
        changed += Number(database.prepare(text).run(from, to).changes);
      }
      for (const { sql } of triggers) database.exec(String(sql));
      return changed;
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
