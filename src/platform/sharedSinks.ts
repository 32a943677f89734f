/**
 * Work on many streams of bytes in one thread that all of them share, while the caller's thread
 * only copies their pieces. It is for streams that come at the pace of others, where a thread each
 * (sinkAside.ts) would hold its memory for hours.
 *
 * Each stream has two places in shared memory: one is filled while the thread works on the other.
 * So memory is bounded, and the thread takes those who send in turns, however many streams each
 * has: at most PIECES_MAX places of one of them are with the thread, and the others wait here. A
 * stream that ends within HERE_BYTES is processed in the caller's thread, in less time than the
 * thread's answer takes.
 */
import assert from 'node:assert/strict';
import { Worker } from 'node:worker_threads';
import { SinkError, type SinkKind } from './sinkAside.ts';

export const PLACE_BYTES = 64 * 1024;
const PLACES = 2;
const HERE_BYTES = 4 * 1024;
/** Places of one sender that the thread has at a time: one that it works on, and the next. */
const PIECES_MAX = 2;
/** A thread without streams ends after this time. */
const IDLE_MS = 30_000;

/** To the thread. `open` comes first for a stream, `end` or `close` last. */
export type SharedSinkOrder = { readonly stream: number } & (
  | { readonly kind: 'open'; readonly input: unknown; readonly places: SharedArrayBuffer }
  | {
      readonly kind: 'piece';
      readonly start: number;
      readonly bytes: number;
      readonly sender: string;
    }
  | { readonly kind: 'end' }
  | { readonly kind: 'close' }
);

/**
 * From the thread: the earliest pending piece of the stream is done, or was of no use any more; or
 * how the stream ended.
 */
export type SharedSinkAnswer = { readonly stream: number } & (
  | { readonly kind: 'taken'; readonly sender: string }
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'failed'; readonly message: string; readonly code: string | undefined }
);

/** One stream; its calls follow each other. */
export interface SharedStream<Result> {
  /** Resolves when there is room for more. Rejects with the error of the sink, or of the thread. */
  add(piece: Uint8Array): Promise<void>;
  finish(): Promise<Result>;
  /** To be called last, also after an error. */
  close(): void;
}

export class SharedSinks<Input, Result> {
  readonly #kind: SinkKind<Input, Result>;
  #thread: SharedThread | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(kind: SinkKind<Input, Result>) {
    this.#kind = kind;
  }

  /** Streams of one `sender` share its turns. */
  open(input: Input, sender: string): SharedStream<Result> {
    return new Stream<Input, Result>(this.#kind, input, {
      sender,
      end: (thread) => this.#leave(thread),
      thread: () => this.#enter(),
    });
  }

  #enter(): SharedThread {
    clearTimeout(this.#idle);
    if (this.#thread === undefined || this.#thread.isDead) {
      this.#thread = new SharedThread(this.#kind.threadUrl);
    }
    return this.#thread;
  }

  #leave(thread: SharedThread): void {
    if (thread !== this.#thread || thread.streams > 0) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => {
      if (thread.streams > 0 || thread !== this.#thread) return;
      this.#thread = undefined;
      thread.end();
    }, IDLE_MS).unref();
  }
}

interface StreamOwner {
  readonly sender: string;
  thread(): SharedThread;
  end(thread: SharedThread): void;
}

class Stream<Input, Result> implements SharedStream<Result> {
  readonly #kind: SinkKind<Input, Result>;
  readonly #input: Input;
  readonly #owner: StreamOwner;
  #places: Uint8Array = new Uint8Array(HERE_BYTES);
  #place = 0;
  #filled = 0;
  #underWay = 0;
  #thread: SharedThread | undefined;
  #number = 0;
  #failure: Error | undefined;
  #result: { readonly value: Result } | undefined;
  #wake: (() => void) | undefined;

  constructor(kind: SinkKind<Input, Result>, input: Input, owner: StreamOwner) {
    this.#kind = kind;
    this.#input = input;
    this.#owner = owner;
  }

  async add(piece: Uint8Array): Promise<void> {
    if (this.#thread === undefined && this.#filled + piece.length > HERE_BYTES) this.#goAside();
    const placeBytes = this.#thread === undefined ? HERE_BYTES : PLACE_BYTES;
    for (let at = 0; at < piece.length; ) {
      const part = piece.subarray(at, at + placeBytes - this.#filled);
      this.#places.set(part, this.#place * placeBytes + this.#filled);
      this.#filled += part.length;
      at += part.length;
      if (this.#thread !== undefined && this.#filled === PLACE_BYTES) await this.#handOver();
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  async finish(): Promise<Result> {
    if (this.#thread === undefined) {
      const sink = this.#kind.make(this.#input);
      if (this.#filled > 0) sink.add(this.#places.subarray(0, this.#filled));
      return sink.finish();
    }
    if (this.#filled > 0) await this.#handOver();
    while (this.#underWay > 0) await this.#change();
    this.#thread.post({ kind: 'end', stream: this.#number });
    while (this.#result === undefined) await this.#change();
    return this.#result.value;
  }

  close(): void {
    const thread = this.#thread;
    if (thread === undefined) return;
    thread.leave(this.#number);
    this.#owner.end(thread);
  }

  #goAside(): void {
    const before = this.#places.subarray(0, this.#filled);
    const places = new SharedArrayBuffer(PLACES * PLACE_BYTES);
    this.#places = new Uint8Array(places);
    this.#places.set(before);
    this.#thread = this.#owner.thread();
    this.#number = this.#thread.enter({
      fail: (error) => {
        this.#failure ??= error;
        this.#wake?.();
      },
      hear: (answer) => this.#hear(answer),
    });
    this.#thread.post({ input: this.#input, kind: 'open', places, stream: this.#number });
  }

  #hear(answer: SharedSinkAnswer): void {
    if (answer.kind === 'taken') this.#underWay--;
    else if (answer.kind === 'result') this.#result = { value: answer.result as Result };
    else this.#failure ??= new SinkError(answer.message, answer.code);
    this.#wake?.();
  }

  /** Waits until the other place is free. */
  async #handOver(): Promise<void> {
    const start = this.#place * PLACE_BYTES;
    const { sender } = this.#owner;
    const place = { bytes: this.#filled, start, stream: this.#number };
    this.#thread?.postInTurn({ ...place, kind: 'piece', sender });
    this.#underWay++;
    this.#place = (this.#place + 1) % PLACES;
    this.#filled = 0;
    while (this.#underWay === PLACES) await this.#change();
  }

  /** The next word of the thread. */
  async #change(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = undefined;
    if (this.#failure !== undefined) throw this.#failure;
  }
}

type PieceOrder = Extract<SharedSinkOrder, { kind: 'piece' }>;

interface Listener {
  hear(answer: SharedSinkAnswer): void;
  fail(error: Error): void;
}

/** Keeps its process alive while it has streams, and not otherwise. */
class SharedThread {
  readonly #worker: Worker;
  readonly #listeners = new Map<number, Listener>();
  readonly #senders = new Map<string, { underWay: number; waiting: PieceOrder[] }>();
  #entered = 0;
  isDead = false;

  constructor(url: URL) {
    this.#worker = new Worker(url);
    this.#worker.on('message', (answer: SharedSinkAnswer) => {
      if (answer.kind === 'taken') this.#goOn(answer.sender);
      this.#listeners.get(answer.stream)?.hear(answer);
    });
    this.#worker.on('error', (error: Error) => this.#die(error));
    this.#worker.once('exit', (code) => this.#die(new Error(`a shared thread ended: ${code}`)));
  }

  get streams(): number {
    return this.#listeners.size;
  }

  enter(listener: Listener): number {
    assert(!this.isDead, 'a thread that is dead takes no stream');
    if (this.streams === 0) this.#worker.ref();
    this.#listeners.set(++this.#entered, listener);
    return this.#entered;
  }

  leave(stream: number): void {
    if (!this.#listeners.delete(stream) || this.isDead) return;
    this.post({ kind: 'close', stream });
    if (this.streams === 0) this.#worker.unref();
  }

  post(order: SharedSinkOrder): void {
    this.#worker.postMessage(order);
  }

  postInTurn(order: PieceOrder): void {
    const { sender } = order;
    const turns = this.#senders.get(sender) ?? { underWay: 0, waiting: [] };
    this.#senders.set(sender, turns);
    turns.waiting.push(order);
    if (turns.underWay === PIECES_MAX) return;
    turns.underWay++;
    this.#goOn(sender, 0);
  }

  /** So many pieces of the sender are done, and its next one may go. */
  #goOn(sender: string, done = 1): void {
    const turns = this.#senders.get(sender);
    assert(turns !== undefined, 'an answer to a piece that was sent');
    const next = turns.waiting.shift();
    if (next !== undefined) this.post(next);
    else turns.underWay -= done;
    if (turns.underWay === 0) this.#senders.delete(sender);
  }

  end(): void {
    this.isDead = true;
    void this.#worker.terminate();
  }

  #die(error: Error): void {
    this.isDead = true;
    for (const listener of this.#listeners.values()) listener.fail(error);
  }
}
