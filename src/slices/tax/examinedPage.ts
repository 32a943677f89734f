/** Pages of a filtered history: each looks at some thousands of rows at most. */

/** Rows that a page looks at: a short page has a next one. */
const EXAMINED_MAX = 5_000;
const STEP_RECORDS = 500;

/** What a page is made of; a position says where one ended. */
export interface ExaminedAsk<Row, Position> {
  readonly limit: number;
  readonly after: Position | undefined;
  readonly read: (after: Position | undefined, limit: number) => Promise<readonly Row[]>;
  readonly isWanted: (row: Row) => boolean;
  readonly positionOf: (row: Row) => Position;
}

/** `next` is absent on the last page. */
export interface ExaminedPage<Row, Position> {
  readonly records: readonly Row[];
  readonly next?: Position;
}

export async function examinedPage<Row, Position>(
  ask: ExaminedAsk<Row, Position>,
): Promise<ExaminedPage<Row, Position>> {
  const { isWanted, limit, positionOf, read } = ask;
  const found: Row[] = [];
  let { after } = ask;
  for (let examined = 0; examined < EXAMINED_MAX; examined += STEP_RECORDS) {
    const rows = await read(after, STEP_RECORDS);
    for (const row of rows) {
      if (!isWanted(row)) continue;
      const last = found.at(-1);
      if (found.length === limit && last !== undefined) {
        return { next: positionOf(last), records: found };
      }
      found.push(row);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < STEP_RECORDS) return { records: found };
    after = positionOf(last);
  }
  return { records: found, ...(after !== undefined && { next: after }) };
}
