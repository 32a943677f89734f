/**
 * One stream at the end of its log: what it is given waits here until its reader takes it. A reader
 * that leaves too much unread is cut off, and comes back behind the last id that it has.
 */
import {
  type AlertFilter,
  type Follower,
  type Frame,
  type FramePage,
  passes,
  STREAM_UNREAD_BYTES_MAX,
} from '#slices/alerts';

/** What is handed on at once; more is not copied before it is asked for. */
const PIECE_BYTES = 64 * 1024;

/** After so long without an event a stream says where it stands. */
export const HEARTBEAT_MS = 15_000;

export interface LiveStreamOptions {
  readonly filter: AlertFilter;
  /** The last line of the log that the reader has been sent, or that its filter left out. */
  readonly seq: number;
  readonly nowMs: number;
  readonly endsAtMs: number;
  /** The reader leaves too much unread. */
  readonly onStuck: () => void;
}

export class LiveStream implements Follower {
  readonly #filter: AlertFilter;
  readonly #endsAtMs: number;
  readonly #onStuck: () => void;
  /** Texts are shared with the tenant's other streams. */
  readonly #waiting: Pick<Frame, 'bytes' | 'text'>[] = [];
  /** Length of what waits. */
  #waitingBytes = 0;
  /** Length of what was handed on last: the reader has it once more is asked for. */
  #handedBytes = 0;
  #seq: number;
  #saidAtMs: number;
  #isOver = false;
  #wake: (() => void) | undefined;

  constructor({ endsAtMs, filter, nowMs, onStuck, seq }: LiveStreamOptions) {
    this.#filter = filter;
    this.#seq = seq;
    this.#saidAtMs = nowMs;
    this.#endsAtMs = endsAtMs;
    this.#onStuck = onStuck;
  }

  push({ frames, seq }: FramePage): void {
    for (const frame of frames) {
      // It may have read further than the feed when it joined.
      if (frame.seq > this.#seq && passes(frame.alert, this.#filter)) this.#add(frame);
    }
    this.#seq = Math.max(this.#seq, seq);
    if (this.#handedBytes + this.#waitingBytes > STREAM_UNREAD_BYTES_MAX) {
      this.end();
      this.#onStuck();
    }
  }

  tick(nowMs: number): void {
    if (nowMs >= this.#endsAtMs) this.end();
    else if (this.#waiting.length > 0) this.#saidAtMs = nowMs;
    else if (nowMs - this.#saidAtMs >= HEARTBEAT_MS) {
      this.#saidAtMs = nowMs;
      const text = `id: ${this.#seq}\nevent: aml.cursor\n\n`;
      this.#add({ bytes: text.length, text });
    }
  }

  end(): void {
    this.#isOver = true;
    this.#wake?.();
  }

  /** What is to be sent next, once the former was taken; undefined once the stream is over. */
  async next(): Promise<string | undefined> {
    this.#handedBytes = 0;
    while (this.#waiting.length === 0 && !this.#isOver) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
    this.#wake = undefined;
    if (this.#isOver) return undefined;
    return this.#piece();
  }

  #piece(): string {
    const count = this.#waiting.findIndex(({ bytes }) => {
      this.#handedBytes += bytes;
      return this.#handedBytes >= PIECE_BYTES;
    });
    const piece = this.#waiting.splice(0, count === -1 ? this.#waiting.length : count + 1);
    this.#waitingBytes -= this.#handedBytes;
    return piece.map(({ text }) => text).join('');
  }

  #add(frame: Pick<Frame, 'bytes' | 'text'>): void {
    this.#waiting.push(frame);
    this.#waitingBytes += frame.bytes;
    this.#wake?.();
  }
}
