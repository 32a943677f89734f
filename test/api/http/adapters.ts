/**
 * The servers under test. Where no uWebSockets.js binary loads, hyper-express is skipped aloud.
 */
import { DomainError } from '#core/kernel';
import {
  createHttpServer,
  type HttpHandler,
  type HttpReply,
  type HttpServer,
  type HttpServerOptions,
  type HttpTechnology,
  hyperExpressStatus,
} from '../../../src/api/http/index.ts';

const { reason } = hyperExpressStatus();
if (reason !== undefined) console.warn(`SKIPPED: every test of hyper-express. ${reason}`);

export const TECHNOLOGIES: readonly HttpTechnology[] =
  reason === undefined ? ['node:http', 'hyper-express'] : ['node:http'];

const REFUSAL_STATUS = {
  'framing-ambiguous': 400,
  'headers-too-large': 431,
  'body-timeout': 408,
  'not-ready': 503,
  internal: 500,
} as const;

/** As the gateway's problem documents, in short. */
export function refusal(code: keyof typeof REFUSAL_STATUS): HttpReply {
  return problem(REFUSAL_STATUS[code], code);
}

export function problem(status: number, code: string): HttpReply {
  return {
    status,
    headers: [['content-type', 'application/problem+json']],
    body: JSON.stringify({ code }),
  };
}

const BODY_STATUS: Record<string, number> = {
  'body-too-large': 413,
  'body-aborted': 400,
  'body-timeout': 408,
  'framing-ambiguous': 400,
};

/** Turns what `body` throws into an answer, as the layer above the port does. */
export function presenting(handler: HttpHandler): HttpHandler {
  return async (request) => {
    try {
      return await handler(request);
    } catch (error) {
      if (error instanceof DomainError) return problem(BODY_STATUS[error.code] ?? 500, error.code);
      throw error;
    }
  };
}

export function text(body: string, status = 200): HttpReply {
  return { status, headers: [['content-type', 'text/plain']], body };
}

export interface Running {
  readonly server: HttpServer;
  readonly port: number;
}

export async function start(
  technology: HttpTechnology,
  handler: HttpHandler,
  options: Partial<HttpServerOptions> = {},
): Promise<Running> {
  const server = createHttpServer(technology, {
    handler: presenting(handler),
    refusal,
    headersBytesMax: 16_384,
    headersTimeoutMs: 10_000,
    bodyIdleTimeoutMs: 10_000,
    keepAliveTimeoutMs: 5_000,
    ...options,
  });
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  return { server, port };
}
