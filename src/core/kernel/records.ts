/** What is done with all records of a table, or of many: in steps, as `Tables` takes them. */
import type { EpochMs } from '#platform/clock';
import { type AnyTable, type FieldOf, plainTable, type Table, type TableRecord } from './table.ts';
import {
  PAGE_RECORDS_MAX,
  type Page,
  type PageAsk,
  type PageCursor,
  type Tables,
} from './tables.ts';

/** Which records, in which order: a page without its bounds. */
export type RecordsAsk = Omit<PageAsk, 'after' | 'limit'>;

/**
 * Every record of these, in the order asked, a page in memory at a time. One that is there from the
 * first page to the last is met once; one that comes or goes meanwhile may be met or not.
 */
export async function* everyRecord<R extends TableRecord, K extends FieldOf<R>>(
  tables: Pick<Tables, 'page'>,
  table: Table<R, K>,
  ask: RecordsAsk,
): AsyncGenerator<R> {
  let after: PageCursor | undefined;
  do {
    const page: Page<R> = await tables.page(table, {
      ...ask,
      limit: PAGE_RECORDS_MAX,
      ...(after !== undefined && { after }),
    });
    yield* page.records;
    after = page.next;
  } while (after !== undefined);
}

/** As `everyRecord`, at once in memory: for tables of few records. */
export async function allRecords<R extends TableRecord, K extends FieldOf<R>>(
  tables: Pick<Tables, 'page'>,
  table: Table<R, K>,
  ask: RecordsAsk,
): Promise<readonly R[]> {
  const all: R[] = [];
  for await (const record of everyRecord(tables, table, ask)) all.push(record);
  return all;
}

/**
 * Removes the records that are past the time that their tables keep them, in the store's own steps;
 * answers how many went. Safe beside commits and beside itself.
 */
export async function purgeRecords(
  tables: Pick<Tables, 'purge'>,
  declared: readonly AnyTable[],
  now: EpochMs,
): Promise<number> {
  let removed = 0;
  for (const table of declared.filter((one) => plainTable(one).spec.kept !== undefined)) {
    let step: number;
    do {
      step = await tables.purge(table, now);
      removed += step;
    } while (step === PAGE_RECORDS_MAX);
  }
  return removed;
}
