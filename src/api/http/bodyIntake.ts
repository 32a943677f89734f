/**
 * The strict reader of one request body, the same for both adapters. An adapter pushes bytes in; a
 * handler takes them out once, whole or as a stream. A body that did not come whole never looks
 * complete: every way out but `finish` rejects.
 *
 * Slow bodies are ended in two cases: no byte within the idle timeout, or less than
 * BODY_BYTES_PER_S_MIN over any such time, since one byte a second would otherwise hold a socket,
 * and the place of an upload, for days. Time counts only while a handler waits for the client.
 *
 * Memory: `body` holds at most its `bytesMax`. Waiting bytes of a stream, or of a body that is not
 * read yet, are bounded by pausing the source above BUFFER_BYTES_HIGH. Short chunks are put
 * together: one byte in memory of its own takes a hundred.
 */
import assert from 'node:assert/strict';
import { DomainError } from '#core/kernel';
import { systemClock } from '#platform/clock';
import { BODY_BYTES_PER_S_MIN } from '#platform/limits';
import { RecentBytes } from './recentBytes.ts';

/** Bytes above which the source is paused. It resumes once all of them were taken. */
export const BUFFER_BYTES_HIGH = 256 * 1024;
/** Shorter chunks that wait are copied behind each other, into rooms of so many bytes. */
const SHORT_BYTES = 4 * 1024;
const ROOM_BYTES = 4 * SHORT_BYTES;

/** An adapter's control of its socket. `resume` is called first when a reader comes. */
export interface BodySource {
  pause(): void;
  resume(): void;
}

const NO_ROOM = new Uint8Array(0);

type Use = 'unclaimed' | 'whole' | 'stream' | 'discarded';

export class BodyIntake {
  readonly #source: BodySource;
  readonly #declaredBytes: number | undefined;
  readonly #idleTimeoutMs: number;
  #use: Use = 'unclaimed';
  #chunks: Uint8Array[] = [];
  #waitingBytes = 0;
  #receivedBytes = 0;
  #bytesMax = Number.POSITIVE_INFINITY;
  #finished = false;
  #failure: DomainError | undefined;
  #paused = false;
  #wake: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #waitedMs = 0;
  #waitingSince = 0;
  readonly #recent: RecentBytes;
  /** The last of the waiting chunks begins it, if that was put together. */
  #room: Uint8Array = NO_ROOM;

  /** `declaredBytes` is undefined for a chunked body. */
  constructor(
    source: BodySource,
    options: { declaredBytes: number | undefined; idleTimeoutMs: number },
  ) {
    this.#source = source;
    this.#declaredBytes = options.declaredBytes;
    this.#idleTimeoutMs = options.idleTimeoutMs;
    this.#recent = new RecentBytes(options.idleTimeoutMs);
  }

  get finished(): boolean {
    return this.#finished;
  }

  /** What still comes is of no use. */
  get isDiscarded(): boolean {
    return this.#use === 'discarded' || this.#failure !== undefined;
  }

  /** `chunk` becomes ours: the adapter must not reuse its memory. */
  push(chunk: Uint8Array): void {
    if (this.isDiscarded || chunk.byteLength === 0) return;
    this.#receivedBytes += chunk.byteLength;
    if (this.#receivedBytes > this.#bytesMax) {
      this.fail(new DomainError('body-too-large', { detail: `more than ${this.#bytesMax} bytes` }));
      return;
    }
    this.#keep(chunk);
    const clientMs = this.#clientMs();
    this.#recent.add(chunk.byteLength, clientMs);
    if (this.#wake !== undefined && this.#recent.isBelow(BODY_BYTES_PER_S_MIN, clientMs)) {
      this.fail(new DomainError('body-timeout', { detail: 'body came too slowly' }));
      return;
    }
    if (this.#use === 'whole') {
      this.#timer?.refresh();
      return;
    }
    if (this.#waitingBytes > BUFFER_BYTES_HIGH && !this.#paused) {
      this.#paused = true;
      this.#source.pause();
    }
    this.#wakeReader();
  }

  /** All bytes came. A chunk pushed afterwards is the adapter's error. */
  finish(): void {
    if (this.#failure !== undefined || this.#finished) return;
    const isShort =
      this.#declaredBytes !== undefined &&
      this.#use !== 'discarded' &&
      this.#receivedBytes !== this.#declaredBytes;
    if (isShort) {
      this.fail(new DomainError('body-aborted', { detail: 'fewer bytes than declared' }));
      return;
    }
    this.#finished = true;
    this.#wakeReader();
  }

  /** The first failure stays; what came until then is dropped. */
  fail(failure: DomainError): void {
    if (this.#finished || this.#failure !== undefined) return;
    this.#failure = failure;
    this.#release();
    this.#wakeReader();
  }

  /**
   * Discards the rest of the body, which has no reader any more, so that the connection can go on.
   */
  discard(): void {
    if (this.#finished) return;
    this.#use = 'discarded';
    this.#release();
  }

  async body(bytesMax: number): Promise<Uint8Array> {
    this.#claim('whole');
    const known = Math.max(this.#declaredBytes ?? 0, this.#receivedBytes);
    if (known > bytesMax) {
      this.fail(new DomainError('body-too-large', { detail: `more than ${bytesMax} bytes` }));
      throw new DomainError('body-too-large', { detail: `more than ${bytesMax} bytes` });
    }
    this.#bytesMax = bytesMax;
    this.#unpause();
    while (!this.#finished) await this.#wait();
    const [only] = this.#chunks;
    return this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks);
  }

  async *bodyStream(): AsyncGenerator<Uint8Array> {
    this.#claim('stream');
    this.#unpause();
    try {
      for (;;) {
        if (this.#failure !== undefined) throw this.#failure;
        const chunk = this.#chunks.shift();
        if (chunk !== undefined) {
          this.#waitingBytes -= chunk.byteLength;
          if (this.#waitingBytes === 0) this.#unpause();
          yield chunk;
        } else if (this.#finished) {
          return;
        } else {
          await this.#wait();
        }
      }
    } finally {
      this.discard();
    }
  }

  #claim(use: 'whole' | 'stream'): void {
    assert(this.#use === 'unclaimed', 'a request body is read once');
    this.#use = use;
  }

  /** Until something changed. Throws what made the body fail. */
  async #wait(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    this.#waitingSince = systemClock.monotonicMs();
    this.#timer = setTimeout(() => {
      this.fail(new DomainError('body-timeout', { detail: 'no byte came in time' }));
    }, this.#idleTimeoutMs);
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    if (this.#failure !== undefined) throw this.#failure;
  }

  #wakeReader(): void {
    const wake = this.#wake;
    if (wake === undefined) return;
    this.#wake = undefined;
    clearTimeout(this.#timer);
    this.#waitedMs += systemClock.monotonicMs() - this.#waitingSince;
    wake();
  }

  #keep(chunk: Uint8Array): void {
    this.#waitingBytes += chunk.byteLength;
    const last = this.#chunks.at(-1);
    const isOfRoom = last?.buffer === this.#room.buffer;
    const isShort = chunk.byteLength < SHORT_BYTES;
    if (last === undefined || !isShort || (!isOfRoom && last.byteLength >= SHORT_BYTES)) {
      this.#chunks.push(chunk);
      return;
    }
    if (!isOfRoom) {
      this.#room = new Uint8Array(ROOM_BYTES);
      this.#room.set(last);
    }
    const end = last.byteLength + chunk.byteLength;
    if (end > ROOM_BYTES) {
      this.#chunks.push(chunk);
      return;
    }
    this.#room.set(chunk, last.byteLength);
    this.#chunks[this.#chunks.length - 1] = this.#room.subarray(0, end);
  }

  /** Time for which a handler waited for the client, until now. */
  #clientMs(): number {
    if (this.#wake === undefined) return this.#waitedMs;
    return this.#waitedMs + systemClock.monotonicMs() - this.#waitingSince;
  }

  #unpause(): void {
    this.#paused = false;
    this.#source.resume();
  }

  #release(): void {
    this.#chunks = [];
    this.#waitingBytes = 0;
    if (this.#paused) this.#unpause();
  }
}

/** The body of a request that has none. */
export const EMPTY_BODY = new Uint8Array(0);

export async function* emptyBodyStream(): AsyncGenerator<Uint8Array> {
  // A request without a body has no chunk.
}
