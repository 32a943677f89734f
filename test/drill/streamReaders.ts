/**
 * Readers of alert streams that lose their connection again and again, and come back behind the
 * last id that they have, at whichever gateway answers.
 */
import { setTimeout as delay } from 'node:timers/promises';

const RETRY_MS = 100;

/** An event as it came. */
export interface Seen {
  readonly id: number;
  /** Milliseconds between the alert's last change and its arrival, by clocks of one host. */
  readonly lateMs: number;
}

export interface ReaderOptions {
  readonly apiKey: string;
  /** Where the next connection goes. */
  readonly nextOrigin: () => string;
  /** After so many events the connection is dropped; undefined: never. */
  readonly dropAfter?: () => number;
  /** Where the first connection begins; absent: now. */
  readonly lastEventId?: number;
}

export class StreamReader {
  readonly seen: Seen[] = [];
  drops = 0;
  /** Connections that the other side ended, or refused. */
  losses = 0;
  isOpen = false;
  #lastId: number | undefined;
  #isOver = false;
  #connection = new AbortController();
  readonly #options: ReaderOptions;
  readonly #running: Promise<void>;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#lastId = options.lastEventId;
    this.#running = this.#run();
  }

  async end(): Promise<void> {
    this.#isOver = true;
    this.#connection.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      this.#connection = new AbortController();
      const isDropped = await this.#read(this.#connection).catch(() => false);
      this.isOpen = false;
      if (isDropped) this.drops += 1;
      else if (!this.#isOver) {
        this.losses += 1;
        await delay(RETRY_MS);
      }
    }
  }

  /** True: dropped by this side. */
  async #read(connection: AbortController): Promise<boolean> {
    const { apiKey, dropAfter, nextOrigin } = this.#options;
    const last = this.#lastId;
    const response = await fetch(`${nextOrigin()}/v1/aml/alerts/stream`, {
      headers: { 'x-api-key': apiKey, ...(last !== undefined && { 'last-event-id': `${last}` }) },
      signal: connection.signal,
    });
    if (response.status !== 200 || response.body === null) return false;
    let left = dropAfter?.() ?? Number.POSITIVE_INFINITY;
    let text = '';
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      this.isOpen = true;
      const frames = `${text}${piece}`.split('\n\n');
      text = frames.pop() ?? '';
      for (const frame of frames) {
        if (this.#take(frame)) left -= 1;
        if (left > 0) continue;
        connection.abort();
        return true;
      }
    }
    return false;
  }

  /** Whether the frame has an alert. */
  #take(frame: string): boolean {
    const id = /^id: (\d+)$/m.exec(frame)?.[1];
    if (id !== undefined) this.#lastId = Number(id);
    // A thousand readers are one process: they look for no more than they need.
    const updatedAt = /"updated_at":"([^"]+)"/.exec(frame)?.[1];
    if (id === undefined || updatedAt === undefined) return false;
    this.seen.push({ id: Number(id), lateMs: Date.now() - Date.parse(updatedAt) });
    return true;
  }
}

/** What is missing between 1 and `last`, and what came more than once. */
export function gapsIn(
  ids: readonly number[],
  last: number,
): { readonly lost: number; readonly twice: number } {
  const unique = new Set(ids);
  const lost = Array.from({ length: last }, (_, at) => at + 1).filter((id) => !unique.has(id));
  return { lost: lost.length, twice: ids.length - unique.size };
}
