/** One stream with two readers at the same pace. A fault of either is a fault of both. */

/**
 * `main` gets every chunk of `bytes`; `aside` gets it first. The stream ends for `main` only when
 * `aside` has read all of it without a fault, so `main` never completes on a stream that `aside`
 * refused. `aside` may stop early without a fault.
 */
export async function readAlong<Main, Aside>(
  bytes: AsyncIterable<Uint8Array>,
  {
    aside,
    main,
  }: {
    readonly main: (bytes: AsyncIterable<Uint8Array>) => Promise<Main>;
    readonly aside: (bytes: AsyncIterable<Uint8Array>) => Promise<Aside>;
  },
): Promise<{ main: Main; aside: Aside }> {
  const handover = new Handover();
  const done = aside(handover.taken()).finally(() => handover.leave());
  done.catch(() => undefined); // reported through the stream to `main`, below
  async function* flow(): AsyncGenerator<Uint8Array> {
    let failure: unknown = new Error('the stream was left before its end');
    try {
      for await (const chunk of bytes) {
        await handover.give(chunk);
        // A fault is reported with the chunk after it at the latest; a known one is reported now.
        if (handover.isLeft) await done;
        yield chunk;
      }
      await handover.give(undefined);
      await done;
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      handover.fail(failure); // no effect once it has ended
    }
  }
  const kept = await main(flow());
  return { aside: await done, main: kept };
}

/** A place for one chunk: the giver waits until it is taken, the taker until it is there. */
class Handover {
  #chunk: Uint8Array | undefined;
  #state: 'open' | 'ended' | 'failed' = 'open';
  #failure: unknown;
  #wakeTaker: () => void = () => undefined;
  #wakeGiver: () => void = () => undefined;
  /** The taker has stopped. */
  isLeft = false;

  /** Undefined: that was all. */
  async give(chunk: Uint8Array | undefined): Promise<void> {
    if (this.isLeft) return;
    if (chunk === undefined) this.#state = 'ended';
    this.#chunk = chunk;
    const taken = new Promise<void>((resolve) => {
      this.#wakeGiver = resolve;
    });
    this.#wakeTaker();
    if (chunk !== undefined) await taken;
  }

  fail(error: unknown): void {
    if (this.#state === 'ended') return;
    this.#state = 'failed';
    this.#failure = error;
    this.#wakeTaker();
  }

  leave(): void {
    this.isLeft = true;
    this.#wakeGiver();
  }

  async *taken(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunk = this.#chunk;
      if (chunk !== undefined) {
        this.#chunk = undefined;
        this.#wakeGiver();
        yield chunk;
      } else if (this.#state === 'ended') {
        return;
      } else if (this.#state === 'failed') {
        throw this.#failure;
      } else {
        await new Promise<void>((resolve) => {
          this.#wakeTaker = resolve;
        });
      }
    }
  }
}
