/**
 * The worker process: brings the outbox to the bus, signs checkpoints, and runs what ends by time.
 * As many as one likes over one store. Niced, since requests come first on a shared machine.
 *
 * Relay, reactions and checkpoints are loops, not jobs: evidence must not wait for a queue, nor an
 * event for a schedule. State is in the store; whatever is interrupted here is done again.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { type CheckpointProblem, runCheckpoints } from '#core/audit';
import { isProcessGone } from '#core/work';
import { ConfigError, loadConfig } from '#platform/config';
import { growHeapsSlowly } from '#platform/heapGrowth';
import { createLog, type Log } from '#platform/log';
import { lowerPriority } from '#platform/lowPriority';
import { isSupervised, listenForStop, reportReady, withinMs } from '#platform/processLife';
import { createOutboxRelay, openRedis, parseRedisUrl, redisOptions } from '../../redis/index.ts';
import { listenForWakeUps } from '../../redis/wakeUpQueue.ts';
import { startBatchRunner } from '../../slices/batches/edge/jobs.ts';
import { startListRunner } from '../../slices/ingestion/edge/jobs.ts';
import { type ScheduledJob, startJobs } from '../../workers/jobQueue.ts';
import { type Installation, openInstallation } from '../installation.ts';
import { openRuns, type RunParts } from '../listRuns.ts';
import { openBatches } from './batches.ts';
import { openReactions } from './reactions.ts';
import { applyBlobRetention, applyRetention } from './retention.ts';

const NICENESS = 10;
const RETENTION_EVERY_MS = 10 * 60_000;
/** It looks at every blob, and what it takes away was there for a day. */
const LIST_RETENTION_EVERY_MS = 6 * 3_600_000;
/** Jobs of a former release that react to events now: Redis may still hold their schedules. */
const RETIRED_JOBS = ['indexes', 'resolution'];
const JOBS_CLOSE_MS = 3_000;

async function main(): Promise<void> {
  const stop = listenForStop();
  growHeapsSlowly();
  const config = loadConfig(process.env);
  const log = createLog({ level: config.logLevel, process: 'worker' });
  process.on('unhandledRejection', (error) => fatal(log, error, 'unhandled rejection'));
  assert(config.redisUrl !== undefined, 'REDIS_URL: expected an address, got nothing');
  const address = parseRedisUrl(config.redisUrl);
  const redis = openRedis({
    address,
    name: 'worker',
    onError: (error) => log.debug({ error }, 'redis'),
    use: 'background',
  });
  // The store's threads hold the lock that requests wait for: they alone stay the requests' equals.
  const installation = await lowerPriority(NICENESS, {
    start: () =>
      openInstallation({
        config,
        onFatal: (error) => fatal(log, error, 'the store is lost to this process'),
        onWarning: (reason) => log.warn({ reason }, 'store'),
        processName: 'worker',
      }),
  });
  const work = startWork(installation, {
    address,
    log,
    redis,
  });
  log.info({}, 'working');
  reportReady();

  const reason = await stop.asked;
  log.info({ reason }, 'stopping');
  await work.stop();
  await installation.close();
  await leaveRedis(redis, { isOwnerGone: isSupervised() && reason !== 'supervisor' });
  log.info({ reason }, 'stopped');
}

interface Work {
  stop(): Promise<void>;
}

function startWork(
  installation: Installation,
  to: {
    readonly address: ReturnType<typeof parseRedisUrl>;
    readonly log: Log;
    readonly redis: Redis;
  },
): Work {
  const { clock, config, signer, storage } = installation;
  const { log } = to;
  const isStopping = new AbortController();
  const relay = createOutboxRelay({
    holder: `worker/${process.pid}/${clock.now()}`,
    onFailure: (error) => log.warn({ error }, 'bus events wait in the outbox'),
    outbox: storage.outbox,
    redis: to.redis,
  }).run(isStopping.signal);
  const checkpoints = runCheckpoints({
    clock,
    directory: join(config.dataDir, 'checkpoints'),
    onProblem: (problem) => reportCheckpoint(log, problem),
    signer,
    store: storage.audit,
  });
  const runs = openRuns(installation);
  const reactions = openReactions(installation, { log, runs }).run(isStopping.signal);
  const lists = startListRunner({
    holder: installation.holder,
    isGone: (holder) => isProcessGone(holder, installation.holder),
    log,
    ports: runs,
  });
  const batches = openBatches(installation);
  const batchRunner = startBatchRunner({
    holder: installation.holder,
    log,
    ports: batches.ports,
  });
  const batchWords = listenForWakeUps({
    connection: redisOptions(to.address, 'queue', 'batches'),
    onFailure: (error) => log.debug({ error }, 'words of batches'),
    wake: () => batchRunner.wake(),
  });
  const jobs = startJobs({
    clock,
    connection: redisOptions(to.address, 'queue', 'jobs'),
    jobs: scheduledJobs(installation, runs),
    log,
    retired: RETIRED_JOBS,
  });
  return {
    stop: async () => {
      isStopping.abort();
      // Without Redis, closing a queue waits for ever; its state is not ours to save.
      await Promise.all([
        relay,
        withinMs(reactions, JOBS_CLOSE_MS),
        checkpoints.close(),
        withinMs(jobs.close(), JOBS_CLOSE_MS),
        withinMs(lists.close(), JOBS_CLOSE_MS),
        batchWords.close(),
        withinMs(batchRunner.close(), JOBS_CLOSE_MS),
      ]);
      await Promise.all([runs.close(), batches.close()]);
    },
  };
}

function scheduledJobs(installation: Installation, runs: RunParts): readonly ScheduledJob[] {
  const { blobs, clock, storage } = installation;
  return [
    {
      everyMs: RETENTION_EVERY_MS,
      name: 'retention',
      run: async () => ({ ...(await applyRetention({ ...storage, clock })) }),
    },
    {
      everyMs: LIST_RETENTION_EVERY_MS,
      name: 'list-retention',
      run: async () => {
        const { spoolDirectory } = runs.imports;
        return { ...(await applyBlobRetention({ ...storage, blobs, clock, spoolDirectory })) };
      },
    },
  ];
}

function reportCheckpoint(log: Log, { chainId, kind, detail, cause }: CheckpointProblem): void {
  const fields = { code: kind, reason: detail, tenant_id: chainId, error: cause };
  log.error(fields, 'a checkpoint was not written');
}

/** The supervisor was killed: its Redis is nobody's now, and ends with the last of us. */
async function leaveRedis(redis: Redis, { isOwnerGone }: { isOwnerGone: boolean }): Promise<void> {
  if (isOwnerGone && process.env.OWN_REDIS === '1') {
    await redis.shutdown('NOSAVE').catch(() => undefined); // it answers by closing the connection
  }
  redis.disconnect();
}

/**
 * A bug, or a store that is gone: nothing is known to be whole any more, so the process ends and
 * the supervisor restarts it.
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
