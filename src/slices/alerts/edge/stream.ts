/**
 * Alerts as server-sent events. The id of an event is its number in the tenant's log, so a reader
 * that comes back with Last-Event-ID misses nothing for thirty days. A stream ends after five
 * minutes, with its credential, and when the gateway drains: the reader comes back, and is
 * authenticated anew. So a key that was revoked and a role that was taken away end it too.
 */
import { DomainError, type TenantId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Log } from '#platform/log';
import {
  AlertFeeds,
  type AlertFilter,
  type Frame,
  type FramePage,
  lastLogSeq,
  logEnds,
  logSeqSince,
  oldestLogSeq,
  passes,
  readTail,
  STREAMS_MAX,
  STREAMS_PER_CALLER_MAX,
} from '#slices/alerts';
import type { HttpReply } from '../../../api/http/port.ts';
import { instantOf } from '../../../api/instants.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { LiveStream } from './liveStream.ts';
import type { AlertParts } from './parts.ts';
import { presentAll } from './presentAll.ts';
import { filterOf } from './reading.ts';
import { type StreamAsk, StreamQuery } from './schemas.ts';

/** How often the log is looked at while somebody follows it. */
const LOOK_EVERY_MS = 250;
const STREAM_MS = 5 * 60_000;
/** What a browser waits before it comes back. */
const RETRY_MS = 2_000;

interface StreamOptions {
  readonly clock: Pick<Clock, 'monotonicMs' | 'now'>;
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
      'seconds without another event. A stream ends after five minutes and with the credential; ' +
      'come back with the last id. A reader that leaves a mebibyte unread is cut off.',
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

interface Begin {
  readonly filter: AlertFilter;
  readonly after: number;
  readonly gap?: number;
}

class AlertStreams {
  readonly #parts: AlertParts;
  readonly #clock: StreamOptions['clock'];
  readonly #ending: AbortSignal;
  readonly #feeds: AlertFeeds;
  readonly #open = new Map<string, number>();
  #count = 0;
  #looks: NodeJS.Timeout | undefined;

  constructor(parts: AlertParts, { clock, ending, log }: StreamOptions) {
    this.#clock = clock;
    this.#parts = parts;
    this.#ending = ending;
    this.#feeds = new AlertFeeds({
      clock,
      ends: (tenants) => logEnds(parts.tables, tenants),
      onFailed: (error) => log.warn({ error }, 'alert streams stand still'),
      read: (tenantId, afterSeq) => readFrames(parts, tenantId, afterSeq),
      stamp: () => parts.tables.stamp('alert_log'),
    });
  }

  async open(context: OperationContext): Promise<HttpReply> {
    const query = context.query as unknown as StreamAsk;
    const leave = this.#enter(`${context.tenantId}/${context.principal.id}`);
    try {
      const { last_event_id, since, ...filters } = query;
      const filter = await filterOf(this.#parts, context, filters);
      const given = context.request.header('last-event-id') ?? last_event_id;
      const start = await this.#startOf(context, { given, since });
      const cut = new AbortController();
      const events = this.#events(context, { ...start, cut, filter });
      return {
        body: endingWith(events, leave),
        cut: cut.signal,
        headers: [
          ['content-type', 'text/event-stream'],
          ['cache-control', 'no-store'],
          ['x-accel-buffering', 'no'],
        ],
        status: 200,
      };
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Throws `streams-exhausted`; the returned function may be called more than once. */
  #enter(caller: string): () => void {
    const count = this.#open.get(caller) ?? 0;
    if (this.#count >= STREAMS_MAX || count >= STREAMS_PER_CALLER_MAX) {
      throw new DomainError('streams-exhausted', { retryAfterS: RETRY_MS / 1_000 });
    }
    this.#open.set(caller, count + 1);
    this.#count += 1;
    this.#looks ??= setInterval(() => void this.#feeds.look(), LOOK_EVERY_MS).unref();
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      this.#leave(caller);
    };
  }

  #leave(caller: string): void {
    const count = (this.#open.get(caller) ?? 0) - 1;
    if (count <= 0) this.#open.delete(caller);
    else this.#open.set(caller, count);
    this.#count -= 1;
    if (this.#count > 0) return;
    clearInterval(this.#looks);
    this.#looks = undefined;
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
    { principal, request, tenantId }: OperationContext,
    { after, cut, filter, gap }: Begin & { readonly cut: AbortController },
  ): AsyncGenerator<string> {
    const nowMs = this.#clock.monotonicMs();
    const { expiresAt = Number.POSITIVE_INFINITY } = principal;
    const endsAtMs = nowMs + Math.min(STREAM_MS, expiresAt - this.#clock.now());
    const isOver = (): boolean =>
      request.signal.aborted || this.#ending.aborted || this.#clock.monotonicMs() >= endsAtMs;
    // A client that has seen no alert yet goes on from here as well.
    yield `id: ${after}\nretry: ${RETRY_MS}\n\n`;
    if (gap !== undefined) yield `event: aml.gap\ndata: {"oldest_seq":${gap}}\n\n`;
    let seq = after;
    for (let hasFailed = false; !isOver(); ) {
      const page = await this.#feeds.pageAfter(tenantId, seq);
      for (const { alert, text } of page.frames) if (passes(alert, filter)) yield text;
      const isEnd = page.seq === seq;
      seq = page.seq;
      if (!isEnd) {
        hasFailed = false;
        continue;
      }
      const onStuck = () => cut.abort();
      const live = new LiveStream({ endsAtMs, filter, nowMs, onStuck, seq });
      const leave = this.#feeds.join(tenantId, seq, live);
      if (leave !== undefined) {
        yield* this.#live(live, [request.signal, this.#ending], leave);
        return;
      }
      // The log has grown since; where it then has nothing new, lines are gone, and a reader that
      // comes back is told so.
      if (hasFailed) return;
      hasFailed = true;
    }
  }

  async *#live(
    live: LiveStream,
    signals: readonly AbortSignal[],
    leave: () => void,
  ): AsyncGenerator<string> {
    const end = (): void => live.end();
    for (const signal of signals) signal.addEventListener('abort', end);
    if (signals.some(({ aborted }) => aborted)) end();
    try {
      for (let text = await live.next(); text !== undefined; text = await live.next()) yield text;
    } finally {
      leave();
      for (const signal of signals) signal.removeEventListener('abort', end);
    }
  }
}

/** A stream that calls `onEnd` also where nobody has begun to read it. */
function endingWith(events: AsyncGenerator<string>, onEnd: () => void): AsyncIterable<string> {
  const next = async (): Promise<IteratorResult<string>> => {
    const result = await events.next().catch((error: unknown) => {
      onEnd();
      throw error;
    });
    if (result.done === true) onEnd();
    return result;
  };
  const end = async (): Promise<IteratorResult<string>> => {
    onEnd();
    return events.return(undefined);
  };
  return { [Symbol.asyncIterator]: () => ({ next, return: end }) };
}

/** Lines of a log as events, each proved once for all who read it. */
async function readFrames(
  parts: AlertParts,
  tenantId: TenantId,
  afterSeq: number,
): Promise<FramePage> {
  const { alerts, seq } = await readTail(parts.tables, tenantId, afterSeq);
  const rows = await presentAll(parts, { alerts: alerts.map(({ alert }) => alert), tenantId });
  const frames: Frame[] = [];
  for (const [at, { alert, line }] of alerts.entries()) {
    const row = rows[at];
    const name = line.revision === 1 ? 'aml.alert' : 'aml.alert.updated';
    const text = `id: ${line.seq}\nevent: ${name}\ndata: ${JSON.stringify(row)}\n\n`;
    frames.push({ alert, bytes: Buffer.byteLength(text), seq: line.seq, text });
  }
  return { frames, seq };
}

/** Undefined for what is no number of a log; the reader is told of a gap. */
function readId(text: string): number | undefined {
  if (!/^[0-9]{1,15}$/.test(text)) return undefined;
  return Number(text);
}
