/** Queries of one body: some wait for the engine at once, and others are served between them. */

const AT_ONCE = 32;

/** Works through all of them. Rejects with the first failure. */
export async function atOnce<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, lane));
}
