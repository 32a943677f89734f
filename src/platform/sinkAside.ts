/**
 * Work on a long stream of bytes, such as hashing it, in a thread of its own, while the caller's
 * thread goes on with the next bytes. A short stream is processed in the caller's thread, because a
 * new thread takes longer to start. With few processors, which are often halves of one core, only a
 * stream that is known to be long is worth a thread.
 *
 * Pieces are copied into a few slots of shared memory, used again and again. Transferred memory
 * would stay until the garbage of both threads is collected, which is late for small amounts.
 * Before there is a thread, pieces are held uncopied, so they must not be written to again.
 */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

/** Work on the pieces of a stream, in order. */
export interface PieceSink<Result> {
  add(piece: Uint8Array): void;
  finish(): Result;
  /** Buffers of the result that are transferred to the other thread instead of being copied. */
  buffersOf?(result: Result): ArrayBuffer[];
}

/** A sink in this thread, and the entry of a thread that serves the same one (sinkThread.ts). */
export interface SinkKind<Input, Result> {
  readonly make: (input: Input) => PieceSink<Result>;
  readonly threadUrl: URL;
}

/** What a thread is started with. */
export interface SinkStart<Input> {
  readonly input: Input;
  readonly slots: SharedArrayBuffer;
}

/** To the thread: the place of a piece in the slots, a piece that fits no slot, or the end. */
export type SinkOrder = { readonly start: number; readonly bytes: number } | Uint8Array | 'end';

/** From the thread: the earliest pending piece is done; or how the stream ended. */
export type SinkAnswer<Result> =
  | 'taken'
  | { readonly result: Result }
  | { readonly message: string; readonly code: string | undefined };

/** Bytes that are processed without a thread: a thirtieth of a second of hashing. */
const ASIDE_FROM_BYTES = 12 * 1024 * 1024;
const FEW_PROCESSORS = 3;
/** Length of a stream that is worth a thread from its first byte, with a second processor. */
const LONG_BYTES = 48 * 1024 * 1024;
const SLOTS = 4;
const SLOT_BYTES = 2 * 1024 * 1024;

export interface AsideOptions {
  /**
   * Approximate bytes of the whole stream. Where it is not known, a stream counts as short until it
   * is not.
   */
  readonly expectedBytes?: number | undefined;
  /** The stream comes at the pace of a client: no thread is worth it, and no piece is held. */
  readonly isPaced?: boolean | undefined;
  /** For tests of short streams: the number of bytes from which a thread is used. */
  readonly asideFrom?: number | undefined;
}

/**
 * Bytes after which a thread starts. Pieces are held until then, so a stream that may be short is
 * not held on a small machine.
 */
function asideFromHere({ expectedBytes = 0, isPaced = false }: AsideOptions): number {
  if (isPaced) return Number.POSITIVE_INFINITY;
  const processors = availableParallelism();
  if (processors > 1 && expectedBytes >= LONG_BYTES) return 0;
  return processors > FEW_PROCESSORS ? ASIDE_FROM_BYTES : Number.POSITIVE_INFINITY;
}

/** An error that a sink threw in its thread. */
export class SinkError extends Error {
  override readonly name = 'SinkError';
  /** Code of the error there, if it had one. */
  readonly code: string | undefined;

  constructor(message: string, code: string | undefined) {
    super(message);
    this.code = code;
  }
}

export class SinkAside<Input, Result> {
  readonly #kind: SinkKind<Input, Result>;
  readonly #input: Input;
  readonly #asideFrom: number;
  /** The sink in this thread, where no thread is to come. */
  readonly #here: PieceSink<Result> | undefined;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #thread: SinkThread<Result> | undefined;

  constructor(kind: SinkKind<Input, Result>, input: Input, options: AsideOptions = {}) {
    const { asideFrom = asideFromHere(options) } = options;
    this.#kind = kind;
    this.#input = input;
    this.#asideFrom = asideFrom;
    this.#here = asideFrom === Number.POSITIVE_INFINITY ? kind.make(input) : undefined;
  }

  /** Resolves when there is room for more. */
  async add(piece: Uint8Array): Promise<void> {
    if (this.#here) return this.#here.add(piece);
    if (this.#thread) return this.#thread.add(piece);
    this.#held.push(piece);
    this.#heldBytes += piece.length;
    if (this.#heldBytes < this.#asideFrom) return;
    this.#thread = new SinkThread(this.#kind.threadUrl, this.#input);
    for (const held of this.#held) await this.#thread.add(held);
    this.#held = [];
  }

  async finish(): Promise<Result> {
    if (this.#thread) return this.#thread.finish();
    const sink = this.#here ?? this.#kind.make(this.#input);
    for (const piece of this.#held) sink.add(piece);
    this.#held = [];
    return sink.finish();
  }

  /** Ends the thread, finished or not. */
  async close(): Promise<void> {
    this.#held = [];
    await this.#thread?.close();
  }
}

class SinkThread<Result> {
  readonly #worker: Worker;
  readonly #slots = new SharedArrayBuffer(SLOTS * SLOT_BYTES);
  readonly #result: Promise<Result>;
  /** Pieces so far; each takes the slot after the one before it. */
  #pieces = 0;
  #underWay = 0;
  #onTaken: (() => void) | undefined;

  constructor(url: URL, input: unknown) {
    const workerData: SinkStart<unknown> = { input, slots: this.#slots };
    this.#worker = new Worker(url, { workerData });
    this.#result = new Promise((resolve, reject) => {
      this.#worker.on('message', (answer: SinkAnswer<Result>) => {
        if (answer === 'taken') this.#settle();
        else if ('result' in answer) resolve(answer.result);
        else reject(new SinkError(answer.message, answer.code));
      });
      this.#worker.on('error', reject);
      this.#worker.once('exit', (code) => reject(new Error(`a sink's thread ended: ${code}`)));
    });
    this.#result.catch(() => undefined); // the waiting caller gets the error
  }

  async add(piece: Uint8Array): Promise<void> {
    while (this.#underWay === SLOTS) {
      const taken = new Promise<void>((resolve) => {
        this.#onTaken = resolve;
      });
      // The thread gives no result before it is requested, so the race ends by room or by its
      // death.
      await Promise.race([taken, this.#result]);
    }
    this.#underWay++;
    this.#send(this.#laidDown(piece));
  }

  #laidDown(piece: Uint8Array): SinkOrder {
    const start = (this.#pieces++ % SLOTS) * SLOT_BYTES;
    const bytes = piece.length;
    if (bytes > SLOT_BYTES) {
      // A copy with memory of its own: a view is sent with the whole buffer behind it.
      return new Uint8Array(piece);
    }
    new Uint8Array(this.#slots, start, bytes).set(piece);
    return { bytes, start };
  }

  #send(order: SinkOrder): void {
    this.#worker.postMessage(order);
  }

  #settle(): void {
    this.#underWay--;
    this.#onTaken?.();
  }

  finish(): Promise<Result> {
    this.#send('end');
    return this.#result;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
