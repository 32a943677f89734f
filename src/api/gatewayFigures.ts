/**
 * What the gateway counts. Figures are by operation and status, never by tenant: /metrics needs no
 * credential. Handles are kept per pair, since looking labels up costs more than counting.
 */
import type { ErrorCode } from '#core/kernel';
import type { Metrics } from '#platform/metrics';

export interface GatewayFigures {
  begin(): void;
  end(request: {
    readonly operation: string | undefined;
    readonly status: number;
    readonly durationMs: number;
    readonly isReplay: boolean;
  }): void;
  problem(code: ErrorCode): void;
}

/** Around the targets of interface.md 8: 30, 50 and 200 ms. */
const DURATION_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5, 1, 5];

interface Handles {
  readonly requests: { inc(): void };
  readonly duration: { observe(value: number): void };
}

export function createGatewayFigures(metrics: Metrics): GatewayFigures {
  const requests = metrics.counter({
    help: 'Answers given, by operation and status',
    labels: ['operation', 'status'],
    name: 'http_requests_total',
  });
  const duration = metrics.histogram({
    buckets: DURATION_BUCKETS_S,
    help: 'Seconds from the headers to the answer',
    labels: ['operation'],
    name: 'http_request_duration_seconds',
  });
  const running = metrics.gauge({
    help: 'Requests being worked on',
    name: 'http_requests_running',
  });
  const replays = metrics.counter({
    help: 'Answers given again for a known Idempotency-Key',
    name: 'http_idempotent_replays_total',
  });
  const problems = metrics.counter({
    help: 'Problem documents, by code',
    labels: ['code'],
    name: 'http_problems_total',
  });
  const handles = new Map<string, Handles>();
  const handlesOf = (operation: string, status: number): Handles => {
    const key = `${operation} ${status}`;
    let found = handles.get(key);
    if (found === undefined) {
      found = {
        duration: duration.labels(operation),
        requests: requests.labels(operation, String(status)),
      };
      handles.set(key, found);
    }
    return found;
  };
  return {
    begin: () => running.inc(),
    end({ durationMs, isReplay, operation, status }) {
      running.dec();
      // Pages and unknown routes share one name: a path in a label would grow without end.
      const { duration: seconds, requests: count } = handlesOf(operation ?? 'none', status);
      count.inc();
      seconds.observe(durationMs / 1000);
      if (isReplay) replays.inc();
    },
    problem: (code) => problems.labels(code).inc(),
  };
}
