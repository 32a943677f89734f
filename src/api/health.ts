/**
 * Whether the process lives, whether it can screen, and its figures (decisions 7.3): no credential,
 * no data of a tenant. `/healthz` calls nothing, so that a slow store does not get a living process
 * killed. `/readyz` checks, and answers 503 with the reason before it can screen and while it
 * stops.
 */
import { DomainError } from '#core/kernel';
import type { Metrics } from '#platform/metrics';
import type { PublicPage, Readiness } from './ports.ts';

export interface HealthOptions {
  readonly readiness: Readiness;
  /** What works only in part: no reason to ask another gateway, which would say the same. */
  readonly notices?: () => readonly string[];
  readonly isDraining: () => boolean;
  readonly metrics: Metrics;
}

const JSON_TYPE = ['content-type', 'application/json'] as const;

export function healthPages(options: HealthOptions): PublicPage[] {
  const readiness = oneAtATime(async () => options.readiness());
  const exposed = oneAtATime(() => options.metrics.expose());
  return [
    {
      isProbe: true,
      path: '/healthz',
      reply: () => ({ body: '{"status":"ok"}', headers: [JSON_TYPE], status: 200 }),
    },
    {
      isProbe: true,
      path: '/readyz',
      async reply() {
        const reason = options.isDraining() ? 'stopping' : await readiness();
        if (reason !== undefined) throw new DomainError('not-ready', { detail: reason });
        const notices = options.notices?.() ?? [];
        const body = { status: 'ready', ...(notices.length > 0 && { notices }) };
        return { body: JSON.stringify(body), headers: [JSON_TYPE], status: 200 };
      },
    },
    {
      isProbe: true,
      path: '/metrics',
      async reply() {
        const { contentType, text } = await exposed();
        return { body: text, headers: [['content-type', contentType]], status: 200 };
      },
    },
  ];
}

/** Requests that come while it works share its answer: whoever asks in floods costs no more. */
function oneAtATime<Value>(work: () => Promise<Value>): () => Promise<Value> {
  let running: Promise<Value> | undefined;
  return () => {
    running ??= work().finally(() => {
      running = undefined;
    });
    return running;
  };
}
