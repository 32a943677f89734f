/**
 * The worker process: brings the outbox to the bus, signs checkpoints, and runs scheduled work. Any
 * number of them may run over one store. At low priority, since requests come first on a shared
 * machine.
 *
 * Relay, reactions and checkpoints are loops, not jobs: evidence must not wait for a queue, nor an
 * event for a schedule. State is in the store; interrupted work is done again.
 */
import assert from 'node:assert/strict';
import type { Redis } from 'ioredis';
import { ConfigError } from '#platform/config';
import { growHeapsSlowly } from '#platform/heapGrowth';
import type { Log } from '#platform/log';
import { lowerPriority } from '#platform/lowPriority';
import { createMetrics } from '#platform/metrics';
import { isSupervised, listenForStop, reportReady } from '#platform/processLife';
import { openRedis, parseRedisUrl, type RedisAddress } from '../../redis/index.ts';
import type { Installation } from '../../slices/processes.ts';
import { compareClocks } from '../clocks.ts';
import { readinessOf } from '../gateway/readiness.ts';
import { openInstallation } from '../installation.ts';
import { outboxWaker } from '../outboxWaker.ts';
import { servingConfig } from '../servingConfig.ts';
import { openTelemetry } from '../telemetry.ts';
import { openWorker } from './openWorker.ts';
import { openProbes, type Probes, type ProbesOptions } from './probes.ts';

const NICENESS = 10;

async function main(): Promise<void> {
  const stop = listenForStop();
  growHeapsSlowly();
  const config = servingConfig(process.env);
  const metrics = createMetrics({ processFigures: true });
  const { log, tracing } = await openTelemetry('worker', { config, metrics });
  process.on('unhandledRejection', (error) => fatal(log, error, 'unhandled rejection'));
  assert(config.redisUrl !== undefined, 'REDIS_URL: expected an address, got nothing');
  const address = parseRedisUrl(config.redisUrl);
  const redis = redisOf(address, log);
  // The store's threads hold the lock that requests wait for: they alone stay the requests' equals.
  const installation = await lowerPriority(NICENESS, {
    start: () =>
      openInstallation({
        config,
        metrics,
        onBus: outboxWaker(redis, log),
        onFatal: (error) => fatal(log, error, 'the store is lost to this process'),
        onWarning: (reason) => log.warn({ reason }, 'store'),
        processName: 'worker',
        tracer: tracing.tracer,
      }),
  });
  compareClocks({ ...installation, log, metrics, redis });
  const work = await openWorker(installation, { address, log, metrics, redis });
  let isStopping = false;
  const probes = await probesOf(installation, { isDraining: () => isStopping, log, metrics });
  log.info(probes === undefined ? {} : { port: probes.port }, 'working');
  reportReady();

  const reason = await stop.asked;
  isStopping = true;
  log.info({ reason }, 'stopping');
  await work.stop();
  await probes?.close();
  await installation.close();
  await tracing.close();
  await leaveRedis(redis, { isOwnerGone: isSupervised() && reason !== 'supervisor' });
  log.info({ reason }, 'stopped');
}

const redisOf = (address: RedisAddress, log: Log): Redis =>
  openRedis({
    address,
    name: 'worker',
    onError: (error) => log.debug({ error }, 'redis'),
    use: 'background',
  });

/** A worker can work where the store answers and its evidence can be signed. */
async function probesOf(
  { config, headGuard, storage }: Installation,
  options: Pick<ProbesOptions, 'isDraining' | 'log' | 'metrics'>,
): Promise<Probes | undefined> {
  const { dataDir, host, metricsPort: port, mongodb } = config;
  if (port === undefined) return undefined;
  const evidenceDirectory = mongodb === undefined ? dataDir : undefined;
  const readiness = () => readinessOf({ evidenceDirectory, headGuard, slices: [], storage });
  return openProbes({ ...options, host, port, readiness });
}

/** The supervisor was killed: its Redis has no owner now, and ends with the last of us. */
async function leaveRedis(redis: Redis, { isOwnerGone }: { isOwnerGone: boolean }): Promise<void> {
  if (isOwnerGone && process.env.OWN_REDIS === '1') {
    await redis.shutdown('NOSAVE').catch(() => undefined); // it answers by closing the connection
  }
  redis.disconnect();
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
  process.exit(0);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exit(error instanceof ConfigError ? 2 : 1);
}
