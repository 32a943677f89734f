/**
 * A request as a step of a trace. It goes on with its caller's trace, by the caller's
 * `traceparent`; whether that is also recorded as the caller wishes is decided once it is known who
 * calls. Probes and pages are asked for all the time, tell nothing, and are left out.
 */
import type { Step, Tracer } from '#platform/tracing/tracer';
import type { HttpReply, HttpRequest } from './http/port.ts';
import type { Exchange } from './perform.ts';

const METHODS: ReadonlySet<string> = new Set(['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT']);
/** As the standard names what it does not know: a method is a stranger's text. */
const OTHER_METHOD = '_OTHER';
const UNKNOWN_ROUTE = 'unknown route';

export function tracedRequest(
  tracer: Tracer,
  exchange: Exchange,
  work: () => Promise<HttpReply>,
): Promise<HttpReply> {
  const { request } = exchange;
  if (!tracer.isOn || !request.path.startsWith('/v1/')) return work();
  const from = request.header('traceparent');
  return tracer.step('http', { from, kind: 'server' }, async (step) => {
    exchange.step = step;
    const reply = await work();
    tell(step, exchange, reply.status);
    return reply;
  });
}

function tell(step: Step, exchange: Exchange, status: number): void {
  const { isReplay, principal, request, requestId } = exchange;
  // A collector is read by people who may not know of what a confidential one is about.
  const compiled = exchange.compiled?.operation.isConfidential ? undefined : exchange.compiled;
  step.rename(compiled?.operation.id ?? UNKNOWN_ROUTE);
  step.note({
    'compliance.is_replay': isReplay || undefined,
    'compliance.request_id': requestId,
    'compliance.tenant_id': principal?.tenantId,
    'http.request.method': methodOf(request),
    'http.response.status_code': status,
    'http.route': compiled?.operation.path,
  });
  // A client that left is no fault of ours.
  if (status >= 500 && !request.signal.aborted) step.fail(String(status));
}

const methodOf = ({ method }: HttpRequest): string => (METHODS.has(method) ? method : OTHER_METHOD);
