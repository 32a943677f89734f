/** Which blobs records name: what the declarations of their tables say, and nothing else. */
import {
  type AnyTable,
  everyRecord,
  type Table,
  type TableRecord,
  type Tables,
} from '#core/kernel';

/**
 * Addresses of every blob that a record names, table by table, some of them several times. A record
 * that comes meanwhile may be passed over: what it names has just been put.
 */
export async function* namedBlobs(
  tables: Pick<Tables, 'page'>,
  declared: readonly AnyTable[],
): AsyncGenerator<string> {
  for (const table of declared as readonly Table<TableRecord, never>[]) {
    const { blobs } = table.spec;
    if (blobs === undefined) continue;
    for await (const record of everyRecord(tables, table, { index: 'key' })) yield* blobs(record);
  }
}
