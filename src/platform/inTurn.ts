/**
 * All items of the first part, then of the next; a part begins only after the one before it has
 * ended.
 */
export async function* inTurn<T>(...parts: readonly AsyncIterable<T>[]): AsyncGenerator<T> {
  for (const part of parts) yield* part;
}
