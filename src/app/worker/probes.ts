/**
 * A worker's own port, where one is configured: whether it lives, whether it can work, and its
 * figures. The pages are the gateway's; it answers nothing else, and nothing of a tenant.
 */
import { createServer, type Server, type ServerResponse } from 'node:http';
import { DomainError } from '#core/kernel';
import type { Log } from '#platform/log';
import type { Metrics } from '#platform/metrics';
import { healthPages } from '../../api/health.ts';
import type { PublicPage, Readiness } from '../../api/ports.ts';

/** A scrape is one small request; whoever sends more slowly is nobody we know. */
const REQUEST_TIMEOUT_MS = 10_000;

export interface ProbesOptions {
  readonly host: string;
  readonly port: number;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  readonly isDraining: () => boolean;
}

export interface Probes {
  readonly port: number;
  close(): Promise<void>;
}

/** Listens once it resolves; rejects where the port is taken. */
export async function openProbes(options: ProbesOptions): Promise<Probes> {
  const pages = new Map(healthPages(options).map((page) => [page.path, page]));
  const server = createServer((request, response) => {
    request.resume();
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const page = isRead ? pages.get(request.url ?? '') : undefined;
    answer(response, page).catch((error: unknown) => {
      options.log.warn({ error }, 'a probe was not answered');
      response.destroy();
    });
  });
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  await listen(server, options);
  const address = server.address();
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    port: typeof address === 'object' && address !== null ? address.port : options.port,
  };
}

async function answer(response: ServerResponse, page: PublicPage | undefined): Promise<void> {
  if (page === undefined) return end(response, 404, 'not found');
  try {
    // The pages of health read nothing of the request.
    const reply = await page.reply(undefined as never);
    for (const [name, value] of reply.headers) response.setHeader(name, value);
    end(response, reply.status, String(reply.body ?? ''));
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    end(response, 503, `${error.code}: ${error.message}`);
  }
}

function end(response: ServerResponse, status: number, body: string): void {
  response.statusCode = status;
  response.end(`${body}\n`);
}

async function listen(server: Server, { host, port }: ProbesOptions): Promise<void> {
  const listening = Promise.withResolvers<void>();
  server.once('error', listening.reject);
  server.listen({ host, port }, listening.resolve);
  await listening.promise;
}
