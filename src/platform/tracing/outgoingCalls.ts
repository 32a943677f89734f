/**
 * Calls by HTTP that this process makes, as steps of whatever makes them: to publishers of lists,
 * issuers of tokens, a bucket, webhooks. undici tells of each request by channels that cost
 * nothing while nobody listens, both the package and the one within Node (`fetch`).
 *
 * A step names the host and the status, and never the path or the query, which may hold a token or
 * a key. No header is added: whoever is called is told of a trace only by code that decides so.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Clock } from '../clock.ts';
import { codeOf } from './spans.ts';
import type { PastStep, Tracer } from './tracer.ts';

interface Call {
  readonly startMs: number;
  /** Takes it as a step of who made it. */
  readonly tell: (step: PastStep) => void;
  status: number | undefined;
}

/** As the channels give it. */
interface Told {
  readonly request: { readonly origin?: unknown; readonly method?: unknown };
  readonly response?: { readonly statusCode?: unknown };
  readonly error?: unknown;
}

/** A server of ours that fails is another's failure as well: from here on it is one. */
const FAILED_STATUS_MIN = 400;

export function watchOutgoingCalls(
  tracer: Tracer,
  clock: Pick<Clock, 'monotonicMs'>,
): { end(): void } {
  const calls = new WeakMap<object, Call>();
  const onCreate = ({ request }: Told): void => {
    if (tracer.traceId() === undefined) return;
    calls.set(request, {
      startMs: clock.monotonicMs(),
      status: undefined,
      tell: tracer.here(),
    });
  };
  const onHeaders = ({ request, response }: Told): void => {
    const call = calls.get(request);
    if (call !== undefined) call.status = Number(response?.statusCode);
  };
  const onEnd = ({ error, request }: Told): void => {
    const call = calls.get(request);
    if (call === undefined) return;
    calls.delete(request);
    const failure = error === undefined ? failureOf(call.status) : codeOf(error);
    call.tell({
      attributes: {
        'http.request.method': String(request.method),
        'http.response.status_code': call.status,
        'server.address': hostOf(request.origin),
      },
      endMs: clock.monotonicMs(),
      failure,
      kind: 'client',
      name: `http ${String(request.method)}`,
      startMs: call.startMs,
    });
  };
  const channels = [
    ['undici:request:create', onCreate],
    ['undici:request:headers', onHeaders],
    ['undici:request:trailers', onEnd],
    ['undici:request:error', onEnd],
  ] as const;
  const listeners = channels.map(
    ([name, listen]) => [name, (told: unknown) => listen(told as Told)] as const,
  );
  for (const [name, listener] of listeners) subscribe(name, listener);
  return {
    end: () => {
      for (const [name, listener] of listeners) unsubscribe(name, listener);
    },
  };
}

const failureOf = (status: number | undefined): string | undefined =>
  status !== undefined && status >= FAILED_STATUS_MIN ? String(status) : undefined;

function hostOf(origin: unknown): string | undefined {
  const text = String(origin);
  return URL.canParse(text) ? new URL(text).host : undefined;
}
