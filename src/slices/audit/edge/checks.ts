/** Check of all records for `doctor`: each can be read, whichever table it is of. */
import { tellRefusals } from '#core/audit';
import { type AnyTable, PAGE_RECORDS_MAX, type PageCursor, type Table } from '#core/kernel';
import type { CliProcess, SliceCheck } from '../../processes.ts';

export const checks: readonly SliceCheck[] = [
  { isOfState: true, look: checkRecords, name: 'records' },
];

/** Throws where some cannot be read, with their tables and keys. */
export async function checkRecords({
  storage,
  tables,
}: Pick<CliProcess, 'storage' | 'tables'>): Promise<string> {
  const damaged: string[] = [];
  let count = 0;
  for (const table of tables) {
    let after: PageCursor | undefined;
    do {
      const page = await storage.tables.page(plain(table), {
        index: 'key',
        limit: PAGE_RECORDS_MAX,
        ...(after !== undefined && { after }),
      });
      count += page.records.length;
      damaged.push(...(page.damaged ?? []));
      after = page.next;
    } while (after !== undefined);
  }
  return tellRefusals(damaged, `${count} records can be read`);
}

/** The order of the key is every table's. */
const plain = (table: AnyTable) => table as Table<object, never>;
