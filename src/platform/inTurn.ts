/** Everything of the first, then of the next; none begins before the one before it has ended. */
export async function* inTurn<T>(...parts: readonly AsyncIterable<T>[]): AsyncGenerator<T> {
  for (const part of parts) yield* part;
}
