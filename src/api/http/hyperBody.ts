/**
 * The source of a body's bytes on hyper-express: the native response, and its two clocks.
 *
 * uWebSockets.js drops a body below 16 KiB/s after 10 s, even if a reader made us pause and the
 * client is not slow. `resume` restarts that time, so it is called while the body is open, and
 * bodyIntake.ts alone decides what is too slow.
 */
import type { HttpResponse } from 'uWebSockets.js';
import type { BodyIntake, BodySource } from './bodyIntake.ts';

const HOLD_MS = 4_000;

export class HyperBody implements BodySource {
  /** Absent once the response must not be touched, or nothing more will come. */
  #raw: HttpResponse | undefined;
  #isPaused = false;
  #isLastHere = false;
  #hold: NodeJS.Timeout | undefined;

  constructor(raw: HttpResponse) {
    this.#raw = raw;
  }

  /** Inside the route's call: later the first bytes would be lost. */
  feed(intake: BodyIntake): void {
    this.#raw?.onData((chunk, isLast) => {
      this.#isLastHere = isLast;
      // The memory of the chunk is uWebSockets.js's again after this call: copy.
      const isWanted = chunk.byteLength > 0 && !intake.isDiscarded;
      if (isWanted) intake.push(new Uint8Array(chunk.slice(0)));
      if (isLast) {
        // The parser reads on for a while after a pause, so the end may come to a paused socket:
        // left so, the next request on it would never be read. To resume it starts the clock of a
        // body, which runs until the answer begins.
        const isClocked = this.#isPaused;
        this.resume();
        if (isClocked) this.#hold ??= setInterval(() => this.#holdOpen(), HOLD_MS);
        else this.release();
        intake.finish();
      } else {
        this.#hold ??= setInterval(() => this.#holdOpen(), HOLD_MS);
      }
    });
  }

  pause(): void {
    // Bytes in memory already cannot be held back.
    if (this.#isLastHere) return;
    this.#isPaused = true;
    this.#raw?.pause();
  }

  resume(): void {
    // On a socket that was not paused, inside its own callback, `resume` stops the following bytes.
    if (this.#isPaused) this.#raw?.resume();
    this.#isPaused = false;
  }

  /** The answer begins. */
  beginAnswer(): void {
    if (this.#isLastHere) this.release();
  }

  release(): void {
    clearInterval(this.#hold);
    this.#raw = undefined;
  }

  #holdOpen(): void {
    this.#raw?.resume();
    if (this.#isPaused) this.#raw?.pause();
  }
}
