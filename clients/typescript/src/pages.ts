export interface Page {
  readonly next_cursor: string | null;
}

/** Rows of the member `of` over all pages, in order; the next page is asked for when it is needed. */
export async function* rowsOf<Member extends string, Row>(
  of: Member,
  ask: (cursor: string | undefined) => Promise<Page & Readonly<Record<Member, readonly Row[]>>>,
): AsyncGenerator<Row, void> {
  for (let cursor: string | undefined; ; ) {
    const page = await ask(cursor);
    yield* page[of];
    if (page.next_cursor === null) return;
    cursor = page.next_cursor;
  }
}
