/**
 * Alerts as server-sent events. The id of an event is its number in the tenant's log, so a reader
 * that comes back with Last-Event-ID misses nothing for thirty days. A stream ends after five
 * minutes and when the gateway drains: the reader comes back, and is authenticated anew. So a key
 * that was revoked and a role that was taken away end it too.
 */
import { DomainError } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Log } from '#platform/log';
import {
  type AlertFilter,
  type LoggedAlert,
  LogWatch,
  lastLogSeq,
  logSeqSince,
  oldestLogSeq,
  passes,
  readTail,
  STREAMS_MAX,
  STREAMS_PER_CALLER_MAX,
  subjectsOf,
} from '#slices/alerts';
import type { HttpReply } from '../../../api/http/port.ts';
import { instantOf } from '../../../api/instants.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import type { AlertParts } from './parts.ts';
import { presentAlert } from './presentation.ts';
import { filterOf } from './reading.ts';
import { type StreamAsk, StreamQuery } from './schemas.ts';

/** How often the log is looked at while somebody follows it. */
const LOOK_EVERY_MS = 250;
const HEARTBEAT_MS = 15_000;
const STREAM_MS = 5 * 60_000;
/** What a browser waits before it comes back. */
const RETRY_MS = 2_000;

interface StreamOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Log;
  /** Fires once the gateway drains. */
  readonly ending: AbortSignal;
}

export function streamOperation(parts: AlertParts, options: StreamOptions): Operation {
  const streams = new AlertStreams(parts, options);
  return {
    id: 'streamAlerts',
    method: 'GET',
    path: '/v1/aml/alerts/stream',
    tag: 'AML',
    summary: 'Alerts as they are raised and changed, as server-sent events',
    description:
      '`aml.alert` is a new alert, `aml.alert.updated` a later revision; `data` is the row of ' +
      'the list as it is now. `id` counts the revisions of the tenant: with Last-Event-ID a ' +
      'stream goes on behind it, for thirty days; `aml.gap` says that what was asked for is ' +
      'gone, and the oldest that is left follows. `aml.cursor` without data comes every 15 ' +
      'seconds. A stream ends after five minutes; come back with the last id.',
    roles: roles.read,
    scope: 'alerts:read',
    idempotency: 'none',
    limits: 'general',
    problems: ['header-invalid', 'streams-exhausted'],
    bodyBytesMax: 0,
    query: StreamQuery,
    responses: { 200: { description: 'The stream', files: ['text/event-stream'] } },
    handle: (context) => streams.open(context),
  };
}

class AlertStreams {
  readonly #parts: AlertParts;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #ending: AbortSignal;
  readonly #watch: LogWatch;
  readonly #open = new Map<string, number>();
  #count = 0;

  constructor(parts: AlertParts, { clock, ending, log }: StreamOptions) {
    this.#clock = clock;
    this.#parts = parts;
    this.#ending = ending;
    this.#watch = new LogWatch({
      everyMs: LOOK_EVERY_MS,
      onFailed: (error) => log.warn({ error }, 'alert streams stand still'),
      read: (tenantId, afterSeq) => readTail(parts.tables, tenantId, afterSeq),
      stamp: () => parts.tables.stamp('alert_log'),
    });
  }

  async open(context: OperationContext): Promise<HttpReply> {
    const query = context.query as unknown as StreamAsk;
    const caller = `${context.tenantId}/${context.principal.id}`;
    this.#requireRoom(caller);
    const { last_event_id, since, ...filters } = query;
    const filter = await filterOf(this.#parts, context, filters);
    const given = context.request.header('last-event-id') ?? last_event_id;
    const start = await this.#startOf(context, { given, since });
    return {
      body: this.#events(context, { caller, filter, ...start }),
      headers: [
        ['content-type', 'text/event-stream'],
        ['cache-control', 'no-store'],
        ['x-accel-buffering', 'no'],
      ],
      status: 200,
    };
  }

  #requireRoom(caller: string): void {
    const isFull = this.#count >= STREAMS_MAX;
    if (!isFull && (this.#open.get(caller) ?? 0) < STREAMS_PER_CALLER_MAX) return;
    throw new DomainError('streams-exhausted', { retryAfterS: RETRY_MS / 1_000 });
  }

  /** Behind which line to begin; `gap`: the one that was asked for is gone, or never was. */
  async #startOf(
    { tenantId }: Pick<OperationContext, 'tenantId'>,
    { given, since }: { readonly given: string | undefined; readonly since: string | undefined },
  ): Promise<{ readonly after: number; readonly gap?: number }> {
    const { tables } = this.#parts;
    const last = await lastLogSeq(tables, tenantId);
    if (given !== undefined) {
      const oldest = (await oldestLogSeq(tables, tenantId)) ?? last + 1;
      const after = readId(given);
      const isKept = after !== undefined && after >= oldest - 1 && after <= last;
      return isKept ? { after } : { after: oldest - 1, gap: oldest };
    }
    if (since === undefined) return { after: last };
    return {
      after: ((await logSeqSince(tables, tenantId, instantOf(since, '?since'))) ?? last + 1) - 1,
    };
  }

  async *#events(
    context: OperationContext,
    of: {
      readonly caller: string;
      readonly filter: AlertFilter;
      readonly after: number;
      readonly gap?: number;
    },
  ): AsyncGenerator<string> {
    const { tenantId } = context;
    const { caller, filter, gap } = of;
    this.#enter(caller, 1);
    const wait = new Wait([context.request.signal, this.#ending]);
    const unfollow = this.#watch.follow(() => wait.wake());
    const endsAtMs = this.#clock.monotonicMs() + STREAM_MS;
    try {
      yield `retry: ${RETRY_MS}\n\n`;
      if (gap !== undefined) yield `event: aml.gap\ndata: {"oldest_seq":${gap}}\n\n`;
      for (let after = of.after; !wait.isOver && this.#clock.monotonicMs() < endsAtMs; ) {
        const tail = await this.#watch.tail(tenantId, after);
        const subjectIn = subjectsOf(this.#parts);
        for (const logged of tail) {
          after = logged.line.seq;
          if (passes(logged.alert, filter)) yield await this.#eventOf(logged, subjectIn);
        }
        if (tail.length > 0) continue;
        const isWoken = await wait.until(HEARTBEAT_MS);
        if (!isWoken) yield `id: ${after}\nevent: aml.cursor\n\n`;
      }
    } finally {
      unfollow();
      wait.end();
      this.#enter(caller, -1);
    }
  }

  async #eventOf(
    { alert, line }: LoggedAlert,
    subjectIn: ReturnType<typeof subjectsOf>,
  ): Promise<string> {
    const now = this.#parts.clock.now();
    const row = presentAlert(alert, { now, subject: await subjectIn(alert) });
    const name = line.revision === 1 ? 'aml.alert' : 'aml.alert.updated';
    return `id: ${line.seq}\nevent: ${name}\ndata: ${JSON.stringify(row)}\n\n`;
  }

  #enter(caller: string, by: 1 | -1): void {
    const count = (this.#open.get(caller) ?? 0) + by;
    if (count === 0) this.#open.delete(caller);
    else this.#open.set(caller, count);
    this.#count += by;
  }
}

/** Undefined for what is no number of a log; the reader is told of a gap. */
function readId(text: string): number | undefined {
  if (!/^[0-9]{1,15}$/.test(text)) return undefined;
  return Number(text);
}

/** Waits for news, for a time, or for the end of the stream. */
class Wait {
  readonly #signals: readonly AbortSignal[];
  readonly #onAbort = (): void => this.wake();
  #isWoken = false;
  #resolve: (() => void) | undefined;

  constructor(signals: readonly AbortSignal[]) {
    this.#signals = signals;
    for (const signal of signals) signal.addEventListener('abort', this.#onAbort);
  }

  get isOver(): boolean {
    return this.#signals.some(({ aborted }) => aborted);
  }

  wake(): void {
    this.#isWoken = true;
    this.#resolve?.();
  }

  /** Whether it was woken before the time was over. */
  async until(ms: number): Promise<boolean> {
    if (!this.#isWoken && !this.isOver) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#resolve = resolve;
      const timer = setTimeout(resolve, ms).unref();
      await promise;
      clearTimeout(timer);
    }
    const isWoken = this.#isWoken;
    this.#isWoken = false;
    return isWoken;
  }

  end(): void {
    for (const signal of this.#signals) signal.removeEventListener('abort', this.#onAbort);
  }
}
