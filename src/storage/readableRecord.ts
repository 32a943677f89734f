/**
 * Stored rows as records, where some cannot be read: one that is cut, of another form, or without
 * its key. Somebody wrote it past the service, or a disk did. It is refused by its name, and a page
 * leaves it out, so that one record never takes the others with it.
 */
import { DomainError, type PlainTable } from '#core/kernel';

/** What names a row in a refusal. */
export interface RowName {
  readonly table: string;
  /** The values of its key, as far as they are known. */
  readonly key: readonly unknown[];
}

const damaged = ({ key, table }: RowName, cause?: unknown): DomainError =>
  new DomainError('record-damaged', {
    cause,
    detail: `table ${table}, key ${key.map(String).join(' / ')}`,
  });

/** The record that `parse` makes of a row. Throws `record-damaged`. */
export function readable<R>(
  { name: table, spec }: PlainTable,
  key: readonly unknown[],
  parse: () => unknown,
): R {
  const record = parsed({ key, table }, parse);
  const isWhole =
    typeof record === 'object' &&
    record !== null &&
    spec.key.every((member) => member in record && (record as never)[member] !== null);
  if (!isWhole) throw damaged({ key, table });
  return record as R;
}

function parsed(name: RowName, parse: () => unknown): unknown {
  try {
    return parse();
  } catch (cause) {
    // JSON that is none, or no object to take a work field.
    if (cause instanceof SyntaxError || cause instanceof TypeError) throw damaged(name, cause);
    throw cause;
  }
}

/** Rows of a page that can be read, each with its record. */
export interface ReadRows<Row, R> {
  readonly read: readonly { readonly record: R; readonly row: Row }[];
  /** Refusals of the others, which name them. */
  readonly damaged: readonly DomainError[];
}

/** Reads what can be read. */
export function readRows<Row, R>(
  rows: readonly Row[],
  recordOf: (row: Row) => R,
): ReadRows<Row, R> {
  const read: { record: R; row: Row }[] = [];
  const refused: DomainError[] = [];
  for (const row of rows) {
    try {
      read.push({ record: recordOf(row), row });
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'record-damaged') throw error;
      refused.push(error);
    }
  }
  return { damaged: refused, read };
}

/** The records of rows that can be read, where the others wait for whoever mends them. */
export const recordsIn = <Row, R>(rows: readonly Row[], recordOf: (row: Row) => R): R[] =>
  readRows(rows, recordOf).read.map(({ record }) => record);

/** Rows that are read in the place of damaged ones; more of them are no accident. */
const SPARE_ROWS_MAX = 1_000;

/** What of an ask concerns the rows that come. */
export interface ReadableAsk {
  readonly limit: number;
  readonly isWhole?: true;
}

/**
 * The first `limit` rows that can be read. `read` answers as many as it is asked for, and one more
 * where there are more. Rejects with `record-damaged` where every record counts and one is damaged.
 */
export async function readablePage<Row, R>(
  { isWhole, limit }: ReadableAsk,
  read: (limit: number) => Promise<readonly Row[]>,
  recordOf: (row: Row) => R,
): Promise<ReadRows<Row, R> & { readonly hasMore: boolean }> {
  for (let spare = 0; ; ) {
    const rows = await read(limit + spare);
    const found = readRows(rows, recordOf);
    const [first] = found.damaged;
    const isTooMuch = isWhole === true || found.damaged.length > SPARE_ROWS_MAX;
    if (first !== undefined && isTooMuch) throw first;
    const hasMore = found.read.length > limit;
    if (hasMore || rows.length <= limit + spare) {
      return { damaged: found.damaged, hasMore, read: found.read.slice(0, limit) };
    }
    // Where there are more rows and too few are readable, more than the spare ones are damaged.
    spare = found.damaged.length;
  }
}
