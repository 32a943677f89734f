/** Streams of batches, item by item. */
import { firstNotBefore } from './sortedLines.ts';

/** A stream of batches, read item by item; only the step into the next batch waits. */
export class LineCursor<Item, Head> {
  readonly #batches: AsyncIterator<readonly Item[]> | undefined;
  readonly #look: (item: Item) => Head;
  #batch: readonly Item[] = [];
  #at = 0;
  #hasEnded: boolean;
  head: Head | undefined;

  constructor(batches: AsyncIterable<readonly Item[]> | undefined, look: (item: Item) => Head) {
    this.#batches = batches?.[Symbol.asyncIterator]();
    this.#look = look;
    this.#hasEnded = batches === undefined;
  }

  /** Whether `fill` is due: there may be more items. */
  get isDry(): boolean {
    return this.head === undefined && !this.#hasEnded;
  }

  /** Afterwards `head` is the next one, or undefined at the end. */
  async fill(): Promise<void> {
    while (this.isDry) {
      const next = await this.#batches?.next();
      if (next === undefined || next.done === true) {
        this.#hasEnded = true;
        return;
      }
      this.#batch = next.value;
      this.#at = 0;
      this.#show();
    }
  }

  step(): void {
    this.#at++;
    this.#show();
  }

  /**
   * Items from the head on for which `isWanted` holds, as far as this batch goes. The items must be
   * sorted so that these come first.
   */
  takeWhile(isWanted: (item: Item) => boolean): readonly Item[] {
    if (this.head === undefined) return [];
    const start = this.#at;
    const end = firstNotBefore(this.#batch, start, isWanted);
    this.#at = end;
    this.#show();
    return this.#batch.slice(start, end);
  }

  /** Releases what the stream holds open. */
  async close(): Promise<void> {
    await this.#batches?.return?.();
  }

  #show(): void {
    const item = this.#batch[this.#at];
    this.head = item === undefined ? undefined : this.#look(item);
  }
}
