/**
 * Spans on their way to the collector: a bounded queue, sent in batches, one at a time. Nobody
 * waits for it. A collector that is away, slow or refuses costs the spans that no longer fit in,
 * which are counted, and nothing else.
 */
import type { Metrics } from '../metrics.ts';
import type { EndedSpan } from './spans.ts';

export interface QueueLimits {
  /** Spans that wait, those under way included. */
  readonly queueMax: number;
  /** Spans of one request. */
  readonly batchMax: number;
  /** Milliseconds from the first span that waits to a request, where the batch is not full. */
  readonly delayMs: number;
}

/** What became of a batch: `again` later, `refused` for good. */
export type SendOutcome = 'taken' | 'again' | 'refused';

export interface SpanQueueOptions extends QueueLimits {
  /** Never rejects. */
  readonly send: (spans: readonly EndedSpan[]) => Promise<SendOutcome>;
  readonly metrics: Metrics;
}

const PAUSE_MS_MIN = 1_000;
const PAUSE_MS_MAX = 30_000;

export class SpanQueue {
  readonly #options: SpanQueueOptions;
  readonly #figures: ReturnType<typeof figuresOf>;
  #waiting: EndedSpan[] = [];
  #underWay = 0;
  #sending: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isSoon = false;
  /** In a row. */
  #failures = 0;
  #isClosed = false;

  constructor(options: SpanQueueOptions) {
    this.#options = options;
    this.#figures = figuresOf(options.metrics, () => this.#waiting.length + this.#underWay);
  }

  /** Neither throws nor waits. */
  add(spans: readonly EndedSpan[]): void {
    const { batchMax, delayMs, queueMax } = this.#options;
    const room = Math.max(0, queueMax - this.#waiting.length - this.#underWay);
    this.#waiting.push(...spans.slice(0, room));
    if (room < spans.length) this.drop(spans.length - room);
    if (this.#isClosed || this.#sending !== undefined || this.#isSoon) return;
    if (this.#waiting.length >= batchMax && this.#failures === 0) this.#sendAfter(0);
    else if (this.#timer === undefined) this.#sendAfter(delayMs);
  }

  drop(count: number): void {
    this.#figures.dropped.labels('no-room').inc(count);
  }

  /** Sends what waits, once. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#sending;
    while (this.#waiting.length > 0 && (await this.#sendNext()));
  }

  #sendAfter(ms: number): void {
    clearTimeout(this.#timer);
    this.#isSoon = ms === 0;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#isSoon = false;
      this.#sending = this.#sendFull();
    }, ms).unref();
  }

  /** Batch after batch, until there is no full one or the collector is away. */
  async #sendFull(): Promise<void> {
    const { batchMax, delayMs } = this.#options;
    do {
      const isSent = await this.#sendNext();
      this.#failures = isSent ? 0 : this.#failures + 1;
    } while (this.#failures === 0 && this.#waiting.length >= batchMax);
    this.#sending = undefined;
    if (this.#isClosed || this.#waiting.length === 0) return;
    const pauseMs = Math.min(PAUSE_MS_MIN * 2 ** (this.#failures - 1), PAUSE_MS_MAX);
    this.#sendAfter(this.#failures === 0 ? delayMs : pauseMs);
  }

  /** False: the batch waits again. */
  async #sendNext(): Promise<boolean> {
    const batch = this.#waiting.splice(0, this.#options.batchMax);
    this.#underWay = batch.length;
    const outcome = await this.#options.send(batch);
    this.#underWay = 0;
    if (outcome === 'again') this.#waiting.unshift(...batch);
    else if (outcome === 'taken') this.#figures.exported.inc(batch.length);
    else this.#figures.dropped.labels('refused').inc(batch.length);
    return outcome !== 'again';
  }
}

function figuresOf(metrics: Metrics, waiting: () => number) {
  metrics.gauge({
    collect: waiting,
    help: 'Spans that wait for the collector of traces',
    name: 'trace_spans_waiting',
  });
  return {
    dropped: metrics.counter({
      help: 'Spans that were not exported: no room for them, or the collector refused them',
      labels: ['outcome'],
      name: 'trace_spans_dropped_total',
    }),
    exported: metrics.counter({
      help: 'Spans that the collector of traces took',
      name: 'trace_spans_exported_total',
    }),
  };
}
