/** Events altered in an embedded store, as whoever can write its file does it. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

interface Altered {
  readonly chainId: string;
  readonly seq: number;
  /** Text of the body that becomes `to`. */
  readonly from?: string;
  readonly to?: string;
  /** The store's copy of its action becomes this one: its text stays. */
  readonly action?: string;
  /** The event is taken away. */
  readonly isGone?: boolean;
  /** Its open members are taken away. */
  readonly isUnbound?: boolean;
}

export function alterEvent(
  dataDir: string,
  { action, chainId, from, isGone, isUnbound, seq, to }: Altered,
): void {
  const database = new DatabaseSync(join(dataDir, 'store', 'compliance.sqlite'), {
    timeout: 10_000,
  });
  try {
    const triggers = database
      .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
      .all();
    for (const { name } of triggers) database.exec(`DROP TRIGGER "${name}"`);
    const place = 'WHERE chain = (SELECT id FROM chain WHERE chain_id = ?) AND seq = ?';
    const run = (sql: string, ...given: readonly (number | string)[]) =>
      Number(database.prepare(sql).run(...given).changes);
    let changes = 0;
    if (from !== undefined && to !== undefined) {
      changes += run(
        `UPDATE audit_event SET body = replace(body, ?, ?) ${place}`,
        from,
        to,
        chainId,
        seq,
      );
    }
    if (action !== undefined) {
      changes += run(`UPDATE audit_event SET action = ? ${place}`, action, chainId, seq);
    }
    if (isGone) changes += run(`DELETE FROM audit_event ${place}`, chainId, seq);
    if (isUnbound) changes += run(`DELETE FROM audit_open ${place}`, chainId, seq);
    assert(changes === 1, 'one event is altered');
    for (const { sql } of triggers) database.exec(String(sql));
  } finally {
    database.close();
  }
}
