/**
 * The gateway process: opens the installation, listens, and drains when it must stop. Started by
 * the supervisor, or alone where Redis and the store are run by others.
 *
 * Order of a stop: /readyz says 503 first, then the listener closes, running requests finish, and
 * only then do engine, audit log and store close, so that every answer that left has its evidence.
 */
import assert from 'node:assert/strict';
import type { Redis } from 'ioredis';
import { type Config, ConfigError } from '#platform/config';
import * as limits from '#platform/limits';
import type { Log } from '#platform/log';
import { createMetrics } from '#platform/metrics';
import { isSupervised, listenForStop, reportReady, withinMs } from '#platform/processLife';
import { checkTlsFiles } from '#platform/tlsFiles';
import { createHttpServer, type HttpServer, hyperExpressStatus } from '../../api/http/index.ts';
import { openRedis, parseRedisUrl, type RedisAddress, redisOptions } from '../../redis/index.ts';
import type { Waker } from '../../redis/wakeUpQueue.ts';
import { openInstallation } from '../installation.ts';
import { outboxWaker } from '../outboxWaker.ts';
import { servingConfig } from '../servingConfig.ts';
import { openTelemetry } from '../telemetry.ts';
import { type GatewayParts, openGateway } from './openGateway.ts';

/** A balancer that polls /readyz has seen the 503 by then; on a single machine there is none. */
const DRAIN_NOTICE_MS = 5_000;

async function main(): Promise<void> {
  const stop = listenForStop();
  const config = servingConfig(process.env);
  checkTlsFiles(config.http.tls);
  const metrics = createMetrics({ processFigures: true });
  const { log, tracing } = await openTelemetry('gateway', { config, metrics });
  process.on('unhandledRejection', (error) => fatal(log, error, 'unhandled rejection'));
  assert(config.redisUrl !== undefined, 'REDIS_URL: expected an address, got nothing');
  const address = parseRedisUrl(config.redisUrl);
  const redis = redisOf(address, log);
  const installation = await openInstallation({
    config,
    metrics,
    onBus: outboxWaker(redis, log),
    onFatal: (error) => fatal(log, error, 'the store is lost to this process'),
    onWarning: (reason) => log.warn({ reason }, 'store'),
    processName: 'gateway',
    tracer: tracing.tracer,
  });
  let port = config.port;
  const origin = originOf(config, () => port);
  const waker = wakerOfWorkers(address, log);
  const parts = await openGateway(installation, { log, metrics, origin, redis, wake: waker.wake });
  const server = serverOf(config.http, { log, parts });
  ({ port } = await server.listen({ host: config.host, port: config.port }));
  log.info({ address: config.host, port, technology: server.technology }, 'listening');
  reportReady({ port });

  const reason = await stop.asked;
  log.info({ reason }, 'stopping');
  await drain({ isUrgent: stop.urgent, parts, server });
  await parts.close();
  await waker.close();
  await installation.close();
  await tracing.close();
  redis.disconnect();
  log.info({ reason }, 'stopped');
}

const redisOf = (address: RedisAddress, log: Log): Redis =>
  openRedis({
    address,
    name: 'gateway',
    onError: (error) => log.debug({ error }, 'redis'),
    use: 'request',
  });

/** BullMQ is loaded with the first wake-up: most gateways never send one. */
function wakerOfWorkers(address: ReturnType<typeof parseRedisUrl>, log: Log) {
  let waker: Promise<Waker> | undefined;
  const onFailure = (error: unknown) => log.debug({ error }, 'a wake-up of the workers was lost');
  const open = async (): Promise<Waker> => {
    const { createWaker } = await import('../../redis/wakeUpQueue.ts');
    return createWaker({ connection: redisOptions(address, 'queue', 'gateway'), onFailure });
  };
  return {
    close: async () => {
      const opened = await waker?.catch(() => undefined); // reported when the wake-up was sent
      await opened?.close();
    },
    wake: (slice: string, id: string) => {
      waker ??= open();
      waker.then((opened) => opened.wake(slice, id), onFailure);
    },
  };
}

function originOf({ host, http, origins }: Config, port: () => number): () => string {
  const scheme = http.tls === undefined ? 'http' : 'https';
  return () => origins.live ?? `${scheme}://${reachableHost(host)}:${port()}`;
}

/** The host as it stands in a URL; an address that means "all" cannot be called. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

function serverOf(
  http: Config['http'],
  options: { readonly log: Log; readonly parts: GatewayParts },
): HttpServer {
  const { gateway } = options.parts;
  const status = http.adapter === 'hyper-express' ? hyperExpressStatus() : undefined;
  if (status?.reason !== undefined) {
    if (!http.isAdapterDefault) throw new Error(`HTTP_ADAPTER: ${status.reason}`);
    options.log.warn({ reason: status.reason }, 'hyper-express does not load; node:http serves');
  }
  const technology = status?.build === undefined ? 'node:http' : 'hyper-express';
  return createHttpServer(technology, {
    bodyIdleTimeoutMs: limits.BODY_IDLE_TIMEOUT_MS,
    handler: gateway.handler,
    headersBytesMax: limits.HEADERS_BYTES_MAX,
    headersTimeoutMs: limits.HEADERS_TIMEOUT_MS,
    keepAliveTimeoutMs: limits.KEEP_ALIVE_TIMEOUT_MS,
    refusal: gateway.refusal,
    ...(http.tls !== undefined && { tls: http.tls }),
  });
}

async function drain(of: {
  readonly parts: GatewayParts;
  readonly server: HttpServer;
  readonly isUrgent: AbortSignal;
}): Promise<void> {
  of.parts.gateway.drain();
  if (!isSupervised() && !of.isUrgent.aborted) {
    const { promise: never } = Promise.withResolvers<void>();
    await withinMs(never, DRAIN_NOTICE_MS, of.isUrgent);
  }
  await of.server.close(of.isUrgent.aborted ? 1 : limits.SHUTDOWN_GRACE_MS);
}

/**
 * A bug, or a store that is gone: nothing is certain any more, so the process ends and the
 * supervisor restarts it.
 */
function fatal(log: Log, error: unknown, what: string): never {
  log.error({ error }, what);
  process.exit(1);
}

try {
  await main();
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${message}\n`);
  process.exit(error instanceof ConfigError ? 2 : 1);
}
